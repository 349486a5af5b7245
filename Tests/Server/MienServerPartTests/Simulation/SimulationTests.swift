import Foundation
import MienSimulation
import MienTesting
import Testing

/// Simulates three servers on one store. `MIEN_HISTORIES` sets the number of histories;
/// `scripts/prove` checks 30,000.
///
/// After a failure, `MIEN_SEED=<seed> MIEN_HISTORIES=1` repeats its history.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let histories = environment["MIEN_HISTORIES"].flatMap { Int($0) } ?? 500
    /// Threads of the long proof.
    private static let threads = histories > 1000 ? ProcessInfo.processInfo.activeProcessorCount : 1

    @Test func `histories of three servers show nothing wrong, whatever fails`() async throws {
        let first = TestSeed.value, began = ContinuousClock.now
        let totals = try await withThrowingTaskGroup(of: Totals.self) { group in
            for thread in 0..<Self.threads {
                group.addTask {
                    let stage = try await SimulationStage()
                    return try await onThread {
                        var totals = Totals()
                        for number in stride(from: thread, to: Self.histories, by: Self.threads) {
                            let seed = first &+ UInt64(number)
                            let report = try SimulatedTrial(seed: seed).run(on: stage)
                            totals.add(report)
                            if let violation = report.violation {
                                Issue.record("seed \(seed): \(violation)")
                                if totals.violations == 3 { break }
                            }
                        }
                        return totals
                    }
                }
            }
            return try await group.reduce(into: Totals()) { $0.add($1) }
        }
        let seconds = (ContinuousClock.now - began).components.seconds
        print(
            "\(totals.histories) histories in \(seconds) s, \(totals.calls) calls, \(totals.answers) of them answered, \(totals.violations) violations"
        )
        #expect(totals.violations == 0)
        #expect(totals.histories == Self.histories)
        #expect(totals.answers > 10 * totals.histories, "the clients were answered")
        #expect(totals.answers < totals.calls, "answers were lost")
    }

    @Test func `a seed repeats every step`() async throws {
        let stage = try await SimulationStage(), other = try await SimulationStage()
        try await onThread {
            var digests: Set<UInt64> = []
            for seed in 1...20 as ClosedRange<UInt64> {
                let trial = SimulatedTrial(seed: seed, traces: true)
                let first = try trial.run(on: stage), again = try trial.run(on: other)
                #expect(first.digest == again.digest && first.trace == again.trace)
                #expect(!first.trace.isEmpty)
                digests.insert(first.digest)
            }
            #expect(digests.count == 20, "each seed is another history")
        }
    }

    @Test(arguments: SeededBug.allCases)
    func `a seeded bug is found, and its seed shows it again`(bug: SeededBug) async throws {
        let stage = try await SimulationStage()
        try await onThread {
            for seed in 1...600 as ClosedRange<UInt64> {
                let trial = SimulatedTrial(seed: seed, bug: bug, seeking: bug)
                let report = try trial.run(on: stage)
                guard let violation = report.violation else { continue }
                let again = try trial.run(on: stage)
                #expect(again.violation == violation && again.digest == report.digest)
                // The same seed finds nothing wrong with the server's own code.
                let right = SimulatedTrial(seed: seed, seeking: bug)
                #expect(try right.run(on: stage).violation == nil)
                return
            }
            Issue.record("600 histories did not show \(bug)")
        }
    }

    private struct Totals: Sendable {
        var histories = 0, calls = 0, answers = 0, violations = 0

        mutating func add(_ report: SimulatedTrial.Report) {
            histories += 1
            calls += report.calls
            answers += report.answers
            if report.violation != nil { violations += 1 }
        }

        mutating func add(_ other: Totals) {
            histories += other.histories
            calls += other.calls
            answers += other.answers
            violations += other.violations
        }
    }
}

/// Runs `body` on a thread outside of Swift's tasks, as a world needs.
private func onThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output)
    async throws -> Output
{
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
