import MienFace
import MienTools

/// The result of comparing one photo with enrolled people: match or no match, the threshold, and
/// the photo's quality.
///
/// `mien face verify` and `mien face identify` share it, for people and scripts, and add their own
/// findings.
struct PhotoAnswer<Finding: Encodable>: Encodable {
    let match: Bool
    let capture: LocalFaces.Capture
    let threshold: ThresholdOptions
    /// Its keys are merged with the common ones.
    let finding: Finding

    private enum Key: String, CodingKey { case match, photo, threshold, quality, reasons }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(match, forKey: .match)
        try container.encode(capture.path, forKey: .photo)
        try container.encode(threshold.threshold, forKey: .threshold)
        try container.encode(capture.quality, forKey: .quality)
        try container.encode(capture.reasons, forKey: .reasons)
        try finding.encode(to: encoder)
    }

    /// Prints the answer, as JSON or in `words`, and converts a non-match into its exit code.
    ///
    /// - Throws: ``Outcome/noMatch``.
    func give(_ output: OutputOptions, words: [String]) throws {
        if output.json { JSON.print(self) } else { for line in words { print(line) } }
        if !match { throw Outcome.noMatch }
    }
}
