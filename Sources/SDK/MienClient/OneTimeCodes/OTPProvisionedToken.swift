internal import MienAPI
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
        try signature(of: ShownTransaction(approvalData, challenge: challenge))
    }

    /// Signs what the device showed its owner.
    ///
    /// - Throws: `OTPError` `.suite` if the token signs with another suite.
    public func signature(of shown: ShownTransaction) throws(OTPError) -> OneTimeCode {
        guard signatureSuite.text == ShownTransaction.suite else {
            throw OTPError(.suite, "The token does not sign with \(ShownTransaction.suite).")
        }
        return try shown.response(with: secret)
    }
}

extension OTPProvisionedToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "token \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
