internal import MienAPI
public import MienCore
public import MienVault

/// Keys derived from the master key, with which the store seals and finds data. Never printed.
public struct StoreKeys: Sendable {
    /// The keys that seal and open. A rotation changes them in every copy.
    package let ring: KeyRing
    private let random: RandomSource

    public init(_ master: MasterKey, random: RandomSource = .system) {
        self.init(KeyRing(master), random: random)
    }

    public init(_ ring: KeyRing, random: RandomSource = .system) {
        (self.ring, self.random) = (ring, random)
    }

    /// Seals data that belongs to no person, such as a journey's run or a signing key.
    func seal(_ content: [UInt8], _ purpose: SealPurpose, for identity: String) -> [UInt8] {
        RecordSealer(key: ring.active, purpose: purpose, random: random).seal(
            content, identity: Array(identity.utf8))
    }

    func open(_ record: [UInt8], _ purpose: SealPurpose, for identity: String) throws(StoreError)
        -> [UInt8]
    {
        do {
            // If none of the keys sealed the record, try the active one, whose error gives the
            // reason.
            return try RecordSealer(key: ring.key(of: record) ?? ring.active, purpose: purpose)
                .open(
                    record, identity: Array(identity.utf8))
        } catch {
            throw StoreError(
                error.isForeign ? .foreignKey : .corrupt, "\(purpose.label): \(error)")
        }
    }

    /// Returns a record that the key in use has sealed: `record` itself, or its content sealed
    /// again. A record may have been sealed just before a rotation.
    func current(_ record: [UInt8], _ purpose: SealPurpose, for identity: String)
        throws(StoreError) -> [UInt8]
    {
        guard SealedKeyName(of: record) != ring.active.name else { return record }
        return seal(try open(record, purpose, for: identity), purpose, for: identity)
    }

    /// Returns the hash by which a name is found. Without the master key, nobody can derive or test
    /// names from it.
    func hash(of kind: String, _ name: String) -> [UInt8] {
        ring.code(for: "\(kind):\(name)".utf8, purpose: .accountName)
    }

    /// Returns two random hashes that match no name, for rows that only stand in for a name.
    func randomHashes() -> ([UInt8], [UInt8]) {
        (random.bytes(MasterKey.size), random.bytes(MasterKey.size))
    }

    /// Returns the hash under which a bearer secret is stored. Secrets have at least 128 bits, so a
    /// plain keyed hash suffices.
    public func hash(ofSecret secret: [UInt8]) -> [UInt8] {
        ring.code(for: secret, purpose: .bearerSecret)
    }

    /// Returns the secret of one generation of a grant's refresh token. It is derived, so it need
    /// not be stored, and nobody without the master key can derive it.
    public func refreshSecret(of grant: GrantID, nonce: [UInt8], generation: Int) -> [UInt8] {
        ring.code(for: Array("\(grant.text) \(generation) ".utf8) + nonce, purpose: .refreshToken)
    }

    /// Seals the data that a journey's token carries for this server, bound to the token's `jti`.
    public func sealJourneyProof(_ content: [UInt8], of token: String) -> [UInt8] {
        seal(content, .journeyToken, for: token)
    }

    public func openJourneyProof(_ record: [UInt8], of token: String) throws(StoreError) -> [UInt8]
    { try open(record, .journeyToken, for: token) }

    /// Returns the hash of a text of the reference registry. Without the master key, nobody can test
    /// whether a person is in it.
    func hash(ofRegistry text: String) -> [UInt8] {
        // As an array, because copying one costs nothing.
        ring.code(for: Array(text.utf8), purpose: .registryText)
    }

    /// Returns the private key that signs evidence, 32 bytes. Rarely, they are no P-256 scalar: then
    /// take those of the next `counter`.
    public func evidenceKey(_ counter: UInt8) -> [UInt8] {
        ring.code(for: [counter], purpose: .evidenceKey)
    }

    /// Returns the hash that identifies a device among one person's keys.
    public func hash(ofDevice device: String) -> [UInt8] {
        ring.code(for: device.utf8, purpose: .deviceName)
    }

