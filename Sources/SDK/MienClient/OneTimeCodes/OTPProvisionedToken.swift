internal import MienAPI
public import MienKeys

/// An OTP token on the device. Seal ``secret`` when storing it. Store the advanced counter after
/// each code, and after each signature of a CAP token, because the server accepts no earlier one.
public struct OTPProvisionedToken: Sendable {
    public enum Kind: Sendable, Hashable {
        case totp(TOTP)
        case hotp(HOTP, firstCounter: UInt64)
        case cap(CAP, firstCounter: UInt16)
    }

    /// The authenticator's id on the server.
    public let id: String
    public let app: String
    public let kind: Kind
    public let secret: OTPSecret
    /// The suite of signatures; `nil` if a CAP token signs.
    public let signatureSuite: OCRASuite?

    init(_ answer: OTPTokenAnswer, secret: OTPSecret) throws(OTPError) {
        (id, app, self.secret) = (answer.tokenID, answer.appID, secret)
        let counter = answer.counter.flatMap(UInt64.init(exactly:))
        switch (answer.kind, answer.period, counter, answer.cap) {
        case (.known(.totp), let period?, nil, nil):
            kind = .totp(
                try TOTP(digits: answer.digits, hash: Self.hash(answer), stepSeconds: period))
        case (.known(.hotp), nil, let counter?, nil):
            kind = .hotp(
                try HOTP(digits: answer.digits, hash: Self.hash(answer)), firstCounter: counter)
        case (.known(.cap), nil, let counter?, let card?):
            kind = try Self.cap(answer, card, counter, secret)
            signatureSuite = nil
            return
        default: throw OTPError(.input, "The kind of OTP token is unknown.")
        }
        guard let suite = answer.signatureSuite else {
            throw OTPError(.suite, "The OTP token has no suite to sign with.")
        }
        signatureSuite = try OCRASuite(suite)
    }

    private static func hash(_ answer: OTPTokenAnswer) throws(OTPError) -> OTPHash {
        guard let hash = OTPHash(rawValue: answer.algorithm) else {
            throw OTPError(.input, "The hash function is unknown.")
        }
        return hash
    }

    private static func cap(
        _ answer: OTPTokenAnswer, _ card: OTPCardAnswer, _ counter: UInt64, _ secret: OTPSecret
    ) throws(OTPError) -> Kind {
        let cap = try CAP(
            CAP.Parameters(mask: card.mask, iaf: card.iaf, psn: card.psn, iad: card.iad))
        guard let first = UInt16(exactly: counter), CAP.counters.contains(first),
            answer.algorithm == OTPTokenAnswer.capAlgorithm, answer.signatureSuite == nil,
            answer.digits == cap.digits, secret.bytes.count == CAP.keySize
        else { throw OTPError(.input, "The CAP token contradicts itself.") }
        return .cap(cap, firstCounter: first)
    }

    /// Signs a transaction, as the answer to `otpTransactionSigning`.
    ///
    /// - Parameters:
    ///   - approvalData: The data that the owner was shown and approved.
    ///   - challenge: The step's `transaction_challenge`.
    ///   - atc: The next transaction counter of a CAP token, which is used up.
    /// - Throws: `OTPError` `.challenge` if the challenge does not match the data shown; otherwise as
    ///   ``signature(of:at:)``.
    public func signature(
        of approvalData: [String: String], challenge: String, at atc: UInt16? = nil
    ) throws(OTPError) -> OneTimeCode {
        try signature(of: ShownTransaction(approvalData, challenge: challenge), at: atc)
    }

    /// Signs what the device showed its owner.
    ///
    /// - Parameter atc: The next transaction counter of a CAP token, which is used up.
    /// - Throws: `OTPError` `.suite` if the token signs with another suite, `.input` if a CAP token
    ///   gets no counter.
    public func signature(of shown: ShownTransaction, at atc: UInt16? = nil) throws(OTPError)
        -> OneTimeCode
    {
        if case .cap(let cap, _) = kind {
            guard let atc else { throw OTPError(.input, "A CAP token signs at a counter.") }
            return try shown.response(of: cap, at: atc, with: secret)
        }
        guard signatureSuite?.text == ShownTransaction.suite else {
            throw OTPError(.suite, "The token does not sign with \(ShownTransaction.suite).")
        }
        return try shown.response(with: secret)
    }
}

extension OTPProvisionedToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "token \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
