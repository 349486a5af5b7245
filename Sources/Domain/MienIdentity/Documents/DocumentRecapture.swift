public import MienCore

/// A picture of an attempt with a document.
public enum DocumentPicture: String, WireWord {
    case front, back, face
}

/// The request for another picture, or for another document.
public struct DocumentRecapture: Sendable, Hashable, Codable {
    public let image: DocumentPicture
    public let reason: RecaptureReason
    /// The faults of the picture, such as `blurred`, `glare`, or `several_documents`, and for faces
    /// reasons such as `tooDark`. The one to mention is first.
    public let hints: [String]

    public init(_ image: DocumentPicture, _ reason: RecaptureReason, hints: [String] = []) {
        (self.image, self.reason, self.hints) = (image, reason, hints)
    }
}
