public import MienCore

/// The moving factor of an OTP token's codes.
public enum OTPKind: String, WireWord {
    /// The time: RFC 6238.
    case totp
    /// A counter: RFC 4226.
    case hotp
    /// A counter, and a cryptogram as payment cards compute it: EMV's Chip Authentication Program.
    case cap

    /// The numbers of digits that a code may have. A CAP code has at least eight, because its first
    /// bits are those of the counter.
    public var digitCounts: ClosedRange<Int> { self == .cap ? 8...10 : 6...10 }

    /// The number of digits unless one is asked for.
    public var standardDigits: Int { digitCounts.lowerBound }
}

/// `POST /v1/me/otp/registrations`, `POST /v1/users/{user}/otp/{app}/registrations`
public struct OTPRegistrationRequest: Codable, Sendable, Hashable {
    /// ``OTPKind/totp`` by default.
    public var kind: OTPKind?
    /// ``OTPKind/digitCounts``; ``OTPKind/standardDigits`` by default.
    public var digits: Int?

    public init(kind: OTPKind? = nil, digits: Int? = nil) {
        (self.kind, self.digits) = (kind, digits)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case kind, digits }
}

/// The registration code that a device exchanges for an OTP token, once.
public struct OTPRegistrationAnswer: Codable, Sendable, Hashable {
    public var registrationCode: String
    public var kind: WireValue<OTPKind>
    public var digits: Int
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(
        registrationCode: String, kind: WireValue<OTPKind>, digits: Int, expiresAt: Int64
    ) {
        (self.registrationCode, self.kind, self.digits, self.expiresAt) = (
            registrationCode, kind, digits, expiresAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case registrationCode = "registration_code", kind, digits, expiresAt = "expires_at"
    }
}

/// `POST /v1/otp/tokens`: the request of a device.
public struct RedeemOTPRequest: Codable, Sendable, Hashable {
    public var registrationCode: String
    /// A P-256 key as a JWK.
    public var publicKey: JSONValue
    public var name, os: String

    public init(registrationCode: String, publicKey: JSONValue, name: String, os: String) {
        (self.registrationCode, self.publicKey, self.name, self.os) = (
            registrationCode, publicKey, name, os
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case registrationCode = "registration_code", publicKey = "public_key", name, os
    }
}

/// The card that a CAP token is, in hexadecimal.
public struct OTPCardAnswer: Codable, Sendable, Hashable {
    /// The bits of the token data that form a code (IPB): 20 bytes.
    public var mask: String
    /// The issuer authentication flag: one byte.
    public var iaf: String
    /// The PAN sequence number: one byte.
    public var psn: String
    /// Issuer application data: 8 bytes.
    public var iad: String

    public init(mask: String, iaf: String, psn: String, iad: String) {
        (self.mask, self.iaf, self.psn, self.iad) = (mask, iaf, psn, iad)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case mask, iaf, psn, iad }
}

/// The OTP token that a device gets for a registration code, with the secret encrypted to the
/// device's key.
public struct OTPTokenAnswer: Codable, Sendable, Hashable {
    public var tokenID, appID: String
    public var kind: WireValue<OTPKind>
    /// `SHA256`; ``capAlgorithm`` of a CAP token.
    public var algorithm: String
    public var digits: Int
    /// The period of a time-based OTP token, in seconds.
    public var period: Int?
    /// The first counter of a counter-based OTP token.
    public var counter: Int?
    /// Only in a CAP token.
    public var cap: OTPCardAnswer?
    /// RFC 6287, for signatures; `nil` in a CAP token, which signs as cards do.
    public var signatureSuite: String?
    /// HPKE output in base64url.
    public var encapsulatedKey, encryptedSecret: String

    public init(
        tokenID: String, appID: String, kind: WireValue<OTPKind>, algorithm: String, digits: Int,
        period: Int?, counter: Int?, cap: OTPCardAnswer? = nil, signatureSuite: String?,
        encapsulatedKey: String, encryptedSecret: String
    ) {
        (self.tokenID, self.appID, self.kind, self.algorithm, self.digits) = (
            tokenID, appID, kind, algorithm, digits
        )
        (self.period, self.counter, self.cap) = (period, counter, cap)
        self.signatureSuite = signatureSuite
        (self.encapsulatedKey, self.encryptedSecret) = (encapsulatedKey, encryptedSecret)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case tokenID = "token_id", appID = "app_id", kind, algorithm, digits, period, counter, cap,
            signatureSuite = "signature_suite"
        case encapsulatedKey = "encapsulated_key", encryptedSecret = "encrypted_secret"
    }

    public static let capAlgorithm = "3DES"

    /// The HPKE `info` of the encryption. A secret for another app or OTP token does not decrypt.
    public static func info(app: String, token: String) -> [UInt8] {
        Array("mien/v1/otp-secret \(app) \(token)".utf8)
    }
}

/// An OTP token as its owner may see it.
public struct OwnOTPToken: Codable, Sendable, Hashable {
    public var id: String
    public var kind: WireValue<OTPKind>
    public var name, os: String
    public var digits: Int
    /// Milliseconds since 1970.
    public var createdAt: Int64

    public init(
        id: String, kind: WireValue<OTPKind>, name: String, os: String, digits: Int,
        createdAt: Int64
    ) {
        (self.id, self.kind, self.name, self.os, self.digits, self.createdAt) = (
            id, kind, name, os, digits, createdAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, kind, name, os, digits, createdAt = "created_at"
    }
}

/// `PUT /v1/me/otp/authenticator-app`: a code of the app that has read the secret.
public struct ConfirmAuthenticatorAppRequest: Codable, Sendable, Hashable {
    public var passcode: String
    /// The user's name for the app or its device, up to 64 characters.
    public var name: String?

