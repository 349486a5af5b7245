import MienCore
import MienJourney
import MienStore
import Testing

@testable import MienServer

@Suite struct RecentRunsTests {
    private static let start = Instant(milliseconds: 1_800_000_000_000)
    private static let definition = try! JourneyDefinition(
        JSONText.parse(SampleJourneys.passwordLogin))

    private func keep(
        _ id: String, in runs: RecentRuns, seconds: Int = 60, state: Int = 10, answer: Int? = nil
    ) throws -> InstanceID {
        let definition = Self.definition
        let id = try #require(InstanceID("run_\(id)")), app = try #require(AppID("app_shop"))
        let used = answer.map {
            JourneyRunRecord.Used(
                tokenHash: [1], requestHash: [2],
                answer: Sensitive([UInt8](repeating: 0, count: $0)))
        }
        let record = JourneyRunRecord(
            id: id, app: app, journey: definition.id, tokenHash: [0], used: used,
            state: Sensitive([UInt8](repeating: 0, count: state)),
            expiresAt: Self.start + .seconds(seconds))
        runs.keep(
            record,
            RunState(instance: JourneyInstance(id: id, of: definition, app: app, at: Self.start)))
        return id
    }

    @Test func `sweeping removes expired runs from both generations and keeps the rest`() throws {
        let runs = RecentRuns()
        var kept: [InstanceID] = [], gone: [InstanceID] = []
        // Half of these fill the older generation.
        for index in 0..<RecentRuns.maxRuns / 2 + 20 {
            if index.isMultiple(of: 2) {
                kept.append(try keep("k\(index)", in: runs, seconds: 61))
            } else {
                gone.append(try keep("g\(index)", in: runs, seconds: 60))
            }
        }
        #expect((kept + gone).allSatisfy { runs.find($0) != nil })
        runs.sweep(at: Self.start + .seconds(60))
        #expect(kept.allSatisfy { runs.find($0) != nil })
        #expect(
            gone.allSatisfy { runs.find($0) == nil }, "a run expires exactly at its expiry time")
    }

    @Test
    func
        `a run that grows too large with its last answer is removed from the cache`()
        throws
    {
        let runs = RecentRuns(), most = RecentRuns.maxBytes
        let small = try keep("a", in: runs, state: most - 10, answer: 10)
        #expect(runs.find(small) != nil)
        _ = try keep("a", in: runs, state: most - 10, answer: 11)
        #expect(runs.find(small) == nil)
    }
}
