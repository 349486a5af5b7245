public import MienCalibration
internal import MienCore
internal import MienFace

/// The results of an evaluation, for people and for scripts.
public struct EvaluationReport {
    public let evaluation: VerificationEvaluation
    package let rejection: QualityRejection
    package let photos: Int
    package let people: Int
    package let faceless: [String]
    package let unreadable: [String]
    package let isCrossFitted: Bool

    package var text: String {
        var parts = [
            "\(photos.grouped) photos of \(people.grouped) people"
                + (isCrossFitted ? "; every pair scored with a cohort of other people" : "")
        ]
        if !faceless.isEmpty {
            parts.append(
                "\(faceless.count) without a face: \(faceless.prefix(5).joined(separator: ", "))\(faceless.count > 5 ? " …" : "")"
            )
        }
        for reason in unreadable.prefix(5) { parts.append("skipped: \(reason)") }
        parts.append(evaluation.report)
        let rows = rejection.rows.map { row in
            [
                "\(String.decimal(100 * row.rejected, 0)) %", "\(row.minQuality)",
                row.matedPairs.grouped,
                "\(String.decimal(100 * row.falseNonMatchRate, 2)) %",
            ]
        }
        parts.append(
            Terminal.table(
                rows,
                heading: [
                    "worst photos refused", "minimum quality", "mated pairs",
                    "false non-matches at \(Int(rejection.threshold.value))",
                ],
                rightAligned: [0, 1, 2, 3]))
        return parts.joined(separator: "\n")
    }

    package var json: Output {
        Output(
            photos: photos, people: people, faceless: faceless, unreadable: unreadable,
            crossFitted: isCrossFitted,
            impostorPairs: evaluation.rates.impostorPairs, matedPairs: evaluation.rates.matedPairs,
            equalErrorRate: evaluation.rates.equalErrorRate,
            accuracy: evaluation.accuracy.map {
                .init(mean: $0.mean, standardError: $0.standardError, perFold: $0.perFold)
            },
            trueAccepts: evaluation.figures.map {
                .init(
                    falseMatchRate: $0.falseMatchRate, trueAcceptRate: $0.point.trueAcceptRate,
                    threshold: $0.point.threshold,
                    expectedFalseMatches: $0.expectedFalseMatches, supported: $0.isSupported)
            },
            thresholds: evaluation.thresholds.map {
                .init(
                    score: $0.threshold.value, falseMatchRate: $0.point.falseMatchRate,
                    falseNonMatchRate: 1 - $0.point.trueAcceptRate)
            },
            quality: rejection.rows.map {
                .init(
                    rejected: $0.rejected, minQuality: $0.minQuality, matedPairs: $0.matedPairs,
                    falseNonMatchRate: $0.falseNonMatchRate)
            })
    }

    package struct Output: Encodable {
        struct Accuracy: Encodable {
            let mean, standardError: Double
            let perFold: [Double]
        }
        struct TrueAccepts: Encodable {
            let falseMatchRate, trueAcceptRate, threshold, expectedFalseMatches: Double
            let supported: Bool
        }
        struct Threshold: Encodable {
            let score, falseMatchRate, falseNonMatchRate: Double
        }
        struct Quality: Encodable {
            let rejected: Double
            let minQuality, matedPairs: Int
            let falseNonMatchRate: Double
        }
        let photos, people: Int
        let faceless, unreadable: [String]
        let crossFitted: Bool
        let impostorPairs, matedPairs: Int
        let equalErrorRate: Double
        let accuracy: Accuracy?
        let trueAccepts: [TrueAccepts]
        let thresholds: [Threshold]
        let quality: [Quality]
    }
}
