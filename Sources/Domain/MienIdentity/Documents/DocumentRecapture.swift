public import MienCore

/// A picture of an attempt with a document.
public enum DocumentPicture: String, WireWord {
    case front, back, face
}

/// The request for another picture, or for another document.
public struct DocumentRecapture: Sendable, Hashable, Codable {
    /// The reason, as mobile SDKs know it.
    public enum Reason: String, WireWord {
        /// The picture shows no document, or no face, or is not a picture.
        case imageMissing = "image_missing"
        case documentExpired = "document_expired"
        case documentNotSupported = "document_not_supported"
        case documentDamaged = "document_damaged"
        case poorImageQuality = "poor_image_quality"
    }

    public let image: DocumentPicture
    public let reason: Reason
    /// The faults of the picture, such as `blurred`, `glare`, or `several_documents`, and for faces
    /// reasons such as `tooDark`. The one to mention is first.
    public let hints: [String]

    public init(_ image: DocumentPicture, _ reason: Reason, hints: [String] = []) {
        (self.image, self.reason, self.hints) = (image, reason, hints)
    }
}
