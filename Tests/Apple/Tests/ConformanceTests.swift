import Foundation
import MienClient

/// The recorded exchanges that all clients replay, docs/conformance, with the keys of the fake enclave.
@MainActor let conformanceTests = [
    AppleTest(
        "the recorded exchanges, as they are, and with the news of a later server",
        shows: ["recorded exchanges of `docs/conformance`"]
    ) {
        let repository = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let recordings = try RecordedServer.recordings(of: "iOS", in: repository)
        expect(recordings.count >= 10, "\(recordings.count) recordings")
        for (name, recording) in recordings {
            for hasNews in [false, true] {
                let faults = try await RecordedServer.faults(
                    of: name, recording, hasNews: hasNews, device: device(), in: repository)
                expect(
                    faults.isEmpty,
                    "\(name)\(hasNews ? ", news" : ""): \(faults.joined(separator: "; "))")
            }
        }
    }
]
