import MienFace

/// What a command says about one photo that it compared with enrolled people: yes or no, by which
/// threshold, from how good a photo.
///
/// The one outline of `mien face verify` and `mien face identify`, for people and scripts; each
/// command adds what it found.
struct PhotoAnswer<Finding: Encodable>: Encodable {
    let match: Bool
    let capture: LocalFaces.Capture
    let threshold: ThresholdOptions
    /// Its keys stand beside the common ones.
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

    /// Prints the answer, as JSON or in `words`, and turns a no into its exit code.
    ///
    /// - Throws: ``Outcome/noMatch``.
    func give(_ output: OutputOptions, words: [String]) throws {
        if output.json { JSON.print(self) } else { for line in words { print(line) } }
        if !match { throw Outcome.noMatch }
    }
}
