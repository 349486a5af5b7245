public import MienCore

/// A record of one verification for auditors: what was checked, by which rules, and who decided.
/// Contains no image and no personal data; the subject is the account's identifier.
///
/// The server signs its ``json`` as a JWS of the type ``mediaType``.
public struct EvidenceRecord: Sendable, Hashable {
    /// The `typ` of the signed file's header.
    public static let mediaType = "mien-identity-evidence+jws"
    /// The maximum number of images and of reviewers' decisions.
    public static let maxEntries = 32
    static let format = "mien-identity-evidence/1"

    /// A picture by its hash.
    public struct Image: Sendable, Hashable {
        /// Such as `front`, `back`, `face`: 1 to 32 letters.
        public let role: String
        /// SHA-256, 32 bytes.
        public let sha256: [UInt8]

        /// - Returns: `nil` for another length, or a role of other characters.
        public init?(role: String, sha256: [UInt8]) {
            guard sha256.count == 32, (1...32).contains(role.utf8.count),
                role.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
            else { return nil }
            (self.role, self.sha256) = (role, sha256)
        }
    }

    public var attempt: IdentityAttemptID
    /// `nil` for a verification session without an attempt of a user.
    public var kind: VerificationAttempt.Kind?
    /// `nil` for a verification session that belongs to no user.
    public var user: UserID?
    public var app: AppID
    public var begunAt, concludedAt: Instant
    /// The sources that answered, by name.
    public var sources: [String]
    /// Whether one of them invents its answers.
    public var isSimulated: Bool
    public var checks: IdentityChecks
    public var rulesVersion: String
    /// The model pack that compared faces, if any.
    public var pack: String?
    public var recommendation: IdentityRecommendation
    public var isVerified: Bool
    public var images: [Image]
    /// The decisions of reviewers, in order.
    public var reviews: [ReviewCase.Entry]

    public init(
        attempt: IdentityAttemptID, kind: VerificationAttempt.Kind?, user: UserID?, app: AppID,
        begunAt: Instant, concludedAt: Instant, sources: [String], isSimulated: Bool,
        checks: IdentityChecks, rulesVersion: String, pack: String? = nil,
        recommendation: IdentityRecommendation, isVerified: Bool, images: [Image] = [],
        reviews: [ReviewCase.Entry] = []
    ) {
        (self.attempt, self.kind, self.user, self.app) = (attempt, kind, user, app)
        (self.begunAt, self.concludedAt) = (begunAt, concludedAt)
        (self.sources, self.isSimulated, self.checks) = (sources, isSimulated, checks)
        (self.rulesVersion, self.pack) = (rulesVersion, pack)
        (self.recommendation, self.isVerified) = (recommendation, isVerified)
        (self.images, self.reviews) = (images, reviews)
    }
}
