internal import Crypto
internal import MienAPI
internal import MienCore
public import MienOTP

/// An OTP token on the device. Seal ``secret`` when storing it. Store the advanced counter after
/// each code, because the server accepts no earlier one.
public struct OTPProvisionedToken: Sendable {
    public enum Kind: Sendable, Hashable {
        case totp(TOTP)
        case hotp(HOTP, firstCounter: UInt64)
    }

    /// The authenticator's id on the server.
    public let id: String
    public let app: String
    public let kind: Kind
    public let secret: OTPSecret
    public let signatureSuite: OCRASuite

    init(_ answer: OTPTokenAnswer, secret: OTPSecret) throws(OTPError) {
        guard let hash = OTPHash(rawValue: answer.algorithm) else {
            throw OTPError(.input, "The hash function is unknown.")
        }
        switch (answer.kind, answer.period, answer.counter.flatMap(UInt64.init(exactly:))) {
        case (.known(.totp), let period?, nil):
            kind = .totp(try TOTP(digits: answer.digits, hash: hash, stepSeconds: period))
        case (.known(.hotp), nil, let counter?):
            kind = .hotp(try HOTP(digits: answer.digits, hash: hash), firstCounter: counter)
        default: throw OTPError(.input, "The kind of OTP token is unknown.")
        }
        (id, app, self.secret) = (answer.tokenID, answer.appID, secret)
        signatureSuite = try OCRASuite(answer.signatureSuite)
    }

    /// Signs a transaction, as the answer to `otpTransactionSigning`.
    ///
    /// - Parameters:
    ///   - approvalData: The data that the owner was shown and approved.
    ///   - challenge: The step's `transaction_challenge`.
    /// - Throws: `OTPError` `.challenge` if the challenge does not match the data shown.
    public func signature(of approvalData: [String: String], challenge: String) throws(OTPError)
        -> OneTimeCode
    {
        let shown = JSONText.write(.object(approvalData.mapValues { .string($0) }))
        let parts = challenge.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[1] == Base64URL.encode(SHA256.hash(data: Array(shown.utf8)))
        else {
            throw OTPError(
                .challenge,
                "The challenge does not match the data shown. Nothing was signed.")
        }
        let question = SHA256.hash(data: Array(challenge.utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
        return try OCRA(signatureSuite).response(
            to: OCRAInput(question: OCRAQuestion(question, for: signatureSuite)), with: secret)
    }
}

extension OTPProvisionedToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "token \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
