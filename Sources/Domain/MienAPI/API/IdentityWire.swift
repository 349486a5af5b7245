public import MienCore
public import MienIdentity

/// The personal data of a person whose identity is to be verified: `POST /v1/identity/verify`.
///
/// Hides its content: descriptions and mirrors are empty.
public struct VerifyIdentityInput: Codable, Sendable, Hashable {
    public var firstName, lastName, address: String
    public var city, state: String?
    public var postalCode: String
    /// ISO 3166-1 alpha-2, one of the supported countries.
    public var country: String
    /// `yyyy-mm-dd`.
    public var dateOfBirth: String

    public init(
        firstName: String, lastName: String, address: String, city: String? = nil,
        state: String? = nil, postalCode: String, country: String, dateOfBirth: String
    ) {
        (self.firstName, self.lastName, self.address) = (firstName, lastName, address)
        (self.city, self.state, self.postalCode) = (city, state, postalCode)
        (self.country, self.dateOfBirth) = (country, dateOfBirth)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case firstName, lastName, address, city, state, postalCode, country, dateOfBirth
    }

    /// Reads an absent text as an empty one, so that the same error names it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String {
            try values.decodeIfPresent(String.self, forKey: key) ?? ""
        }
        self.init(
            firstName: try text(.firstName), lastName: try text(.lastName),
            address: try text(.address),
            city: try values.decodeIfPresent(String.self, forKey: .city),
            state: try values.decodeIfPresent(String.self, forKey: .state),
            postalCode: try text(.postalCode), country: try text(.country),
            dateOfBirth: try text(.dateOfBirth))
    }
}

extension VerifyIdentityInput: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹personal data›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The state of a user's identity verification.
public struct VerifiedIdentityAnswer: Codable, Sendable, Hashable {
    /// The user's ID.
    public var owner: String
    /// Whether the required level is achieved.
    public var verified: Bool
    /// Milliseconds since 1970; 0 unless ``verified``.
    public var verifiedAtEpochMs: Int64
    /// The level achieved.
    public var verificationMethod: WireValue<VerificationMethod>
    public var requiredVerificationMethod: WireValue<VerificationMethod>
    public var canAttemptVerificationAgain: Bool
    public var attemptsRemaining: Int
    /// Milliseconds since 1970; 0 if never attempted, or since an administrator's reset.
    public var verificationLastAttemptedAtEpochMs: Int64
    /// The page on which the user photographs a document; absent if the server has none.
    public var idScanUrl: String?
    /// Empty unless a document is required.
    public var acceptableDocumentTypes: [WireValue<IdentityDocumentType>]
    public var documentVerificationStatus: WireValue<DocumentVerificationStatus>
    /// Whether the user has consented, in this app.
    public var consented: Bool
    /// Whether a source that invents its answers took part. Never trust such a result.
    public var simulated: Bool
    /// The pictures or documents to send instead, and why; absent if there are none.
    public var recapture: [RecaptureAnswer]?

    public init(
        owner: String, verified: Bool, verifiedAtEpochMs: Int64,
        verificationMethod: WireValue<VerificationMethod>,
        requiredVerificationMethod: WireValue<VerificationMethod>,
        canAttemptVerificationAgain: Bool, attemptsRemaining: Int,
        verificationLastAttemptedAtEpochMs: Int64, idScanUrl: String? = nil,
        acceptableDocumentTypes: [WireValue<IdentityDocumentType>],
        documentVerificationStatus: WireValue<DocumentVerificationStatus>, consented: Bool,
        simulated: Bool, recapture: [RecaptureAnswer]? = nil
    ) {
        (self.owner, self.verified, self.verifiedAtEpochMs) = (owner, verified, verifiedAtEpochMs)
        self.verificationMethod = verificationMethod
        self.requiredVerificationMethod = requiredVerificationMethod
        self.canAttemptVerificationAgain = canAttemptVerificationAgain
        self.attemptsRemaining = attemptsRemaining
        self.verificationLastAttemptedAtEpochMs = verificationLastAttemptedAtEpochMs
        (self.idScanUrl, self.acceptableDocumentTypes) = (idScanUrl, acceptableDocumentTypes)
        self.documentVerificationStatus = documentVerificationStatus
        (self.consented, self.simulated) = (consented, simulated)
        self.recapture = recapture
    }
}

