/// The sex that a document states.
public enum Sex: String, Sendable, CaseIterable {
    case female, male
    /// Stated as neither: `X` or `<` in a machine-readable zone, 9 in a barcode.
    case unspecified
}
