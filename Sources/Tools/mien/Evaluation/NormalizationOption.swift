import ArgumentParser
import MienFace
import MienTools

/// How scores are made, as an option's value.
enum NormalizationOption: String, CaseIterable, ExpressibleByArgument {
    case best, none
    case asNorm = "as-norm"
    case asNormShrunk = "as-norm-shrunk"

    /// `nil` chooses the best.
    var normalization: ScoreNormalization? { ScoreNormalization(rawValue: rawValue) }
}
