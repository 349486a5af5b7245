import Foundation
import MienModels
import MienTesting
import Testing

@Suite("Model pack")
struct ModelPackTests {
    private let small: SmallPack

    init() throws { small = try SmallPack() }

    private func refusal() throws -> PackError {
        try #require(throws: PackError.self) { try ModelPack(folder: small.folder) }
    }

    private func changeManifest(_ path: String, _ value: Any?) throws {
        let url = small.folder.appending(path: PackManifest.fileName)
        var table = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        if path.hasPrefix("files.0.") {
            var files = try #require(table["files"] as? [[String: Any]])
            files[0][String(path.dropFirst(8))] = value
            table["files"] = files
        } else {
            table[path] = value
        }
        try JSONSerialization.data(withJSONObject: table).write(to: url)
    }

    @Test("a folder whose files match the manifest is a pack")
    func whole() throws {
        let pack = try ModelPack(folder: small.folder)
        #expect(pack.id.text == "small-1")
        #expect(
            try pack.contents(of: "cohort.bin") == Data(Array("cohort.bin".utf8) + [0, 0, 255]))
    }

    @Test("a flipped bit in any file is detected, and the reason names the file")
    func flippedBit() throws {
        for name in try small.fileNames where name != PackManifest.fileName {
            let url = small.folder.appending(path: name), right = try Data(contentsOf: url)
            for (byte, bit) in [(0, 0), (right.count / 2, 3), (right.count - 1, 7)] {
                var wrong = right
                wrong[byte] ^= 1 << UInt8(bit)
                try wrong.write(to: url)
                let error = try refusal()
                #expect(error.code == .damaged && error.reason.contains("/\(name) "))
            }
            try right.write(to: url)
        }
        _ = try ModelPack(folder: small.folder)
    }

    @Test("a missing file is detected, and the reason gives the remedy")
    func missing() throws {
        for name in try small.fileNames where name != PackManifest.fileName {
            let url = small.folder.appending(path: name), data = try Data(contentsOf: url)
            try FileManager.default.removeItem(at: url)
            let error = try refusal()
            #expect(
                error.code == .damaged && error.reason.contains(name)
                    && error.reason.contains("scripts/setup"))
            try data.write(to: url)
        }
    }

    @Test("a byte too many or too few is detected")
    func wrongSize() throws {
        let url = small.folder.appending(path: "cohort.bin"), data = try Data(contentsOf: url)
        for wrong in [data + [0], data.dropLast(), Data()] {
            try wrong.write(to: url)
            #expect(try refusal().code == .damaged)
        }
    }

    @Test("a wrong size is detected even if the hash is correct")
    func declaredSize() throws {
        try changeManifest("files.0.bytes", 1)
        #expect(try refusal().code == .damaged)
    }

    @Test(
        "names that lead out of the folder are rejected before any file is opened",
        arguments: ["../pack/cohort.bin", "/etc/passwd", ".hidden", "sub/file"])
    func pathTricks(name: String) throws {
        try small.scratch.write([1], to: "pack/.hidden")
        try changeManifest("files.0.name", name)
        let error = try refusal()
        #expect(error.code == .badManifest)
        #expect(error.reason.contains("“\(name)” is not a plain file name"))
    }

    @Test("a folder without a manifest is not a pack")
    func noManifest() throws {
        try FileManager.default.removeItem(at: small.folder.appending(path: PackManifest.fileName))
        let error = try refusal()
        #expect(error.code == .badManifest && error.reason.contains("is not a model pack"))
    }

    @Test("a manifest that is not JSON, or larger than a megabyte, is rejected")
    func badManifest() throws {
        try small.scratch.write("{".utf8, to: "pack/manifest.json")
        #expect(try refusal().code == .badManifest)
        try small.scratch.write(
            ManifestText.data + Data(repeating: 32, count: 1_000_000), to: "pack/manifest.json")
        #expect(try refusal().code == .badManifest)
    }

    @Test("a manifest of 1.5 GB is rejected by its size without being read")
    func hugeManifest() throws {
        // A sparse file takes no disk space, but reading it would take memory.
        let file = try FileHandle(forWritingTo: small.folder.appending(path: PackManifest.fileName))
        try file.truncate(atOffset: 1_500_000_000)
        try file.close()
        let before = try Self.bytesReadByThread()
        #expect(try refusal().code == .badManifest)
        #expect(try Self.bytesReadByThread() - before < 100_000_000)
    }

    @Test("a file far larger than declared is rejected by its size without being read")
    func hugeFile() throws {
        let file = try FileHandle(forWritingTo: small.folder.appending(path: "cohort.bin"))
        try file.truncate(atOffset: 1_500_000_000)
        try file.close()
        let before = try Self.bytesReadByThread()
        #expect(try refusal().code == .damaged)
        #expect(try Self.bytesReadByThread() - before < 100_000_000)
    }

    /// Returns how many bytes the current thread has read so far.
    ///
    /// The count belongs to one thread, so tests that run at the same time do not change it.
    private static func bytesReadByThread() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(counts.split(separator: "\n").first { $0.hasPrefix("rchar:") })
        return try #require(Int(line.dropFirst("rchar: ".count)))
    }

    @Test(
        "a pipe or a link instead of a file is rejected without waiting",
        .timeLimit(.minutes(15)),
        arguments: ["cohort.bin", PackManifest.fileName])
    func special(name: String) async throws {
        let url = small.folder.appending(path: name), elsewhere = small.scratch("elsewhere")
        try FileManager.default.moveItem(at: url, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: elsewhere)
        let code: PackError.Code = name == "cohort.bin" ? .damaged : .badManifest
        #expect(try refusal().code == code)
        try FileManager.default.removeItem(at: url)
        try await run("mkfifo", url.path)
        #expect(try refusal().code == code)
    }

    @Test("missing values and values of the wrong type are reported with their path")
    func words() throws {
        try changeManifest("title", nil)
        #expect(try refusal().reason.hasSuffix("“title” is missing at the top"))
        try changeManifest("title", 5)
        #expect(try refusal().reason.hasSuffix("a value has the wrong type at title"))
        try changeManifest("title", "A title")
        try changeManifest("files.0.bytes", "many")
        #expect(try refusal().reason.contains("files."))
    }

    @Test("the error codes are stable")
    func codes() {
        #expect(
            PackError.Code.allCases.map(\.rawValue) == [
                "pack.not-installed", "pack.bad-manifest", "pack.damaged", "pack.conflict",
                "pack.not-found", "pack.unavailable", "pack.insecure",
            ])
        #expect(
            PackError(.damaged, "a") == PackError(.damaged, "b")
                && PackError(.damaged, "a") != PackError(.conflict, "a"))
        #expect("\(PackError(.damaged, "why"))" == "why")
    }
}
