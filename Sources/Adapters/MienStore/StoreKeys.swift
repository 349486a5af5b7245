internal import MienAccess
public import MienCore
public import MienVault

/// What the store seals and finds things with. Made from the master key; never prints.
public struct StoreKeys: Sendable {
    private let master: MasterKey
    private let random: RandomSource

    public init(_ master: MasterKey, random: RandomSource = .system) {
        (self.master, self.random) = (master, random)
    }

    /// Seals something that belongs to no person: a journey's run, a signing key.
    func seal(_ content: [UInt8], _ purpose: SealPurpose, for identity: String) -> [UInt8] {
        RecordSealer(key: master, purpose: purpose, random: random).seal(
            content, identity: Array(identity.utf8))
    }

    func open(_ record: [UInt8], _ purpose: SealPurpose, for identity: String) throws(StoreError)
        -> [UInt8]
    {
        do {
            return try RecordSealer(key: master, purpose: purpose).open(
                record, identity: Array(identity.utf8))
        } catch {
            throw StoreError(.corrupt, "\(purpose.label): \(error)")
        }
    }

    /// What a name is found by: nobody without the master key can tell a name from it, or try names
    /// against it.
    func hash(of kind: String, _ name: String) -> [UInt8] {
        master.code(for: "\(kind):\(name)".utf8, purpose: .accountName)
    }

    /// Two values no name hashes to, for rows that only take a name's place.
    func randomHashes() -> ([UInt8], [UInt8]) {
        (random.bytes(MasterKey.size), random.bytes(MasterKey.size))
    }

    /// What a bearer secret is stored as. Secrets have 128 bits and more, so that a plain keyed
    /// hash will do.
    public func hash(ofSecret secret: [UInt8]) -> [UInt8] {
        master.code(for: secret, purpose: .bearerSecret)
    }

    /// The secret of a grant's refresh token of one generation: nobody without the master key can
    /// make one, and none has to be kept.
    public func refreshSecret(of grant: GrantID, nonce: [UInt8], generation: Int) -> [UInt8] {
        master.code(for: Array("\(grant.text) \(generation) ".utf8) + nonce, purpose: .refreshToken)
    }

    /// Seals what a journey's token carries for this server alone; bound to the token's `jti`.
    public func sealJourneyProof(_ content: [UInt8], of token: String) -> [UInt8] {
        seal(content, .journeyToken, for: token)
    }

    public func openJourneyProof(_ record: [UInt8], of token: String) throws(StoreError) -> [UInt8]
    { try open(record, .journeyToken, for: token) }

    /// What a device is known by among one person's keys.
    public func hash(ofDevice device: String) -> [UInt8] {
        master.code(for: device.utf8, purpose: .deviceName)
    }

    /// What a passkey is found by.
    public func hash(ofCredential id: [UInt8]) -> [UInt8] {
        master.code(for: id, purpose: .credentialID)
    }

    /// 32 bytes that look random, and are the same for the same name: for credential ids of nobody.
    public func decoy(of identifier: String, number: Int) -> [UInt8] {
        master.code(for: "\(number) \(identifier)".utf8, purpose: .decoyCredential)
    }

    /// What shows that the anchor of a pruned audit log was written by this server.
    func mac(ofAnchor place: AuditChain) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(integer: place.number)
        writer.put(place.hash)
        return master.code(for: writer.bytes, purpose: .auditAnchor)
    }

    /// A new person's own key, sealed: what is sealed under it is gone when it is.
    func newAccountKey(for id: UserID) -> (key: AccountKey, sealed: [UInt8]) {
        let bytes = random.bytes(MasterKey.size)
        return (AccountKey(MasterKey(bytes: bytes), random), seal(bytes, .accountKey, for: id.text))
    }

    func accountKey(_ sealed: [UInt8], for id: UserID) throws(StoreError) -> AccountKey {
        let bytes = try open(sealed, .accountKey, for: id.text)
        guard bytes.count == MasterKey.size else {
            throw StoreError(.corrupt, "an account's key has \(bytes.count) bytes")
        }
        return AccountKey(MasterKey(bytes: bytes), random)
    }
}

/// One person's key: their profile, passwords, templates are sealed under it. Destroying it
/// destroys them, in backups of its table too.
struct AccountKey: Sendable {
    private let key: MasterKey
    private let random: RandomSource

    init(_ key: MasterKey, _ random: RandomSource) { (self.key, self.random) = (key, random) }

    func seal(_ content: [UInt8], _ purpose: SealPurpose, for identity: String) -> [UInt8] {
        RecordSealer(key: key, purpose: purpose, random: random).seal(
            content, identity: Array(identity.utf8))
    }

    func open(_ record: [UInt8], _ purpose: SealPurpose, for identity: String) throws(StoreError)
        -> [UInt8]
    {
        do {
            return try RecordSealer(key: key, purpose: purpose).open(
                record, identity: Array(identity.utf8))
        } catch {
            throw StoreError(.corrupt, "\(purpose.label): \(error)")
        }
    }
}

extension SealPurpose {
    static let accountKey = SealPurpose(label: "mien/v1/account-key")
    static let accountName = SealPurpose(label: "mien/v1/account-name")
    static let accountProfile = SealPurpose(label: "mien/v1/account-profile")
    static let authenticator = SealPurpose(label: "mien/v1/authenticator")
    static let bearerSecret = SealPurpose(label: "mien/v1/bearer-secret")
    static let journeyRun = SealPurpose(label: "mien/v1/journey-run")
    static let journeyAnswer = SealPurpose(label: "mien/v1/journey-answer")
    static let journeyToken = SealPurpose(label: "mien/v1/journey-token")
    static let capture = SealPurpose(label: "mien/v1/capture")
    static let captureTrail = SealPurpose(label: "mien/v1/capture-trail")
    static let authorizationCode = SealPurpose(label: "mien/v1/authorization-code")
    static let deviceName = SealPurpose(label: "mien/v1/device-name")
    static let credentialID = SealPurpose(label: "mien/v1/credential-id")
    static let decoyCredential = SealPurpose(label: "mien/v1/decoy-credential")
    static let refreshToken = SealPurpose(label: "mien/v1/refresh-token")
    static let auditAnchor = SealPurpose(label: "mien/v1/audit-anchor")
    static let signingKey = SealPurpose(label: "mien/v1/signing-key")
}
