internal import Foundation
internal import MienCore
public import MienFace

/// The results of an evaluation, for people and for scripts.
public struct EvaluationReport {
    public let evaluation: VerificationEvaluation
    package let rejection: QualityRejection
    package let photos: Int
    package let people: Int
    package let faceless: [String]
    package let unreadable: [String]
    package let isCrossFitted: Bool
    package let normalization: ScoreNormalization
    /// Set if the normalization was chosen.
    package let compared: NormalizationComparison?
    /// For templates of 1, 2, and 4 photos, as far as people have enough.
    package let templates: [TemplateRates]
    /// For each column of groups and each threshold.
    package let groups: [GroupRates]

    package var text: String {
        var parts = [
            "\(photos.grouped) photos of \(people.grouped) people"
                + (isCrossFitted && normalization.usesCohort
                    ? "; every pair scored with a cohort of other people" : "")
                + "; normalization: \(normalization.rawValue)"
        ]
        if let compared { parts.append(Self.text(compared)) }
        if !faceless.isEmpty {
            parts.append(
                "\(faceless.count) without a face: \(faceless.prefix(5).joined(separator: ", "))\(faceless.count > 5 ? " …" : "")"
            )
        }
        for reason in unreadable.prefix(5) { parts.append("skipped: \(reason)") }
        parts.append(evaluation.report)
        if !templates.isEmpty { parts.append(Self.text(templates)) }
        parts += groups.map { Self.text($0) }
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

    /// The part of mated pairs that each way to make scores accepts, counting each person once.
    package static func text(_ compared: NormalizationComparison) -> String {
        Terminal.table(
            compared.entries.map { entry in
                [entry.normalization.rawValue]
                    + NormalizationComparison.rates.map {
                        let point = entry.rates.point(falseMatchRate: $0)
                        return "\(String.decimal(100 * point.trueAcceptRatePerPerson, 2)) %"
                    } + ["\(String.decimal(100 * compared.merit(of: entry), 2)) %"]
            },
            heading: ["true accepts per person at", "1e-4", "1e-5", "1e-6", "mean where measured"],
            rightAligned: [1, 2, 3, 4]) + "\n"
    }

    private static func text(_ templates: [TemplateRates]) -> String {
        Terminal.table(
            templates.flatMap { template in
                template.rows.map { row in
                    [
                        "\(template.photos)", template.people.grouped,
                        String.decimal(row.threshold.value, 0),
                        "\(String.decimal(100 * row.trueAcceptRate, 2)) %",
                        "\(String.decimal(100 * row.trueAcceptRatePerPerson, 2)) %",
                        String(format: "%.1e", row.falseMatchRate),
                    ]
                }
            },
            heading: [
                "photos in a template", "people", "threshold", "true accepts", "per person",
                "false-match rate",
            ], rightAligned: [0, 1, 2, 3, 4, 5]) + "\n"
    }

    /// A table of groups, with the ratios below it.
    package static func text(_ rates: GroupRates) -> String {
        func words(_ rate: GroupRates.Rate?) -> [String] {
            guard let rate else { return ["–", "0"] }
            let ends = rate.interval.map { String(format: "%.2g", $0) }.joined(separator: "…")
            return ["\(String(format: "%.2g", rate.value)) (\(ends))", rate.comparisons.grouped]
        }
        func line(_ name: String, _ ratio: GroupRates.Ratio?) -> String? {
            guard let ratio else { return nil }
            let ends = ratio.interval.map {
                " (" + $0.map { String.decimal($0, 2) }.joined(separator: "…") + ")"
            }
            let value =
                ratio.value.map { String.decimal($0, 2) + (ends ?? " (interval not measurable)") }
                ?? "not measurable, because \(ratio.best) has none"
            return "\(name), \(ratio.worst) to \(ratio.best): \(value)"
        }
        let table = Terminal.table(
            rates.groups.map {
                [$0.name, $0.people.grouped] + words($0.falseNonMatches) + words($0.falseMatches)
            },
            heading: [
                "\(rates.column), at \(String.decimal(rates.threshold.value, 0))", "people",
                "false non-matches (95 %)", "mated pairs", "false matches (95 %)",
                "impostor pairs",
            ], rightAligned: [1, 2, 3, 4, 5])
        let lines = [
            line("worst-to-best ratio of false non-matches", rates.falseNonMatchRatio),
            line("worst-to-best ratio of false matches", rates.falseMatchRatio),
        ].compactMap { $0 }
        return ([table] + lines).joined(separator: "\n") + "\n"
    }

    package var json: Output {
        Output(
            photos: photos, people: people, faceless: faceless, unreadable: unreadable,
            crossFitted: isCrossFitted, normalization: normalization.rawValue,
            impostorPairs: evaluation.rates.impostorPairs, matedPairs: evaluation.rates.matedPairs,
            equalErrorRate: evaluation.rates.equalErrorRate,
            accuracy: evaluation.accuracy.map {
                .init(mean: $0.mean, standardError: $0.standardError, perFold: $0.perFold)
            },
            trueAccepts: evaluation.figures.map {
                .init(
                    falseMatchRate: $0.falseMatchRate, trueAcceptRate: $0.point.trueAcceptRate,
                    interval: $0.interval?.trueAcceptRate,
                    perPerson: $0.point.trueAcceptRatePerPerson,
                    perPersonInterval: $0.interval?.trueAcceptRatePerPerson,
                    threshold: $0.point.threshold,
                    expectedFalseMatches: $0.expectedFalseMatches, supported: $0.isSupported)
            },
            thresholds: evaluation.thresholds.map {
                .init(
                    score: $0.threshold.value, falseMatchRate: $0.point.falseMatchRate,
                    falseNonMatchRate: 1 - $0.point.trueAcceptRate)
            },
            templates: templates.flatMap { template in
                template.rows.map {
                    .init(
                        photos: template.photos, people: template.people,
                        score: $0.threshold.value, trueAcceptRate: $0.trueAcceptRate,
                        perPerson: $0.trueAcceptRatePerPerson, falseMatchRate: $0.falseMatchRate)
                }
            },
            groups: groups.map { .init($0) },
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
            let falseMatchRate, trueAcceptRate: Double
            let interval: [Double]?
            let perPerson: Double
            let perPersonInterval: [Double]?
            let threshold, expectedFalseMatches: Double
            let supported: Bool
        }
        struct Template: Encodable {
            let photos, people: Int
            let score, trueAcceptRate, perPerson, falseMatchRate: Double
        }
        struct GroupRate: Encodable {
            let rate: Double
            let interval: [Double]
            let errors, comparisons: Int

            init(_ rate: GroupRates.Rate) {
                (self.rate, interval) = (rate.value, rate.interval)
                (errors, comparisons) = (rate.errors, rate.comparisons)
            }
        }
        struct GroupRatio: Encodable {
            let worst, best: String
            let ratio: Double?
            let interval: [Double]?

            init(_ ratio: GroupRates.Ratio) {
                (worst, best, self.ratio, interval) = (
                    ratio.worst, ratio.best, ratio.value, ratio.interval
                )
            }
        }
        struct Group: Encodable {
            let group: String
            let people: Int
            let falseNonMatches, falseMatches: GroupRate?
        }
        struct Groups: Encodable {
            let column: String
            let score: Double
            let groups: [Group]
            let falseNonMatchRatio, falseMatchRatio: GroupRatio?

            init(_ rates: GroupRates) {
                (column, score) = (rates.column, rates.threshold.value)
                groups = rates.groups.map {
                    Group(
                        group: $0.name, people: $0.people,
                        falseNonMatches: $0.falseNonMatches.map { .init($0) },
                        falseMatches: $0.falseMatches.map { .init($0) })
                }
                falseNonMatchRatio = rates.falseNonMatchRatio.map { .init($0) }
                falseMatchRatio = rates.falseMatchRatio.map { .init($0) }
            }
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
        let normalization: String
        let impostorPairs, matedPairs: Int
        let equalErrorRate: Double
        let accuracy: Accuracy?
        let trueAccepts: [TrueAccepts]
        let thresholds: [Threshold]
        let templates: [Template]
        let groups: [Groups]
        let quality: [Quality]
    }
}
