import Foundation
import MienModels
import MienTesting
import Testing

@testable import mien_bench

@Suite struct IdentityBenchTests {
    @Test func `an invented person is always the same, and another one differs`() {
        #expect(InventedPerson(7).row == InventedPerson(7).row)
        #expect(Set((0..<5000).map { InventedPerson($0).request }).count == 5000)
        for number in 0..<1000 {
            let fields = InventedPerson(number).row.split(
                separator: ",", omittingEmptySubsequences: false)
            #expect(fields.count == 9 && !fields.contains { $0.isEmpty || $0.contains("\"") })
            #expect(fields[6].utf8.count == 5)
        }
    }

    /// The package of the benchmarks alone builds no `mien`.
    private static let mien = ProgramRun.builtProgram("mien")
    /// A server does not start without a model pack.
    private static let isReady =
        FileManager.default.isExecutableFile(atPath: mien.path)
        && FileManager.default.fileExists(atPath: MienHome.current.packs.path)

    @Test(.enabled(if: isReady, "mien is not built, or no model pack is installed"))
    func `everybody is imported, and every verification is measured`() async throws {
        let result = try await BenchProgram.run(
            [
                "identity", "--people", "300", "--verifications", "40", "--mien", Self.mien.path,
                "--json",
            ], home: MienHome.current.folder)
        #expect(result.status == 0, "\(result)")
        struct Measured: Decodable {
            struct Latency: Decodable { let count: Int, p50, p99: Double }
            struct Memory: Decodable { let start, middle, end: Double }
            let people: Int, importedPerSecond: Double
            let latencies: [String: Latency], memory: Memory
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let measured = try decoder.decode(Measured.self, from: Data(result.out.utf8))
        #expect(measured.people == 300 && measured.importedPerSecond > 0)
        #expect(
            measured.latencies.mapValues(\.count) == ["all": 40, "verified": 30, "denied": 10])
        #expect(measured.latencies.values.allSatisfy { $0.p50 > 0 && $0.p50 <= $0.p99 })
        #expect(measured.memory.start > 1 && measured.memory.end > 1)
    }

    @Test func `nobody is verified as somebody else, and most others are not refused`() async throws
    {
        let result = try await BenchProgram.run(["matching", "--pairs", "5400", "--json"])
        #expect(result.status == 0, "\(result)")
        struct Measured: Decodable {
            let counts: [String: [String: Int]]
            let genuine, others: [String: Double]
        }
        let measured = try JSONDecoder().decode(Measured.self, from: Data(result.out.utf8))
        #expect(measured.counts.count == 27)
        #expect(measured.counts.values.allSatisfy { $0.values.reduce(0, +) == 200 })
        #expect(measured.others["verified"] == 0 && measured.genuine["blocked"] == 0)
        #expect(measured.counts["twin with an alike name"]?["verified"] == nil)
        #expect(measured.counts["typed as registered"] == ["verified": 200])
        #expect(try #require(measured.genuine["refused"]) < 0.14)
    }
}
