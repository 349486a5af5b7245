/// The reason that a person is asked for another picture, or for another document.
public enum RecaptureReason: String, WireWord {
    /// The picture shows no document, or no face, or is not a picture.
    case imageMissing = "image_missing"
    case documentExpired = "document_expired"
    /// Nothing on the document can be read by this version.
    case documentNotSupported = "document_not_supported"
    /// The picture is good, but what is printed cannot be read.
    case documentDamaged = "document_damaged"
    case poorImageQuality = "poor_image_quality"

    /// The spelling in verification sessions, which mobile SDKs know: `docExpired` for
    /// `document_expired`.
    public var sessionWord: String {
        let words = rawValue.split(separator: "_").map(String.init)
        let others = words.dropFirst().map { $0.prefix(1).uppercased() + String($0.dropFirst()) }
        return (words[0] == "document" ? "doc" : words[0]) + others.joined()
    }
}