    public init(passcode: String, name: String? = nil) {
        (self.passcode, self.name) = (passcode, name)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case passcode, name }
}

/// `POST /v1/otp/tokens/confirm`: a device asks whether its owner typed the right PIN.
public struct ConfirmOTPRequest: Codable, Sendable, Hashable {
    public var tokenID, passcode: String

    public init(tokenID: String, passcode: String) {
        (self.tokenID, self.passcode) = (tokenID, passcode)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case tokenID = "token_id", passcode
    }
}

/// `POST /v1/otp/challenges`: a service asks for the challenge of a dynamic signature.
public struct OTPChallengeRequest: Codable, Sendable, Hashable {
    public var clientID: String
    public var clientSecret: String?
    /// The user, by ID or by any of their names.
    public var userID, userIdentifier: String?
    /// The number of a template of transactions.
    public var template: Int

    public init(
        clientID: String, clientSecret: String?, userID: String? = nil,
        userIdentifier: String? = nil, template: Int
    ) {
        (self.clientID, self.clientSecret, self.userID) = (clientID, clientSecret, userID)
        (self.userIdentifier, self.template) = (userIdentifier, template)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", userID = "user_id",
            userIdentifier = "user_identifier", template
    }
}

public struct OTPChallengeAnswer: Codable, Sendable, Hashable {
    /// Twelve digits.
    public var challenge: String
    /// The action that the user approves.
    public var title: String
    /// The fields that the user types, in order.
    public var fields: [String]
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(challenge: String, title: String, fields: [String], expiresAt: Int64) {
        (self.challenge, self.title, self.fields, self.expiresAt) = (
            challenge, title, fields, expiresAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case challenge, title, fields, expiresAt = "expires_at"
    }
}

/// `POST /v1/otp/verify`: a service has a code verified, or with `challenge` a dynamic signature.
///
/// With `capChallenge` or `capNumbers`, the code answers or signs what the service has shown to the
/// owner of a CAP token. At most one of the three may be present.
public struct OTPVerificationRequest: Codable, Sendable, Hashable {
    public var clientID: String
    public var clientSecret: String?
    /// The user, by ID or by any of their names.
    public var userID, userIdentifier: String?
    public var passcode: String
    public var challenge: String?
    /// The fields of the transaction, by name.
    public var values: [String: String]?
    /// 1 to 8 digits, not zero.
    public var capChallenge: String?
    /// 1 to 7 numbers of 1 to 10 digits.
    public var capNumbers: [String]?

    public init(
        clientID: String, clientSecret: String?, userID: String? = nil,
        userIdentifier: String? = nil, passcode: String, challenge: String? = nil,
        values: [String: String]? = nil, capChallenge: String? = nil, capNumbers: [String]? = nil
    ) {
        (self.clientID, self.clientSecret, self.userID) = (clientID, clientSecret, userID)
        (self.userIdentifier, self.passcode) = (userIdentifier, passcode)
        (self.challenge, self.values) = (challenge, values)
        (self.capChallenge, self.capNumbers) = (capChallenge, capNumbers)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", userID = "user_id",
            userIdentifier = "user_identifier", passcode, challenge, values,
            capChallenge = "cap_challenge", capNumbers = "cap_numbers"
    }
}

public struct OTPVerdictAnswer: Codable, Sendable, Hashable {
    public var isValid: Bool

    public init(isValid: Bool) { self.isValid = isValid }

    public enum CodingKeys: String, CodingKey, CaseIterable { case isValid = "valid" }
}

/// `POST /v1/otp/approvals/show`: a device asks for the transaction that its owner wants to approve.
public struct ShowApprovalRequest: Codable, Sendable, Hashable {
    public var tokenID: String
    /// The code that the owner reads on the other device; case, spaces, and hyphens do not matter.
    public var approvalCode: String

    public init(tokenID: String, approvalCode: String) {
        (self.tokenID, self.approvalCode) = (tokenID, approvalCode)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case tokenID = "token_id", approvalCode = "approval_code"
    }
}

/// A transaction that waits for approval.
public struct ApprovalAnswer: Codable, Sendable, Hashable {
    public var appID: String
    /// The data to show. All of it is signed.
    public var approvalData: [String: String]
    public var transactionChallenge: String
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(
        appID: String, approvalData: [String: String], transactionChallenge: String,
        expiresAt: Int64
    ) {
        (self.appID, self.approvalData) = (appID, approvalData)
        (self.transactionChallenge, self.expiresAt) = (transactionChallenge, expiresAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case appID = "app_id", approvalData = "approval_data",
            transactionChallenge = "transaction_challenge", expiresAt = "expires_at"
    }
}

/// `POST /v1/otp/approvals`: a device approves a transaction with `passcode`, the response of its OTP
/// token, or declines it without one.
public struct DecideApprovalRequest: Codable, Sendable, Hashable {
    public var tokenID, approvalCode: String
    public var passcode: String?

    public init(tokenID: String, approvalCode: String, passcode: String? = nil) {
        (self.tokenID, self.approvalCode, self.passcode) = (tokenID, approvalCode, passcode)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case tokenID = "token_id", approvalCode = "approval_code", passcode
    }
}