/// A picture of a document to take again, or a document to replace.
public struct RecaptureAnswer: Codable, Sendable, Hashable {
    public var image: WireValue<DocumentPicture>
    public var reason: WireValue<RecaptureReason>
    /// The faults of the picture, the one to mention first, such as `blurred`; may be empty.
    public var hints: [String]

    public init(
        image: WireValue<DocumentPicture>, reason: WireValue<RecaptureReason>,
        hints: [String]
    ) {
        (self.image, self.reason, self.hints) = (image, reason, hints)
    }

    public init(_ recapture: DocumentRecapture) {
        self.init(
            image: .known(recapture.image), reason: .known(recapture.reason),
            hints: recapture.hints)
    }
}

/// A live capture of the face that belongs to a document: `POST /v1/identity/face-capture`.
public struct FaceCaptureAnswer: Codable, Sendable, Hashable {
    /// The token with which the capture is taken, and which names it in `faceCapture`.
    public var startToken: String
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(startToken: String, expiresAt: Int64) {
        (self.startToken, self.expiresAt) = (startToken, expiresAt)
    }
}

/// The facts about what a deployment verifies: `GET /v1/identity/capabilities`.
public struct IdentityCapabilities: Codable, Sendable, Hashable {
    /// ISO 3166-1 alpha-2, sorted; empty if the deployment verifies no identities.
    public var supportedCountries: [String]
    /// Whether any operation with a document needs a picture of the face.
    public var faceImageRequiredWithDocument: Bool
    public var faceImageRequiredWithDocumentCapture: Bool
    public var faceImageRequiredWithDocumentVerification: Bool
    /// Whether a link to the page for photographing documents can be made.
    public var canInitiateDocumentCapture: Bool
    public var consentRequired: Bool

    public init(
        supportedCountries: [String], faceImageRequiredWithDocumentCapture: Bool,
        faceImageRequiredWithDocumentVerification: Bool, canInitiateDocumentCapture: Bool,
        consentRequired: Bool
    ) {
        self.supportedCountries = supportedCountries
        faceImageRequiredWithDocument =
            faceImageRequiredWithDocumentCapture || faceImageRequiredWithDocumentVerification
        self.faceImageRequiredWithDocumentCapture = faceImageRequiredWithDocumentCapture
        self.faceImageRequiredWithDocumentVerification = faceImageRequiredWithDocumentVerification
        self.canInitiateDocumentCapture = canInitiateDocumentCapture
        self.consentRequired = consentRequired
    }
}

/// `GET /v1/identity/countries`.
public struct SupportedCountriesAnswer: Codable, Sendable, Hashable {
    /// The countries whose personal data is verified: ISO 3166-1 alpha-2, sorted. Where none is, the
    /// countries of documents.
    public var countries: [String]
    /// The documents that are read, and from which issuers; empty if the deployment checks none.
    public var documents: [ReadableDocuments]

    public init(countries: [String], documents: [ReadableDocuments]) {
        (self.countries, self.documents) = (countries, documents)
    }
}

/// Documents of one type that are read alike.
public struct ReadableDocuments: Codable, Sendable, Hashable {
    public var documentType: WireValue<IdentityDocumentType>
    /// The issuers: ISO 3166-1 alpha-2, or an organization's code in machine-readable zones, such
    /// as `XOM`; sorted.
    public var countries: [String]
    /// The parts that are read from the front, and from the back, which passports lack.
    public var front: [WireValue<DocumentCoverage.Part>]
    public var back: [WireValue<DocumentCoverage.Part>]?
    /// Whether personal data can be verified from the document alone.
    public var address: Bool

    public init(_ group: DocumentCoverage.Group) {
        documentType = .known(group.type)
        countries = group.issuers.map(\.rawValue)
        func parts(_ side: DocumentCoverage.Side) -> [WireValue<DocumentCoverage.Part>]? {
            group.sides[side].map { found in
                DocumentCoverage.Part.allCases.filter(found.contains).map { .known($0) }
            }
        }
        (front, back, address) = (parts(.front) ?? [], parts(.back), group.statesAddress)
    }
}

