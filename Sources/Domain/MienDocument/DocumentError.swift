public import MienCore

/// The reason that text is not a machine-readable zone or a card's barcode, and what is allowed.
/// Repeats nothing that the document says.
///
/// A wrong check digit or an expired document does not throw: checks return a verdict.
public struct DocumentError: CodedError {
    /// Stable codes: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The number or the lengths of the lines match no format.
        case zoneSize = "mrz.size"
        /// A character other than 0–9, A–Z, and `<`.
        case zoneCharacter = "mrz.character"
        /// The first letter does not name a kind of document that has the format.
        case zoneType = "mrz.type"
        /// The header is missing, incomplete, or malformed.
        case cardHeader = "aamva.header"
        /// A subfile is not where the directory says, or is malformed.
        case cardSubfile = "aamva.subfile"
        /// A data element is malformed, occurs twice, or is missing.
        case cardElement = "aamva.element"
        /// The text is longer than a barcode can be.
        case cardSize = "aamva.size"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
