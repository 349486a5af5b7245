/// What a ``CalibrationTable`` was measured on, and how: enough to repeat it.
public struct CalibrationMeasurement: Sendable, Equatable, Codable {
    /// A name people know the photos by, such as "lfw-dev".
    public var dataset: String
    /// The model pack's name for the descriptor network.
    public var descriptor: String
    /// The day it was made, as `yyyy-mm-dd`; given by the caller, who has a clock.
    public var madeOn: String
    public var people: Int
    public var photos: Int
    public var impostorPairs: Int
    public var matedPairs: Int
    public var seed: UInt64
    /// People were split into so many groups; each pair was scored with a cohort fitted on people
    /// of neither side's group.
    public var groups: Int
    public var cohortCount: Int
    public var nearestCount: Int
    public var components: Int
    public var bootstrapRounds: Int
    /// Mated pairs accepted at a few rates, measured the same way.
    public var acceptance: [Acceptance]

    public struct Acceptance: Sendable, Equatable, Codable {
        public let logRate: Double
        /// 0…1.
        public let trueAcceptRate: Double
        /// The same pairs by plain cosine.
        public let trueAcceptRateRaw: Double
        /// Impostor pairs expected at or above this rate: rate × impostor pairs.
        public let support: Int

        public init(
            logRate: Double, trueAcceptRate: Double, trueAcceptRateRaw: Double, support: Int
        ) {
            (self.logRate, self.trueAcceptRate) = (logRate, trueAcceptRate)
            (self.trueAcceptRateRaw, self.support) = (trueAcceptRateRaw, support)
        }
    }

    public init(
        dataset: String, descriptor: String, madeOn: String, people: Int, photos: Int,
        impostorPairs: Int, matedPairs: Int, seed: UInt64,
        groups: Int, cohortCount: Int, nearestCount: Int, components: Int, bootstrapRounds: Int,
        acceptance: [Acceptance]
    ) {
        (self.dataset, self.descriptor, self.madeOn, self.people, self.photos) = (
            dataset, descriptor, madeOn, people, photos
        )
        (self.impostorPairs, self.matedPairs, self.seed, self.groups) = (
            impostorPairs, matedPairs, seed, groups
        )
        (self.cohortCount, self.nearestCount, self.components) = (
            cohortCount, nearestCount, components
        )
        (self.bootstrapRounds, self.acceptance) = (bootstrapRounds, acceptance)
    }
}
