internal import Foundation
internal import MienCore
internal import MienKeys
internal import MienVault

extension SealPurpose {
    /// An OTP token's secret for the face mode.
    static let tokenFaceMode = SealPurpose(label: "mien/v1/token-face-mode")
}

/// A stored OTP token, inside the sealed file that contains all of them. Never printed.
struct OTPStoredToken: Codable, Sendable, Equatable {
    /// The part that a face unlocks.
    struct FaceMode: Codable, Sendable, Equatable {
        let person: String
        /// SHA-256 of the template with which the enrollment began.
        let enrollment: Data
        /// The secret, sealed by the device's key only, independently of the PIN.
        let sealed: Data

        private enum CodingKeys: String, CodingKey {
            case person, enrollment = "enrolment", sealed
        }
    }

    /// The card that a CAP token is, in hexadecimal.
    struct Card: Codable, Sendable, Equatable { let mask, iaf, psn, iad: String }

    let id, app: String
    let server: String?
    /// SHA1, SHA256 or SHA512; not in a CAP token.
    let hash: String?
    let digits: Int
    /// The time step in seconds; only in a time-based token.
    let step: Int?
    /// The next counter; only in a counter-based token. `nil` after the last one.
    private(set) var counter: UInt64?
    /// Only in a CAP token.
    let card: Card?
    /// Not in a CAP token.
    let suite: String?
    let createdAt: Int64

    private(set) var salt: Data
    /// The cost of the PIN's ``PINHasher``. For Argon2id: KiB, passes, lanes.
    private(set) var cost: [Int]
    /// The secret hidden by the PIN, see ``PINCipher``.
    private(set) var hidden: Data

    private(set) var isMultiAuth = false
    private(set) var face: FaceMode?
    private(set) var isRestored = false

    // MARK: Creation

    init(
        _ new: OTPTokenDefinition, pin: PINInput, key: MasterKey, hasher: any PINHasher,
        at now: Instant, random: RandomSource
    )
        throws(OTPTokenError)
    {
        (id, app, server, suite, createdAt) = (
            new.id, new.app, new.server, new.signatureSuite?.text, now.milliseconds
        )
        switch new.kind {
        case .totp(let totp):
            (hash, digits, step, counter, card) = (
                totp.hotp.hash.rawValue, totp.hotp.digits, totp.stepSeconds, nil, nil
            )
        case .hotp(let hotp, let first):
            (hash, digits, step, counter, card) = (
                hotp.hash.rawValue, hotp.digits, nil, first, nil
            )
        case .cap(let cap, let first):
            (hash, digits, step, counter, card) = (
                nil, cap.digits, nil, UInt64(first), Card(cap.parameters)
            )
        }
        (salt, self.cost, hidden) = (Data(), [], Data())
        try hide(new.secret.bytes, pin, key, hasher, random)
    }

    // MARK: The secret

    /// Returns the secret for a PIN. A wrong PIN yields a different secret.
    func secret(_ pin: PINInput, _ key: MasterKey, _ hasher: any PINHasher)
        throws(OTPTokenError) -> OTPSecret
    {
        guard hidden.count == secretSize, salt.count == PINCipher.saltSize else {
            throw Self.damaged
        }
        let cipher = PINCipher(
            key: key, token: id, salt: Array(salt), hasher: hasher, cost: cost)
        return try checked(cipher.applied(to: Array(hidden), pin))
    }

    /// - Throws: ``OTPTokenError`` `.notMultiAuth`, `.faceInactive`.
    func secret(_ mode: FaceAuthMode, _ key: MasterKey) throws(OTPTokenError) -> OTPSecret {
        guard isMultiAuth else { throw Self.pinOnly }
        guard let face, face.enrollment == Data(mode.enrollment),
            (try? PersonName(face.person)) == mode.person
        else {
            throw OTPTokenError(
                .faceInactive,
                "This face does not unlock the token. Activate face mode with the PIN first.")
        }
        do {
            return try checked(
                RecordSealer(key: key, purpose: .tokenFaceMode).open(
                    Array(face.sealed), identity: identity(mode)))
        } catch let
            error
            as OTPTokenError
        { throw error } catch { throw Self.damaged }
    }

    private mutating func hide(
        _ secret: [UInt8], _ pin: PINInput, _ key: MasterKey, _ hasher: any PINHasher,
        _ random: RandomSource
    ) throws(OTPTokenError) {
        let salt = random.bytes(PINCipher.saltSize)
        let cipher = PINCipher(
            key: key, token: id, salt: salt, hasher: hasher, cost: hasher.cost)
        (self.salt, cost, hidden) = (
            Data(salt), cipher.cost, Data(try cipher.applied(to: secret, pin))
        )
    }

    private func identity(_ mode: FaceAuthMode) -> [UInt8] { mode.enrollment + Array(id.utf8) }

    private var secretSize: Int { card == nil ? PINCipher.secretSize : CAP.keySize }

