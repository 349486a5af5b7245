internal import Foundation
public import MienCore

/// The results that `mien face evaluate` reports: accuracy over folds, true accepts at fixed
/// false-match rates, and errors at fixed thresholds.
public struct VerificationEvaluation: Sendable {
    /// True accepts at one false-match rate.
    public struct Figure: Sendable, Equatable {
        /// The requested rate.
        public let falseMatchRate: Double
        public let point: ErrorRates.Point
        /// Impostor pairs expected at this rate. With fewer than ``minSupport``, the figure is an
        /// indication, not a measurement.
        public let expectedFalseMatches: Double
        /// The 95 % interval by bootstrap over people; `nil` if it was not computed.
        public let interval: AcceptanceBootstrap.Interval?

        public var isSupported: Bool { expectedFalseMatches >= VerificationEvaluation.minSupport }
    }

    /// The error rates of one threshold.
    public struct ThresholdRow: Sendable, Equatable {
        public let threshold: MatchScore
        public let point: ErrorRates.Point
    }

    /// Doddington's rule of 30: with 30 errors and independent pairs, the true rate lies within ±30
    /// % with 90 % confidence.
    public static let minSupport = 30.0

    public let rates: ErrorRates
    public let accuracy: FoldAccuracy?
    /// At 1e-2, 1e-3, … 1e-6.
    public let figures: [Figure]
    /// At match scores 12, 18, … 72; empty without a table.
    public let thresholds: [ThresholdRow]

    /// At 1e-2, 1e-3, … 1e-6.
    public static let falseMatchRates = (2...6).map { pow(10, -Double($0)) }

    /// - Parameters:
    ///   - rates: Over all pairs.
    ///   - intervals: For each of ``falseMatchRates``; may be empty.
    ///   - accuracy: Over the folds of a list of pairs, if there is one.
    ///   - calibration: For the threshold rows. Requires normalized scores.
    public init(
        rates: ErrorRates, intervals: [AcceptanceBootstrap.Interval] = [],
        accuracy: FoldAccuracy? = nil, calibration: CalibrationTable? = nil
    ) {
        (self.rates, self.accuracy) = (rates, accuracy)
        figures = Self.falseMatchRates.enumerated().map { k, rate in
            Figure(
                falseMatchRate: rate, point: rates.point(falseMatchRate: rate),
                expectedFalseMatches: rate * Double(rates.impostorPairs),
                interval: intervals.indices.contains(k) ? intervals[k] : nil)
        }
        thresholds =
            calibration.map { table in
                stride(from: 12.0, through: 72, by: 6).map { value in
                    ThresholdRow(
                        threshold: MatchScore(value),
                        point: rates.point(threshold: table.minScore(for: MatchScore(value))))
                }
            } ?? []
    }
}

extension PairScorer {
    /// Returns the accuracy over the folds of `list`. `photo` returns a photo's number in the set,
    /// or `nil` when it is missing.
    ///
    /// - Throws: ``MissingPhotos`` when photos of the list are missing from the set.
    public func accuracy(over list: PairList, photo: (PairList.Photo) -> Int?) throws(MissingPhotos)
        -> FoldAccuracy
    {
        let missing = list.pairs.flatMap { [$0.first, $0.second] }.filter { photo($0) == nil }
        guard missing.isEmpty else { throw MissingPhotos(photos: missing) }
        return FoldAccuracy(
            folds: list.folds.map { fold in
                fold.map { pair in
                    FoldAccuracy.Trial(
                        score: score(photo(pair.first)!, photo(pair.second)!), isMated: pair.isMated
                    )
                }
            })
    }
}

/// Photos that a list of pairs names but the set lacks, because the file is missing or no face was
/// found.
public struct MissingPhotos: Error, Equatable, Sendable {
    public let photos: [PairList.Photo]

    public init(photos: [PairList.Photo]) { self.photos = photos }
}
