import Foundation
import MienFace
import MienTools

/// Runs dlib's pipeline on the same decoded photos with a C++ program, `Benchmarks/dlib-peer`.
struct PeerBench {
    let program: URL
    let models: URL
    let repeats: Int

    struct Result: Decodable {
        /// Processor time of the whole pipeline, the median of the repetitions.
        let cpuMilliseconds: Double
        let faces: Int

        private enum CodingKeys: String, CodingKey {
            case cpuMilliseconds = "cpu_milliseconds_median"
            case faces
        }
    }

    /// Returns one result per photo, in order.
    func run(_ photos: [(name: String, image: RGBImage)]) throws -> [Result] {
        let work = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: work) }
        let files = try photos.enumerated().map { index, photo in
            let file = work.appending(path: "\(index).ppm")
            try Data(
                "P6\n\(photo.image.width) \(photo.image.height)\n255\n".utf8 + photo.image.pixels
            ).write(to: file)
            return file.path
        }
        let peer = Process(), output = Pipe()
        peer.executableURL = program
        peer.arguments = [models.path, "--repeat", "\(repeats)"] + files
        peer.standardOutput = output
        try peer.run()
        let lines = output.fileHandleForReading.readDataToEndOfFile().split(
            separator: UInt8(ascii: "\n"))
        peer.waitUntilExit()
        let results = lines.compactMap { try? JSONDecoder().decode(Result.self, from: $0) }
        guard peer.terminationStatus == 0, results.count == photos.count else {
            throw Failure(
                .notSetUp, "bench.peer",
                "\(program.path) did not return a result for every photo; rebuild it with make bench"
            )
        }
        return results
    }
}