/// `GET /v1/identity/face-image`.
public struct FaceImageRequiredAnswer: Codable, Sendable, Hashable {
    public var faceImageRequired: Bool
    public init(faceImageRequired: Bool) { self.faceImageRequired = faceImageRequired }
}

/// A link on which the user photographs a document: `POST /v1/identity/document-capture`.
public struct DocumentCaptureLink: Codable, Sendable, Hashable {
    public var documentCaptureUrl: String
    public var expiryAtEpochSeconds: Int64
    public init(documentCaptureUrl: String, expiryAtEpochSeconds: Int64) {
        (self.documentCaptureUrl, self.expiryAtEpochSeconds) = (
            documentCaptureUrl, expiryAtEpochSeconds
        )
    }
}

/// The text that a person consents to: `GET /v1/identity/consent/content`.
public struct IdentityConsentContent: Codable, Sendable, Hashable {
    public var content: String
    /// `text/plain`.
    public var contentType: String
    /// A language tag such as `en`.
    public var language: String
    /// Identifies the text; ``IdentityConsentRequest`` repeats it.
    public var version: String

    public init(content: String, contentType: String, language: String, version: String) {
        (self.content, self.contentType, self.language, self.version) = (
            content, contentType, language, version
        )
    }
}

/// `POST /v1/identity/consent`.
public struct IdentityConsentRequest: Codable, Sendable, Hashable {
    /// The ``IdentityConsentContent/version`` of the text that the person saw.
    public var version: String
    public init(version: String) { self.version = version }
    public enum CodingKeys: String, CodingKey, CaseIterable { case version }
}

/// `GET /v1/identity/consent`.
public struct IdentityConsentStatus: Codable, Sendable, Hashable {
    public var consented: Bool
    /// Milliseconds since 1970; absent without a consent, withdrawn or not.
    public var consentedAtEpochMs: Int64?
    /// Milliseconds since 1970; absent while the consent is in effect.
    public var consentWithdrawnAtEpochMs: Int64?
    /// The version of the text that the person saw.
    public var version: String?

    public init(
        consented: Bool, consentedAtEpochMs: Int64? = nil, consentWithdrawnAtEpochMs: Int64? = nil,
        version: String? = nil
    ) {
        (self.consented, self.consentedAtEpochMs) = (consented, consentedAtEpochMs)
        (self.consentWithdrawnAtEpochMs, self.version) = (consentWithdrawnAtEpochMs, version)
    }
}

/// A document whose pictures were uploaded one by one: the JSON of `POST /v1/identity/document` and
/// `POST /v1/identity/captured-document`.
public struct UploadedDocumentRequest: Codable, Sendable, Hashable {
    /// One of ``SupportedCountriesAnswer/documents``.
    public var country: String
    /// `driverLicense`, `passport`, or `idCard`.
    public var documentType: String
    /// The start token of a live capture that passed, in place of an uploaded `faceImage`.
    public var faceCapture: String?

    public init(country: String, documentType: String, faceCapture: String? = nil) {
        (self.country, self.documentType, self.faceCapture) = (country, documentType, faceCapture)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case country, documentType, faceCapture
    }

    /// Reads an absent text as an empty one, so that the same error names it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            country: try values.decodeIfPresent(String.self, forKey: .country) ?? "",
            documentType: try values.decodeIfPresent(String.self, forKey: .documentType) ?? "",
            faceCapture: try values.decodeIfPresent(String.self, forKey: .faceCapture))
    }
}

/// `PUT /v1/identity/pictures/{picture}`.
public struct UploadedPictureAnswer: Codable, Sendable, Hashable {
    /// `image`, `backImage`, or `faceImage`.
    public var picture: String
    /// When the picture is erased unless it was sent with a document.
    public var expiresAtEpochMs: Int64

    public init(picture: String, expiresAtEpochMs: Int64) {
        (self.picture, self.expiresAtEpochMs) = (picture, expiresAtEpochMs)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case picture, expiresAtEpochMs }
}
