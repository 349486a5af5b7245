import MienFace

extension FaceMatcher {
    /// Returns a matcher with a synthetic cohort and a calibration made up for tests.
    public static func made(dimension: Int = 20) throws -> FaceMatcher {
        FaceMatcher(
            cohort: try Cohort.made(dimension: dimension).0,
            calibration: try CalibrationTable.made([(-2, -1), (3, -2), (6, -3), (12, -6)]))
    }
}

extension Cohort {
    /// Returns a cohort of random directions, and the directions.
    public static func made(
        count: Int = 200, dimension: Int = 20, nearest: Int = 10, seed: UInt64 = 1
    ) throws -> (Cohort, [[Float]]) {
        var people = SyntheticPeople(seed: seed, dimension: dimension)
        let members = (0..<count).map { _ in people.direction().map { Float($0) } }
        return (try Cohort(members: members, nearestCount: nearest), members)
    }
}

extension CalibrationTable {
    /// Returns a table through pairs of a raw score and the logarithm of its rate, with made-up
    /// measurement details.
    public static func made(
        _ knots: [(Double, Double)], normalization: ScoreNormalization = .asNorm,
        typicalDeviation: Float? = nil
    ) throws -> CalibrationTable {
        try CalibrationTable(
            knots: knots.map { score, logRate in
                Knot(
                    score: score, logRate: logRate, support: 30,
                    interval: [logRate - 0.1, min(0, logRate + 0.1)], isExtrapolated: false)
            }, measurement: .made, normalization: normalization,
            typicalDeviation: typicalDeviation)
    }
}

extension CalibrationMeasurement {
    fileprivate static let made = CalibrationMeasurement(
        dataset: "made up", descriptor: "none", madeOn: "2026-01-02", people: 3, photos: 4,
        impostorPairs: 5, matedPairs: 1, seed: .max, groups: 3,
        cohortCount: 10, nearestCount: 2, components: 1, bootstrapRounds: 0,
        acceptance: [.init(logRate: -2, trueAcceptRate: 0.5, trueAcceptRateRaw: 0.25, support: 0)])
}
