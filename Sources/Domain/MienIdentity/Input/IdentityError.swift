public import MienCore

/// The reason a request about an identity is refused. Contains nothing of the request.
public struct IdentityError: CodedError {
    /// The identifiers of identity verification, without their common ``prefix``.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case recordNotFound = "IdentityVerificationRecordNotFoundError"
        case updateFailed = "IdentityVerificationUpdateFailedError"
        case unsupportedMethod = "UnsupportedVerificationMethodError"
        case implausibleAge = "ImplausibleAgeError"
        case invalidAge = "InvalidAgeError"
        case unsupportedCountry = "UnsupportedCountryError"
        case unsupportedNetworkLocation = "UnsupportedNetworkLocationError"
        case informationNotProvided = "RequiredIdentityInformationNotProvidedError"
        case alreadyVerified = "IdentityAlreadyVerifiedError"
        case retriesExceeded = "IdentityCaptureRetriesExceededError"
        case retryBlocked = "IdentityCaptureRetryBlockedError"
        case dataRedacted = "IdentityDataRedactedError"
        case consentRequired = "ConsentRequiredError"

        public static let prefix = "sudoplatform.identity-verification."

        /// The identifier as answers contain it.
        public var identifier: String { Self.prefix + rawValue }
    }

    public let code: Code
    /// The input that is wrong, such as `dateOfBirth`.
    public let field: String?
    public let reason: String

    public init(_ code: Code, field: String? = nil, _ reason: String) {
        (self.code, self.field, self.reason) = (code, field, reason)
    }
}
