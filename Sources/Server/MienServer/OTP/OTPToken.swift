internal import Crypto
internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// The server's record of a user's OTP token, sealed with the authenticator.
package struct OTPToken: Sendable {
    /// The OCRA suite of signatures: the challenge is a SHA-256 as 64 hexadecimal digits.
    static let suite = "OCRA-1:HOTP-SHA256-8:QH64"
    static let hash = OTPHash.sha256, stepSeconds = 30
    /// The hash that every authenticator app computes.
    static let appHash = OTPHash.sha1
    static let lookAhead = 10, skew = 1
    /// How many codes further ahead resynchronize. A card's code takes longer to compute.
    static let hotpReach = 1000, capReach = 100

    /// The counters of a stored token.
    struct Counters: Sendable {
        /// The first counter or time step that has not been used.
        let next: UInt64
        /// The counter whose code resynchronizes the token.
        let awaited: UInt64?
    }

    /// Allows the device that sent this code with this key to receive the token again if the answer
    /// was lost.
    struct Receipt: Sendable {
        /// The SHA-256 of the code's hash and the key.
        let mark: [UInt8]
        let endsAt: Instant

        init?(codeHash: [UInt8], key: DevicePublicKey, endsAt: Instant) {
            guard case .p256(let x, let y) = key.material else { return nil }
            self.init(mark: Array(SHA256.hash(data: codeHash + x + y)), endsAt: endsAt)
        }

        fileprivate init(mark: [UInt8], endsAt: Instant) {
            (self.mark, self.endsAt) = (mark, endsAt)
        }

        func admits(_ other: Receipt, at now: Instant) -> Bool {
            isSame(mark, other.mark) && now < endsAt
        }
    }

    /// How codes are computed.
    enum Method: Sendable {
        case totp(TOTP)
        case hotp(HOTP)
        case cap(CAP)
    }

    let method: Method
    let secret: OTPSecret
    let receipt: Receipt?

    /// - Throws: `OTPError` `.digits` for a number of digits that `kind` does not have.
    init(
        kind: OTPKind, digits: Int, secret: OTPSecret, receipt: Receipt? = nil,
        hash: OTPHash = Self.hash
    ) throws(OTPError) {
        (self.secret, self.receipt) = (secret, receipt)
        method =
            switch kind {
            case .totp:
                .totp(try TOTP(digits: digits, hash: hash, stepSeconds: Self.stepSeconds))
            case .hotp: .hotp(try HOTP(digits: digits, hash: hash))
            case .cap: .cap(try CAP(digits: digits))
            }
    }

    /// The token of an authenticator app that another product registered.
    init(imported uri: KeyURI) {
        switch uri.kind {
        case .hotp(let hotp, _): self.init(.hotp(hotp), secret: uri.secret)
        case .totp(let totp): self.init(.totp(totp), secret: uri.secret)
        }
    }

    private init(_ method: Method, secret: OTPSecret) {
        (self.method, self.secret, receipt) = (method, secret, nil)
    }

    /// Draws the secret of a new OTP token.
    static func secret(for kind: OTPKind, using generator: inout some RandomNumberGenerator)
        -> OTPSecret
    {
        switch kind {
        case .totp, .hotp: OTPSecret.random(for: hash, using: &generator)
        case .cap: OTPSecret.randomCAPKey(using: &generator)
        }
    }

    var kind: OTPKind {
        switch method {
        case .totp: .totp
        case .hotp: .hotp
        case .cap: .cap
        }
    }

    private var hash: OTPHash {
        switch method {
        case .totp(let totp): totp.hotp.hash
        case .hotp(let hotp): hotp.hash
        case .cap: Self.hash
        }
    }

    var digits: Int {
        switch method {
        case .totp(let totp): totp.hotp.digits
        case .hotp(let hotp): hotp.digits
        case .cap(let cap): cap.digits
        }
    }

    // MARK: At rest

    var content: [UInt8] {
        var members: [String: JSONValue] = [
            "version": 1, "kind": .string(kind.rawValue), "digits": .number(Double(digits)),
            "secret": .string(Base64URL.encode(secret.bytes)),
        ]
        let isShort = !OTPSecret.lengths.contains(secret.bytes.count)
        switch method {
        case .totp(let totp)
        where isShort || totp.hotp.hash != Self.hash || totp.stepSeconds != Self.stepSeconds:
            members["algorithm"] = .string(totp.hotp.hash.rawValue)
            members["period"] = .number(Double(totp.stepSeconds))
        case .hotp(let hotp) where isShort || hotp.hash != Self.hash:
            members["algorithm"] = .string(hotp.hash.rawValue)
        case .totp, .hotp, .cap: break
        }
        if let receipt {
            members["receipt"] = [
                "mark": .string(Base64URL.encode(receipt.mark)),
                "ends_at": .number(Double(receipt.endsAt.milliseconds)),
            ]
        }
        return Array(JSONText.write(.object(members)).utf8)
    }

    init(_ record: AuthenticatorRecord) throws {
        let value = try record.content.use { try JSONText.parse($0) }
        guard value["version"]?.numberValue == 1,
            let kind = value["kind"]?.stringValue.flatMap(OTPKind.init),
            let digits = value["digits"]?.numberValue.flatMap({ Int(exactly: $0) }),
            let secret = value["secret"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw StoreError(.corrupt, "A stored OTP token is malformed.") }
        var receipt: Receipt?
        if let kept = value["receipt"] {
            guard let mark = kept["mark"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let end = kept["ends_at"]?.numberValue.flatMap({ Int64(exactly: $0) })
            else { throw StoreError(.corrupt, "The receipt of a stored OTP token is malformed.") }
            receipt = Receipt(mark: mark, endsAt: Instant(milliseconds: end))
        }
        guard let word = value["algorithm"]?.stringValue else {
            try self.init(
                kind: kind, digits: digits, secret: OTPSecret(bytes: secret), receipt: receipt)
            return
        }
        guard let hash = OTPHash(rawValue: word) else {
            throw StoreError(.corrupt, "The algorithm of a stored OTP token is unknown.")
        }
        let period = value["period"]?.numberValue.flatMap { Int(exactly: $0) }
        try self.init(
            kind == .hotp
                ? .hotp(HOTP(digits: digits, hash: hash))
                : .totp(
                    TOTP(digits: digits, hash: hash, stepSeconds: period ?? Self.stepSeconds)),
            secret: OTPSecret(typed: secret))
    }

    // MARK: Verifying

    /// A right code or signature.
    enum Match: Sendable, Hashable {
        /// An OCRA response. There is no counter to advance: the challenge is used up instead.
        case signature
        /// A code, or the signature of a CAP token, which uses up a counter like a code.
        case code(movingFactor: UInt64)
        /// A code from beyond the look-ahead. It is refused; the one at `awaited` is accepted.
        case ahead(awaited: UInt64)

        init?(_ verdict: CodeVerdict, awaited: UInt64? = nil, before: UInt64? = nil) {
            switch verdict {
            case .accepted(let movingFactor): self = .code(movingFactor: movingFactor)
            case .refused:
                guard let awaited, awaited != before else { return nil }
                self = .ahead(awaited: awaited)
            }
        }
    }

    /// Checks a sign-in code.
    ///
    /// - Returns: `nil` if the code is wrong.
    func match(_ code: OneTimeCode, from counters: Counters, at now: Instant) throws(OTPError)
        -> Match?
    {
        switch method {
        case .hotp(let hotp):
            var verifier = try HOTPVerifier(
                nextCounter: counters.next, lookAhead: Self.lookAhead, reach: Self.hotpReach,
                awaitedCounter: counters.awaited)
            return Match(
                verifier.verify(code, hotp, with: secret), awaited: verifier.awaitedCounter,
                before: counters.awaited)
        case .totp(let totp):
            let next = counters.next
            var verifier = try TOTPVerifier(lastStep: next == 0 ? nil : next - 1, skew: Self.skew)
            return Match(verifier.verify(code, totp, with: secret, at: now))
        case .cap(let cap): return try match(code, .identify, cap, from: counters)
        }
    }

    private func match(_ code: OneTimeCode, _ mode: CAPMode, _ cap: CAP, from counters: Counters)
        throws(OTPError) -> Match?
    {
        var verifier = try CAPVerifier(
            nextCounter: counters.next, lookAhead: Self.lookAhead, reach: Self.capReach,
            awaitedCounter: counters.awaited)
        return Match(
            try verifier.verify(code, mode, cap, with: secret), awaited: verifier.awaitedCounter,
            before: counters.awaited)
    }

    /// Checks the answer of a CAP token. Other tokens give none.
    func match(_ code: OneTimeCode, to question: CAPQuestion, from counters: Counters)
        throws(OTPError) -> Match?
    {
        guard case .cap(let cap) = method else { return nil }
        return try match(code, question.mode, cap, from: counters)
    }

    /// Checks the token's signature of a transaction.
    func match(_ response: OneTimeCode, of shown: ShownTransaction, from counters: Counters)
        throws(OTPError) -> Match?
    {
        guard case .cap(let cap) = method else {
            return try shown.response(with: secret).matches(response) ? .signature : nil
        }
        return try match(response, shown.capMode, cap, from: counters)
    }

    /// Checks the token's signature of a challenge that covers its transaction.
    func match(_ response: OneTimeCode, ofChallenge text: String, from counters: Counters)
        throws(OTPError) -> Match?
    {
        guard case .cap(let cap) = method else {
            let suite = try OCRASuite(Self.suite),
                question = try OCRAQuestion(Self.question(text), for: suite)
            let right = try OCRA(suite).response(
                to: OCRAInput(question: question), with: secret)
            return right.matches(response) ? .signature : nil
        }
        return try match(response, .signing(text), cap, from: counters)
    }

    /// Returns the SHA-256 of the signed text in hexadecimal.
    static func question(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
    }

    // MARK: Sealing for the device

    /// Encrypts the secret to `key` with HPKE (RFC 9180): P-256, HKDF-SHA256, AES-256-GCM.
    func sealed(to key: DevicePublicKey, app: AppID, token: AuthenticatorID) throws -> (
        encapsulatedKey: [UInt8], ciphertext: [UInt8]
    ) {
        guard case .p256(let x, let y) = key.material else { throw Problem.notP256 }
        let recipient = try P256.KeyAgreement.PublicKey(rawRepresentation: x + y)
        var sender = try HPKE.Sender(
            recipientKey: recipient, ciphersuite: .P256_SHA256_AES_GCM_256,
            info: Data(OTPTokenAnswer.info(app: app.text, token: token.text)))
        let ciphertext = try sender.seal(Data(secret.bytes))
        return (Array(sender.encapsulatedKey), Array(ciphertext))
    }
}
