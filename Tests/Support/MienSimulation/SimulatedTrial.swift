import MienStore

/// One history: clients, three servers, the store, and everything that goes wrong, all from a seed.
public struct SimulatedTrial: Sendable {
    /// The findings of a trial.
    public struct Report: Sendable {
        public let seed: UInt64
        /// Describes the fault, with the calls that show it; `nil` if there is none.
        public let violation: String?
        /// A hash of everything that happened. The same seed gives the same.
        public let digest: UInt64
        /// The calls of all histories, and those that were answered.
        public let calls: Int
        public let answers: Int
        /// The events, if they were asked for.
        public let trace: [String]
    }

    let seed: UInt64
    let bug: SeededBug?
    let sought: SeededBug?
    let traces: Bool

    /// - Parameters:
    ///   - bug: The mistake that the servers make.
    ///   - sought: The mistake that the trial should show. With a mistake in live captures, all
    ///     calls are about these.
    public init(
        seed: UInt64, bug: SeededBug? = nil, seeking sought: SeededBug? = nil, traces: Bool = false
    ) {
        (self.seed, self.bug, self.sought, self.traces) = (seed, bug, sought, traces)
    }

    /// Runs the trial on a thread of its own, outside of Swift's tasks.
    public func run(on stage: SimulationStage) throws -> Report {
        let world = SimulatedWorld(seed: seed, traces: traces)
        try stage.enter(world)
        defer { try? stage.leave() }
        let play = SimulatedPlay(world: world, stage: stage, bug: bug, sought: sought)
        try stage.database.write(.always) {
            try play.prepare(stage.servers[0].store.tables(on: $0))
        }
        play.start()
        world.run()
        // Nothing is under way any more: each call has taken effect, or never will.
        stage.store.enter(nil)
        let violation = try play.finish()
        return Report(
            seed: seed, violation: violation, digest: world.digest, calls: play.calls,
            answers: play.answers, trace: world.trace)
    }
}
