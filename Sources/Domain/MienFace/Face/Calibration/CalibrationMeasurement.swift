/// The data and method behind a ``CalibrationTable``, in enough detail to repeat the measurement.
public struct CalibrationMeasurement: Sendable, Equatable, Codable {
    /// A recognizable name for the photos, such as "lfw-dev".
    public var dataset: String
    /// The model pack's name for the descriptor network.
    public var descriptor: String
    /// The day the table was made, as `yyyy-mm-dd`. The caller supplies it, because this code reads
    /// no clock.
    public var madeOn: String
    public var people: Int
    public var photos: Int
    public var impostorPairs: Int
    public var matedPairs: Int
    public var seed: UInt64
    /// The number of groups into which people were split; 0, like the three numbers below, when
    /// scores are plain cosines. Each pair was scored with a cohort fitted
    /// to people outside both sides' groups.
    public var groups: Int
    public var cohortCount: Int
    public var nearestCount: Int
    public var components: Int
    public var bootstrapRounds: Int
    /// Mated pairs accepted at several rates, measured in the same way.
    public var acceptance: [Acceptance]
    /// The rates of the groups that the table was made for; `nil` if it was made for all people
    /// alike.
    public var groupRates: [GroupRate]?

    /// The rates of one group of people at one score, between two people of the group.
    public struct GroupRate: Sendable, Equatable, Codable {
        /// The way people are grouped, such as "gender".
        public let column: String
        public let group: String
        public let people: Int
        /// The match score, 0…72.
        public let score: Double
        /// 0…1, and the 95 % interval; `nil` without pairs.
        public let falseMatchRate: Double?
        public let falseMatchInterval: [Double]?
        public let impostorPairs: Int
        public let falseNonMatchRate: Double?
        public let falseNonMatchInterval: [Double]?
        public let matedPairs: Int

        public init(
            column: String, group: String, people: Int, score: Double, falseMatchRate: Double?,
            falseMatchInterval: [Double]?, impostorPairs: Int, falseNonMatchRate: Double?,
            falseNonMatchInterval: [Double]?, matedPairs: Int
        ) {
            (self.column, self.group, self.people, self.score) = (column, group, people, score)
            (self.falseMatchRate, self.falseMatchInterval) = (falseMatchRate, falseMatchInterval)
            (self.falseNonMatchRate, self.falseNonMatchInterval) = (
                falseNonMatchRate, falseNonMatchInterval
            )
            (self.impostorPairs, self.matedPairs) = (impostorPairs, matedPairs)
        }
    }

    public struct Acceptance: Sendable, Equatable, Codable {
        public let logRate: Double
        /// 0…1.
        public let trueAcceptRate: Double
        /// The same, counting each person once however many pairs they have; `nil` in tables made
        /// before it was measured.
        public let trueAcceptRatePerPerson: Double?
        /// The rate for the same pairs with plain cosines.
        public let trueAcceptRateRaw: Double
        /// Expected number of impostor pairs at or above this rate: rate × impostor pairs.
        public let support: Int

        public init(
            logRate: Double, trueAcceptRate: Double, trueAcceptRatePerPerson: Double? = nil,
            trueAcceptRateRaw: Double, support: Int
        ) {
            (self.logRate, self.trueAcceptRate) = (logRate, trueAcceptRate)
            self.trueAcceptRatePerPerson = trueAcceptRatePerPerson
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
