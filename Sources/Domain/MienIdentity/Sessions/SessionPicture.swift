public import MienCore

/// A picture that a verification session needs.
public enum SessionPicture: String, WireWord, Comparable {
    case documentFront = "document_front"
    /// A series of pictures of the front while it is tilted.
    case documentTilt = "document_tilt"
    case documentBack = "document_back"
    /// The face, from a live capture.
    case selfie

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    /// The order in which people take them.
    private var rank: Int {
        switch self {
        case .documentFront: 0
        case .documentTilt: 1
        case .documentBack: 2
        case .selfie: 3
        }
    }

    public var isOfDocument: Bool { self != .selfie }
}

/// A part that a relying party asks to be captured.
public enum SessionPart: String, WireWord {
    case document, selfie
    /// The document is tilted, so that its reflections move. Only together with ``document``.
    case documentLive = "document_live"
}

/// A request for another picture.
public struct SessionRecapture: Sendable, Hashable, Codable {
    public let picture: SessionPicture
    public let reasons: [RecaptureReason]
    /// Words such as `blurred`, the one to mention first; `nil` for none.
    public let hints: [String]?

    public init(picture: SessionPicture, reasons: [RecaptureReason], hints: [String]? = nil) {
        (self.picture, self.reasons, self.hints) = (picture, reasons, hints)
    }
}

/// The kind of document that a person says they have.
public struct SessionDocument: Sendable, Hashable, Codable {
    public let country: DocumentIssuer
    public let type: IdentityDocumentType

    public init(country: DocumentIssuer, type: IdentityDocumentType) {
        (self.country, self.type) = (country, type)
    }

    public var pictures: Set<SessionPicture> {
        let sides = DocumentCoverage(type, from: country)?.sides.keys.map { $0 } ?? [.front, .back]
        return Set(sides.map { $0 == .front ? .documentFront : .documentBack })
    }
}