    private func checked(_ bytes: [UInt8]) throws(OTPTokenError) -> OTPSecret {
        guard bytes.count == secretSize, let secret = try? OTPSecret(bytes: bytes) else {
            throw Self.damaged
        }
        return secret
    }

    // MARK: Modes

    /// Encrypts the secret that the old PIN yields, right or wrong, with the new PIN.
    mutating func changePIN(
        _ old: PINInput, _ new: PINInput, _ key: MasterKey, _ hasher: any PINHasher,
        _ random: RandomSource
    )
        throws(OTPTokenError)
    {
        var bytes = try secret(old, key, hasher).bytes
        defer { wipe(&bytes) }
        try hide(bytes, new, key, hasher, random)
    }

    mutating func upgrade() { isMultiAuth = true }

    /// Seals the secret that the PIN yields, right or wrong, for the face.
    mutating func activate(
        _ mode: FaceAuthMode, _ pin: PINInput, _ key: MasterKey, _ hasher: any PINHasher,
        _ random: RandomSource
    ) throws(OTPTokenError) {
        guard isMultiAuth else { throw Self.pinOnly }
        var bytes = try secret(pin, key, hasher).bytes
        defer { wipe(&bytes) }
        let sealed = RecordSealer(key: key, purpose: .tokenFaceMode, random: random).seal(
            bytes, identity: identity(mode))
        face = FaceMode(
            person: mode.person.text, enrollment: Data(mode.enrollment), sealed: Data(sealed))
    }

    mutating func deactivateFace() { face = nil }

    func isOpened(by mode: FaceAuthMode) -> Bool {
        face?.enrollment == Data(mode.enrollment) && isFace(of: mode.person)
    }

    func isFace(of person: PersonName) -> Bool {
        face.flatMap { try? PersonName($0.person) } == person
    }

    /// Marks a token from a backup. Its counter may have advanced since the backup, and a face that
    /// was removed meanwhile unlocks nothing.
    mutating func restore() {
        face = nil
        if step == nil { isRestored = true }
    }

    // MARK: Codes

    /// - Returns: the counter for the next code, which is used up.
    mutating func takeCounter() throws(OTPTokenError) -> UInt64 {
        guard !isRestored else {
            throw OTPTokenError(
                .restored,
                "This token was restored from a backup and would repeat codes. Remove it and get a new one."
            )
        }
        guard let next = counter else {
            throw OTPTokenError(
                .exhausted, "The token's last counter has been used. Get a new token.")
        }
        counter = next == last ? nil : next + 1
        return next
    }

    private var last: UInt64 { card == nil ? .max : UInt64(CAP.counters.upperBound) }

    /// - Returns: the transaction counter for the next code, which is used up.
    mutating func takeATC() throws(OTPTokenError) -> UInt16 {
        guard let atc = UInt16(exactly: try takeCounter()), CAP.counters.contains(atc) else {
            throw Self.damaged
        }
        return atc
    }

    /// - Returns: `nil` unless this is a CAP token.
    func cap() throws(OTPTokenError) -> CAP? {
        guard let card else { return nil }
        guard let cap = try? CAP(card.parameters), cap.digits == digits else { throw Self.damaged }
        return cap
    }

    func hotp() throws(OTPTokenError) -> HOTP {
        guard let hash = hash.flatMap(OTPHash.init),
            let hotp = try? HOTP(digits: digits, hash: hash)
        else { throw Self.damaged }
        return hotp
    }

    func totp() throws(OTPTokenError) -> TOTP? {
        guard let step else { return nil }
        guard let hash = hash.flatMap(OTPHash.init),
            let totp = try? TOTP(digits: digits, hash: hash, stepSeconds: step)
        else { throw Self.damaged }
        return totp
    }

    func signing() throws(OTPTokenError) -> OCRA {
        guard let suite = suite.flatMap({ try? OCRASuite($0) }) else { throw Self.damaged }
        return OCRA(suite)
    }

    var shown: OTPTokenInfo {
        OTPTokenInfo(
            id: id, app: app, server: server,
            kind: card != nil ? .cap : step == nil ? .hotp : .totp, digits: digits,
            stepSeconds: step, signatureSuite: suite,
            isMultiAuthModeEnabled: isMultiAuth, isFaceModeActive: face != nil,
            isRestored: isRestored, createdAt: Instant(milliseconds: createdAt))
    }

    static let damaged = OTPTokenError(
        .storage, "A stored token is malformed. Remove it and get a new one.")
    private static let pinOnly = OTPTokenError(
        .notMultiAuth, "The token is in PIN mode only. Upgrade it first.")
}

extension OTPStoredToken.Card {
    init(_ parameters: CAP.Parameters) {
        (mask, iaf, psn, iad) = (
            parameters.mask, parameters.iaf, parameters.psn, parameters.iad
        )
    }

    var parameters: CAP.Parameters { CAP.Parameters(mask: mask, iaf: iaf, psn: psn, iad: iad) }
}

extension OTPStoredToken: CustomReflectable, CustomStringConvertible {
    var customMirror: Mirror { Mirror(self, children: []) }
    var description: String { "‹token›" }
}
