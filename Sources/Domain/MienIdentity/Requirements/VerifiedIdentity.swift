public import MienCore

/// The state of a user's identity verification, as clients see it.
public struct VerifiedIdentity: Sendable, Hashable {
    public let owner: UserID
    /// Whether the required level is achieved.
    public let verified: Bool
    /// The time of the success; `nil` if not ``verified``.
    public let verifiedAt: Instant?
    /// The level achieved.
    public let verificationMethod: VerificationMethod
    public let requiredVerificationMethod: VerificationMethod
    public let canAttemptVerificationAgain: Bool
    public let attemptsRemaining: Int
    /// `nil` if never attempted, or since a reset.
    public let lastAttemptedAt: Instant?
    /// Sorted; empty unless a document is required.
    public let acceptableDocumentTypes: [IdentityDocumentType]
    public let documentVerificationStatus: DocumentVerificationStatus
    /// The pictures or documents to send instead of those of the last document, and why.
    public let recapture: [DocumentRecapture]
    /// Whether a source that invents its answers took part since the last reset.
    public let isSimulated: Bool

    public init(
        owner: UserID, state: VerificationState, requirement: VerificationRequirement,
        policy: VerificationPolicy
    ) {
        let required = requirement.method
        self.owner = owner
        verified = state.isVerified(required: required)
        verifiedAt = verified ? state.verifiedAt : nil
        verificationMethod = state.achieved
        requiredVerificationMethod = required
        canAttemptVerificationAgain = state.canAttemptAgain(required: required, under: policy)
        attemptsRemaining = state.attemptsRemaining(required: required, under: policy)
        lastAttemptedAt = state.lastAttemptedAt
        acceptableDocumentTypes =
            required == .governmentID
            ? policy.documents.sorted { $0.rawValue < $1.rawValue } : []
        documentVerificationStatus = state.documentStatus(required: required)
        recapture = state.recapture
        isSimulated = state.isSimulated
    }
}
