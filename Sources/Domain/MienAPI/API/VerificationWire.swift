public import MienIdentity

/// A request of a relying party for a verification session: `POST /verify/api/v1/verification`.
public struct VerificationSessionRequest: Codable, Sendable, Hashable {
    /// Where the hosted page returns to, with `sessionId` and `state` as parameters.
    public var callbackURL: String?
    public var state: String?
    /// Such as `30m`, `1h`, or `2d`; at least five minutes and at most seven days. One hour if absent.
    public var timeToLive: String?
    /// The parts to capture. A document and a selfie if absent.
    public var required: [SessionPart]?
    /// Only where the simulator is a source.
    public var mockBehavior: MockBehavior?

    /// The outcome of a session that is not judged; its pictures are ignored.
    public struct MockBehavior: Codable, Sendable, Hashable {
        public var recommendation: IdentityRecommendation
        public init(_ recommendation: IdentityRecommendation) {
            self.recommendation = recommendation
        }
    }

    public init(
        callbackURL: String? = nil, state: String? = nil, timeToLive: String? = nil,
        required: [SessionPart]? = nil, mockBehavior: MockBehavior? = nil
    ) {
        (self.callbackURL, self.state, self.timeToLive) = (callbackURL, state, timeToLive)
        (self.required, self.mockBehavior) = (required, mockBehavior)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case callbackURL = "callback_url", state, timeToLive = "time_to_live", required
        case mockBehavior = "mock_behavior"
    }
}

/// A new verification session. Shown once, because only the hash of the token is stored.
public struct NewVerificationSession: Codable, Sendable, Hashable {
    public var sessionID: String
    /// The credential of the capturing side.
    public var startToken: String
    /// Milliseconds since 1970.
    public var expiration: Int64
    public var missingImages: [WireValue<SessionPicture>]
    /// A link to the hosted page, which works once.
    public var url: String

    public init(
        sessionID: String, startToken: String, expiration: Int64,
        missingImages: [WireValue<SessionPicture>], url: String
    ) {
        (self.sessionID, self.startToken, self.expiration) = (sessionID, startToken, expiration)
        (self.missingImages, self.url) = (missingImages, url)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionID = "session_id", startToken = "start_token", expiration
        case missingImages = "missing_images", url
    }
}

/// A verification session as its capturing side sees it: `GET /v1/verification/session`.
public struct VerificationSessionAnswer: Codable, Sendable, Hashable {
    /// The text that the person has to consent to.
    public struct Consent: Codable, Sendable, Hashable {
        public var content, language, version: String
        public init(content: String, language: String, version: String) {
            (self.content, self.language, self.version) = (content, language, version)
        }
    }

    /// A picture that must be taken again.
    public struct Recapture: Codable, Sendable, Hashable {
        public var image: WireValue<SessionPicture>
        /// Words such as `poorImageQuality`.
        public var reasons: [String]
        /// Words such as `blurred`, the one to mention first; absent if there are none.
        public var hints: [String]?
        public init(image: WireValue<SessionPicture>, reasons: [String], hints: [String]? = nil) {
            (self.image, self.reasons, self.hints) = (image, reasons, hints)
        }
    }

    public var sessionID: String
    public var status: WireValue<VerificationSession.Status>
    public var appName: String
    /// Milliseconds since 1970.
    public var expiresAt: Int64
    /// Absent once given, or if none is needed.
    public var consent: Consent?
    /// In the order in which to take them.
    public var missingImages: [WireValue<SessionPicture>]
    public var required: [WireValue<SessionPart>]
    /// The document that was chosen.
    public var country: String?
    public var documentType: WireValue<IdentityDocumentType>?
    /// The documents that can be chosen.
    public var supportedCountries: [String]
    public var supportedDocumentTypes: [WireValue<IdentityDocumentType>]
    /// Which types can be chosen for which countries.
    public var supportedDocuments: [SupportedDocument]
    public var recapture: Recapture?
    /// Where to return to, with the parameters `sessionId` and `state`.
    public var callbackURL: String?

