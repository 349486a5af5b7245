/// The reason that a person is asked for another picture, or for another document.
public enum RecaptureReason: String, Sendable, CaseIterable {
    /// No document is in the picture.
    case imageMissing = "image_missing"
    case documentExpired = "document_expired"
    /// Nothing on the document can be read by this version.
    case documentNotSupported = "document_not_supported"
    /// The picture is good, but what is printed cannot be read.
    case documentDamaged = "document_damaged"
    case poorImageQuality = "poor_image_quality"

    /// The number by which mobile SDKs know the reason.
    public var number: Int {
        switch self {
        case .imageMissing: 0
        case .documentExpired: 1
        case .documentNotSupported: 2
        case .documentDamaged: 3
        case .poorImageQuality: 4
        }
    }
}