    /// Returns the number by which the trails of captures with this band are found. Without the
    /// master key, nobody can tell which band it stands for.
    func code(ofTrailBand band: UInt32) -> Int64 {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: band >> (8 * UInt32($0))) }
        let code = ring.code(for: bytes, purpose: .trailBand)
        return Int64(bitPattern: code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Returns the hash by which a passkey is found.
    public func hash(ofCredential id: [UInt8]) -> [UInt8] {
        ring.code(for: id, purpose: .credentialID)
    }

    /// Returns 32 bytes that look random but are the same for the same name, for credential IDs of
    /// unknown users.
    public func decoy(of identifier: String, number: Int) -> [UInt8] {
        ring.code(for: "\(number) \(identifier)".utf8, purpose: .decoyCredential)
    }

    /// Returns the MAC that proves that this server wrote the anchor of a pruned audit log.
    func mac(ofAnchor position: AuditChain) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(integer: position.number)
        writer.put(position.hash)
        return ring.code(for: writer.bytes, purpose: .auditAnchor)
    }

    /// The key under which the keys of records are sealed that belong to no account.
    var ownerless: AccountKey { AccountKey(ring, random) }

    /// Creates a new person's key and its sealed form. Destroying it destroys everything sealed
    /// under it.
    func newAccountKey(for id: UserID) -> (key: AccountKey, sealed: [UInt8]) {
        let bytes = random.bytes(MasterKey.size)
        return (AccountKey(MasterKey(bytes: bytes), random), seal(bytes, .accountKey, for: id.text))
    }

    /// Creates a key for one record of an account, and its form sealed under the account's key.
    /// Destroying it destroys everything sealed under it.
    func newRecordKey(of account: AccountKey, _ purpose: SealPurpose, for identity: String) -> (
        key: AccountKey, sealed: [UInt8]
    ) {
        let bytes = random.bytes(MasterKey.size)
        return (
            AccountKey(MasterKey(bytes: bytes), random),
            account.seal(bytes, purpose, for: identity)
        )
    }

    func recordKey(
        _ sealed: [UInt8], of account: AccountKey, _ purpose: SealPurpose, for identity: String
    ) throws(StoreError) -> AccountKey {
        let bytes = try account.open(sealed, purpose, for: identity)
        guard bytes.count == MasterKey.size else {
            throw StoreError(
                .corrupt, "\(purpose.label): a key has an invalid length of \(bytes.count) bytes")
        }
        return AccountKey(MasterKey(bytes: bytes), random)
    }

    func accountKey(_ sealed: [UInt8], for id: UserID) throws(StoreError) -> AccountKey {
        let bytes = try open(sealed, .accountKey, for: id.text)
        guard bytes.count == MasterKey.size else {
            throw StoreError(
                .corrupt, "an account key has an invalid length of \(bytes.count) bytes")
        }
        return AccountKey(MasterKey(bytes: bytes), random)
    }
}

extension SealError {
    /// Whether another key would open the record.
    fileprivate var isForeign: Bool {
        switch self {
        case .foreignKey, .keyVersion: true
        case .truncated, .trailingBytes, .magic, .version, .reserved, .refused: false
        }
    }
}

/// One person's key. Their profile, passwords, and templates are sealed under it. Destroying it
/// makes them unreadable, also in backups of its table.
struct AccountKey: Sendable {
    private let ring: KeyRing
    private let random: RandomSource

    init(_ key: MasterKey, _ random: RandomSource) { self.init(KeyRing(key), random) }

    init(_ ring: KeyRing, _ random: RandomSource) { (self.ring, self.random) = (ring, random) }

    func seal(_ content: [UInt8], _ purpose: SealPurpose, for identity: String) -> [UInt8] {
        RecordSealer(key: ring.active, purpose: purpose, random: random).seal(
            content, identity: Array(identity.utf8))
    }

    func open(_ record: [UInt8], _ purpose: SealPurpose, for identity: String) throws(StoreError)
        -> [UInt8]
    {
        do {
            return try RecordSealer(key: ring.key(of: record) ?? ring.active, purpose: purpose)
                .open(
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
    static let journeyToken = SealPurpose(label: "mien/v1/journey-token")
    static let capture = SealPurpose(label: "mien/v1/capture")
    static let keptFace = SealPurpose(label: "mien/v1/kept-face")
    static let captureTrail = SealPurpose(label: "mien/v1/capture-trail")
    static let shadowTemplate = SealPurpose(label: "mien/v1/shadow-template")
    static let webRecord = SealPurpose(label: "mien/v1/web-record")
    static let authorizationCode = SealPurpose(label: "mien/v1/authorization-code")
    static let grantClaims = SealPurpose(label: "mien/v1/grant-claims")
    static let deviceName = SealPurpose(label: "mien/v1/device-name")
    static let knownDeviceName = SealPurpose(label: "mien/v1/known-device-name")
    static let credentialID = SealPurpose(label: "mien/v1/credential-id")
    static let decoyCredential = SealPurpose(label: "mien/v1/decoy-credential")
    static let refreshToken = SealPurpose(label: "mien/v1/refresh-token")
    static let auditAnchor = SealPurpose(label: "mien/v1/audit-anchor")
    static let approval = SealPurpose(label: "mien/v1/approval")
    static let signingKey = SealPurpose(label: "mien/v1/signing-key")
    static let identityKey = SealPurpose(label: "mien/v1/identity-key")
    static let identityContent = SealPurpose(label: "mien/v1/identity-content")
    static let identityImage = SealPurpose(label: "mien/v1/identity-image")
    static let identityUpload = SealPurpose(label: "mien/v1/identity-upload")
    static let sessionKey = SealPurpose(label: "mien/v1/session-key")
    static let sessionContent = SealPurpose(label: "mien/v1/session-content")
    static let sessionImage = SealPurpose(label: "mien/v1/session-image")
    static let registryPerson = SealPurpose(label: "mien/v1/registry-person")
    static let evidenceKey = SealPurpose(label: "mien/v1/evidence-key")
    static let registryText = SealPurpose(label: "mien/v1/registry-text")
    static let adminMethod = SealPurpose(label: "mien/v1/admin-method")
    static let trailBand = SealPurpose(label: "mien/v1/trail-band")
    static let outbox = SealPurpose(label: "mien/v1/outbox")
    static let adminOffer = SealPurpose(label: "mien/v1/admin-offer")
    static let masterKey = SealPurpose(label: "mien/v1/master-key")
    static let scimUser = SealPurpose(label: "mien/v1/scim-user")
    static let organizationInvitation = SealPurpose(label: "mien/v1/organization-invitation")
}