    public init(
        sessionID: String, status: WireValue<VerificationSession.Status>, appName: String,
        expiresAt: Int64, consent: Consent? = nil, missingImages: [WireValue<SessionPicture>],
        required: [WireValue<SessionPart>], country: String? = nil,
        documentType: WireValue<IdentityDocumentType>? = nil, supportedCountries: [String],
        supportedDocumentTypes: [WireValue<IdentityDocumentType>],
        supportedDocuments: [SupportedDocument], recapture: Recapture? = nil,
        callbackURL: String? = nil
    ) {
        (self.sessionID, self.status, self.appName) = (sessionID, status, appName)
        (self.expiresAt, self.consent, self.missingImages) = (expiresAt, consent, missingImages)
        (self.required, self.country, self.documentType) = (required, country, documentType)
        self.supportedCountries = supportedCountries
        self.supportedDocumentTypes = supportedDocumentTypes
        self.supportedDocuments = supportedDocuments
        (self.recapture, self.callbackURL) = (recapture, callbackURL)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionID = "session_id", status, appName = "app_name", expiresAt = "expires_at"
        case consent, missingImages = "missing_images", required, country
        case documentType = "document_type", supportedCountries = "supported_countries"
        case supportedDocumentTypes = "supported_document_types"
        case supportedDocuments = "supported_documents", recapture
        case callbackURL = "callback_url"
    }
}

/// A type of documents that can be chosen, and the countries whose documents of it are read.
public struct SupportedDocument: Codable, Sendable, Hashable {
    public var documentType: WireValue<IdentityDocumentType>
    /// ISO 3166-1 alpha-2, sorted.
    public var countries: [String]

    public init(documentType: WireValue<IdentityDocumentType>, countries: [String]) {
        (self.documentType, self.countries) = (documentType, countries)
    }

    private enum CodingKeys: String, CodingKey { case documentType = "document_type", countries }
}

/// The document that will be photographed: `POST /v1/verification/document`.
public struct VerificationDocumentRequest: Codable, Sendable, Hashable {
    /// ISO 3166-1 alpha-2, one of the supported countries.
    public var country: String
    public var documentType: IdentityDocumentType

    public init(country: String, documentType: IdentityDocumentType) {
        (self.country, self.documentType) = (country, documentType)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case country, documentType = "document_type"
    }
}

/// The place of a document in a frame: `POST /v1/verification/preview`.
public struct VerificationPreviewAnswer: Codable, Sendable, Hashable {
    /// Four points, clockwise, in parts of the picture's width and height; absent without a document.
    public var corners: [[Double]]?
    /// Words such as `blurred`, the most important one first.
    public var faults: [String]
    /// Whether a picture like this one would be good enough.
    public var ready: Bool

    public init(corners: [[Double]]?, faults: [String], ready: Bool) {
        (self.corners, self.faults, self.ready) = (corners, faults, ready)
    }
}

/// How a picture was taken: `PUT /v1/verification/images/{image}`.
public struct VerificationPictureAnswer: Codable, Sendable, Hashable {
    /// Why another picture is needed.
    public struct Recapture: Codable, Sendable, Hashable {
        /// Words such as `poorImageQuality`.
        public var reasons: [String]
        /// The fault to mend: a word such as `blurred`.
        public var hint: String
        public init(reasons: [String], hint: String) { (self.reasons, self.hint) = (reasons, hint) }
    }

    public var accepted: Bool
    public var recapture: Recapture?
    public var missingImages: [WireValue<SessionPicture>]

    public init(
        accepted: Bool, recapture: Recapture? = nil, missingImages: [WireValue<SessionPicture>]
    ) {
        (self.accepted, self.recapture) = (accepted, recapture)
        self.missingImages = missingImages
    }

    private enum CodingKeys: String, CodingKey {
        case accepted, recapture, missingImages = "missing_images"
    }
}

/// The live capture of a session's selfie: `POST /v1/verification/selfie`.
public struct VerificationSelfieAnswer: Codable, Sendable, Hashable {
    /// The start token of `POST /v1/capture/start`.
    public var startToken: String
    public init(startToken: String) { self.startToken = startToken }

    private enum CodingKeys: String, CodingKey { case startToken = "start_token" }
}

/// The result of a session, for the relying party:
/// `GET /verify/api/v1/verification/{session}/result`.
public struct VerificationSessionResult: Codable, Sendable, Hashable {
    public var sessionID: String
    public var status: WireValue<VerificationSession.Status>
    public var recommendation: WireValue<IdentityRecommendation>?
    /// The results of checks, by name.
    public var checks: [String: String]?
    public var rulesVersion: String?
    /// Whether the result was invented: the session had `mock_behavior`.
    public var simulated: Bool?
    /// The person and the document as read; absent once erased.
    public var verifiedInfo: VerifiedInfo?
    public var state: String?
    /// Milliseconds since 1970.
    public var createdAt: Int64
    public var endedAt: Int64?

