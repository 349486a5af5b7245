import Foundation
import MienModels
import MienTesting
import Testing

@Suite struct VerificationBenchTests {
    private static let mien = ProgramRun.builtProgram("mien")
    private static let isReady =
        FileManager.default.isExecutableFile(atPath: mien.path)
        && FileManager.default.fileExists(atPath: MienHome.current.packs.path)
        && FileManager.default.fileExists(
            atPath: MienHome.current.demoPhotos.appending(path: "obama2.jpg").path)

    @Test(.enabled(if: isReady, "mien, a model pack, or the demo's photos are missing"))
    func `every verification with a document is measured`() async throws {
        let result = try await BenchProgram.run(
            [
                "verifications", "--count", "8", "--clients", "2", "--mien", Self.mien.path,
                "--json",
            ],
            home: MienHome.current.folder)
        #expect(result.status == 0, "\(result)")
        struct Measured: Decodable {
            struct Memory: Decodable { let start, middle, end: Double }
            let count: Int, perMinute, processorMilliseconds: Double
            let statuses: [String: Int], memory: Memory
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let measured = try decoder.decode(Measured.self, from: Data(result.out.utf8))
        #expect(measured.count == 8 && measured.perMinute > 0)
        // One of the eight drawn licenses may be too hard to read.
        #expect(measured.statuses["succeeded"] ?? 0 >= 5, "\(measured.statuses)")
        #expect(measured.processorMilliseconds > 0 && measured.memory.end > 1)
    }
}
