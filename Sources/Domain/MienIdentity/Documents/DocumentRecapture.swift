public import MienCore

/// A picture of an attempt with a document.
public enum DocumentPicture: String, WireWord {
    case front, back, face
}

/// The request for another picture, or for another document.
public struct DocumentRecapture: Sendable, Hashable, Codable {
    public let image: DocumentPicture
    public let reason: RecaptureReason
    /// Words for what to do differently: the faults of the picture, such as `blurred`, `glare`, or
    /// `several_documents`, for faces reasons such as `tooDark`, and ``sameSide``, ``otherType``,
    /// ``otherCountry``. The one to mention is first.
    public let hints: [String]

    /// The other picture shows this side, too.
    public static let sameSide = "same_side"
    /// The document is of another type, or from another country, than was chosen.
    public static let otherType = "other_type", otherCountry = "other_country"

    public init(_ image: DocumentPicture, _ reason: RecaptureReason, hints: [String] = []) {
        (self.image, self.reason, self.hints) = (image, reason, hints)
    }
}