    public init(
        sessionID: String, status: WireValue<VerificationSession.Status>,
        recommendation: WireValue<IdentityRecommendation>? = nil, checks: [String: String]? = nil,
        rulesVersion: String? = nil, simulated: Bool? = nil, verifiedInfo: VerifiedInfo? = nil,
        state: String? = nil, createdAt: Int64, endedAt: Int64? = nil
    ) {
        (self.sessionID, self.status, self.recommendation) = (sessionID, status, recommendation)
        (self.checks, self.rulesVersion, self.simulated) = (checks, rulesVersion, simulated)
        self.verifiedInfo = verifiedInfo
        (self.state, self.createdAt, self.endedAt) = (state, createdAt, endedAt)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionID = "session_id", status, recommendation, checks
        case rulesVersion = "rules_version", simulated, verifiedInfo = "verified_info", state
        case createdAt = "created_at", endedAt = "ended_at"
    }
}

/// The person and the document as read. Hides its content: descriptions and mirrors are empty.
public struct VerifiedInfo: Codable, Sendable, Hashable, CustomStringConvertible, CustomReflectable
{
    public struct Person: Codable, Sendable, Hashable {
        public var firstName, lastName, address: String?
        public var city, state, postalCode, country: String?
        /// `yyyy-mm-dd`.
        public var dateOfBirth: String?

        public init(
            firstName: String? = nil, lastName: String? = nil, address: String? = nil,
            city: String? = nil, state: String? = nil, postalCode: String? = nil,
            country: String? = nil, dateOfBirth: String? = nil
        ) {
            (self.firstName, self.lastName, self.address) = (firstName, lastName, address)
            (self.city, self.state, self.postalCode) = (city, state, postalCode)
            (self.country, self.dateOfBirth) = (country, dateOfBirth)
        }

        private enum CodingKeys: String, CodingKey {
            case firstName = "first_name", lastName = "last_name", address, city, state
            case postalCode = "postal_code", country, dateOfBirth = "date_of_birth"
        }
    }

    public struct Document: Codable, Sendable, Hashable {
        public var country: String
        public var type: WireValue<IdentityDocumentType>
        public init(country: String, type: WireValue<IdentityDocumentType>) {
            (self.country, self.type) = (country, type)
        }
    }

    public var person: Person?
    public var document: Document?

    public init(person: Person? = nil, document: Document? = nil) {
        (self.person, self.document) = (person, document)
    }

    public var description: String { "‹verified info›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The pictures of a session: `GET /verify/api/v1/verification/{session}/images`.
public struct VerificationSessionImages: Codable, Sendable, Hashable {
    public struct Image: Codable, Sendable, Hashable {
        /// The last part of the picture's path.
        public var id: String
        public var type: WireValue<SessionPicture>
        public init(id: String, type: WireValue<SessionPicture>) {
            (self.id, self.type) = (id, type)
        }
    }

    public var sessionImages: [Image]
    public init(sessionImages: [Image]) { self.sessionImages = sessionImages }

    private enum CodingKeys: String, CodingKey { case sessionImages = "session_images" }
}

/// How much would be, or was, erased: `POST /v1/verifications/purge`.
public struct VerificationPurgeAnswer: Codable, Sendable, Hashable {
    /// The users' attempts whose data and pictures have been kept long enough.
    public var attempts: Int
    /// The sessions whose content and pictures have been kept long enough.
    public var sessions: Int
    /// The sessions that are deleted with their results.
    public var records: Int
    /// Whether nothing was erased.
    public var dryRun: Bool

    public init(attempts: Int, sessions: Int, records: Int, dryRun: Bool) {
        (self.attempts, self.sessions) = (attempts, sessions)
        (self.records, self.dryRun) = (records, dryRun)
    }

    private enum CodingKeys: String, CodingKey {
        case attempts, sessions, records, dryRun = "dry_run"
    }
}

/// `POST /v1/verifications/purge`.
public struct VerificationPurgeRequest: Codable, Sendable, Hashable {
    public var dryRun: Bool
    public init(dryRun: Bool = false) { self.dryRun = dryRun }

    public enum CodingKeys: String, CodingKey, CaseIterable { case dryRun = "dry_run" }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        dryRun = try values.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    }
}
