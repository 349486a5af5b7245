public import MienCore
internal import MienVault

/// The server's persistent data. Repositories belong to a transaction, so that related data is
/// written together.
///
///     let id = try await store.write { tables in
///         try tables.accounts.insert(account)
///         try tables.audit.append(event, at: now)
///         return account.id
///     }
public final class Store: Sendable {
    private let driver: any SQLDriver
    public let keys: StoreKeys
    /// Where the master keys are stored.
    package let keySource: MasterKeySource
    private let versions = ChangeVersionReader()
    /// The look at the database that is under way, for all that ask meanwhile.
    private let following = Locked<Task<MasterKeyFollowing, any Error>?>(nil)

    /// Creates a store and migrates the schema.
    ///
    /// - Throws: ``StoreError``; `.foreignKey` if the data is sealed under another master key.
    public convenience init(_ driver: any SQLDriver, keys: StoreKeys) async throws {
        try await self.init(
            driver, keys: keys, source: MasterKeySource(nil, containing: keys.ring))
    }

    /// Creates a store as ``init(_:keys:)`` does. On a database that servers share, first takes over the
    /// master keys that the others have made.
    ///
    /// - Parameter source: Where the keys are stored.
    package init(_ driver: any SQLDriver, keys: StoreKeys, source: MasterKeySource) async throws {
        (self.driver, self.keys, keySource) = (driver, keys, source)
        try await Migrator.migrate(driver)
        if driver.isShared { try await beginMasterKeys() }
        // Every server seals a signing key before it serves anyone.
        _ = try await driver.read {
            try Tables(connection: $0, keys: keys).signingKeys.current(at: Instant(seconds: 0))
        }
    }

    /// Whether several servers may use the database at once.
    public var isShared: Bool { driver.isShared }

    /// The number of writes that wait for the writer, and how many may.
    public var waitingWrites: Int { driver.waitingWrites }
    public var maxWaitingWrites: Int { driver.maxWaitingWrites }

    /// The number of reads that run or wait for a reader, and the number of readers.
    public var reads: Int { driver.reads }
    public var readers: Int { driver.readers }

    /// - Throws: the error of `body`, in which case nothing was written, or ``StoreError``; `.stale`
    ///   within ``assuming(_:_:)`` if another server has changed what the request has used.
    public func write<Output: Sendable>(
        _ durability: Durability = .always, _ body: @escaping @Sendable (Tables) throws -> Output
    ) async throws -> Output {
        let keys = keys, client = AuditClient.address, lease = HeldLease.current
        let isShared = driver.isShared, assumptions = Assumptions.current
        let (output, restsOnAssumptions) = try await withKeys { [driver] in
            try await driver.write(durability) {
                let fence = assumptions.map { AssumptionFence($0) }
                let connection: any SQLConnection =
                    isShared
                    ? FencedConnection(
                        connection: $0,
                        fences: [MasterKeyFence(keys.ring)] + (fence.map { [$0] } ?? [])) : $0
                let tables = Tables(connection: connection, keys: keys, client: client)
                if let lease { try tables.leases.require(lease) }
                return (try body(tables), fence?.hasPassed == true)
            }
        }
        if restsOnAssumptions { assumptions?.noteWrite() }
        return output
    }

    /// Takes or extends a lease of work that one server does for all.
    ///
    /// - Returns: `nil` while another server holds it.
    public func takeLease(_ name: String, for holder: String, at now: Instant, lasting: Duration)
        async throws -> Lease?
    {
        try await HeldLease.$current.withValue(nil) {
            try await write(.process) {
                try $0.leases.take(name, for: holder, at: now, until: now + lasting)
            }
        }
    }

    /// Returns the repositories on a connection of the caller, such as a simulation.
    package func tables(on connection: any SQLConnection) -> Tables {
        Tables(connection: connection, keys: keys)
    }

    public func read<Output: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Output)
        async throws -> Output
    {
        let keys = keys
        return try await withKeys { [driver] in
            try await driver.read { try body(Tables(connection: $0, keys: keys)) }
        }
    }

    /// Reads with one query at most, which costs less than ``read(_:)`` on a database that servers share.
    public func readOne<Output: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Output)
        async throws -> Output
    {
        let keys = keys
        return try await withKeys { [driver] in
            try await driver.readOne { try body(Tables(connection: $0, keys: keys)) }
        }
    }

    /// Returns how often something has changed that servers keep in memory. Calls at the same time
    /// share a query.
    ///
    /// - Parameter known: The version that the server keeps; within ``assuming(_:_:)``, it is returned
    ///   unless the request has asked.
    public func changeVersion(of topic: ChangeTopic, known: Int64 = -1) async throws -> Int64 {
        if known >= 0, let version = Assumptions.current?.version(of: topic, known: known) {
            return version
        }
        let all = try await versions.versions { try await readOne { try $0.changes.all() } }
        return all[topic] ?? 0
    }

    /// Repeats `body` if it met a record under a master key that other servers seal with already, and
    /// this server could take the key over.
    private func withKeys<Output>(_ body: @Sendable () async throws -> Output) async throws
        -> Output
    {
        do { return try await body() } catch let error as StoreError
            where error.code == .foreignKey && driver.isShared
        {
            let before = keys.ring.keys.map(\.name)
            guard (try? await followMasterKeys()) != nil, keys.ring.keys.map(\.name) != before
            else { throw error }
            return try await body()
        }
    }

    /// Takes over the master keys that other servers have made, seals with the one in use, and drops those
    /// that were removed, until the ring is as the database says.
    ///
    /// - Throws: ``StoreError``; `.foreignKey` if the keys are too old to open the one in use.
    package func followMasterKeys() async throws -> MasterKeyFollowing {
        let task = following.withLock { following in
            if let following { return following }
            let new = Task { [self] in
                defer { self.following.withLock { $0 = nil } }
                return try await MasterKeyFollower(store: self).follow()
            }
            following = new
            return new
        }
        return try await task.value
    }
}

extension Store {
    /// Returns what all servers on this database announce with ``Tables/notify(_:_:)``. The first
    /// element is ``StoreNotification/resynchronize``.
    public func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        driver.notifications(channels)
    }
}

/// The repositories, within one transaction.
public struct Tables {
    let connection: any SQLConnection
    let keys: StoreKeys
    /// The client recorded in audit entries.
    var client: String?

    /// Announces a change to all servers on this database, once the transaction is committed.
    ///
    /// - Parameter payload: What changed, such as an ID; nothing personal and nothing secret.
    public func notify(_ channel: StoreChannel, _ payload: String = "") throws(StoreError) {
        try connection.notify(channel, payload)
    }

    public var apps: AppTable { AppTable(connection: connection) }
    public var accounts: AccountTable { AccountTable(connection: connection, keys: keys) }
    public var authenticators: AuthenticatorTable {
        AuthenticatorTable(connection: connection, keys: keys)
    }
    public var defaultChoices: DefaultChoiceTable { DefaultChoiceTable(connection: connection) }
    public var keptFaces: KeptFaceTable { KeptFaceTable(connection: connection) }
    public var locks: LockTable { LockTable(connection: connection) }
    public var consents: ConsentTable { ConsentTable(connection: connection) }
    public var export: AccountExport { AccountExport(connection: connection, keys: keys) }
    public var devices: KnownDeviceTable { KnownDeviceTable(connection: connection) }
    public var outbox: OutboxTable { OutboxTable(connection: connection, keys: keys) }
    public var servers: ServerTable { ServerTable(connection: connection) }
    public var leases: LeaseTable { LeaseTable(connection: connection) }
    public var changes: ChangeVersionTable { ChangeVersionTable(connection: connection) }
    public var galleries: GalleryTable { GalleryTable(connection: connection, keys: keys) }
    public var rates: RateTable { RateTable(connection: connection) }
    public var journeys: JourneyTable { JourneyTable(connection: connection) }
    public var runs: JourneyRunTable { JourneyRunTable(connection: connection, keys: keys) }
    public var captures: CaptureTable { CaptureTable(connection: connection, keys: keys) }
    public var trails: CaptureTrailTable { CaptureTrailTable(connection: connection, keys: keys) }
    public var shadowTemplates: ShadowTemplateTable {
        ShadowTemplateTable(connection: connection)
    }
    public var codes: OneTimeCodeTable { OneTimeCodeTable(connection: connection) }
    public var admins: AdminTable { AdminTable(connection: connection) }
    public var adminMethods: AdminMethodTable {
        AdminMethodTable(connection: connection, keys: keys)
    }
    public var adminSessions: AdminSessionTable { AdminSessionTable(connection: connection) }
    public var adminLocks: AdminLockTable { AdminLockTable(connection: connection) }
    public var adminOffers: AdminOfferTable { AdminOfferTable(connection: connection, keys: keys) }
    public var organizations: OrganizationTable { OrganizationTable(connection: connection) }
    public var groups: GroupTable { GroupTable(connection: connection) }
    public var organizationMembers: OrganizationMemberTable {
        OrganizationMemberTable(connection: connection)
    }
    public var organizationInvitations: OrganizationInvitationTable {
        OrganizationInvitationTable(connection: connection, keys: keys)
    }
    public var scimTokens: SCIMTokenTable { SCIMTokenTable(connection: connection) }
    public var scimUsers: SCIMUserTable { SCIMUserTable(connection: connection, keys: keys) }
    public var scimGroups: SCIMGroupTable { SCIMGroupTable(connection: connection) }
    public var signingKeys: SigningKeyTable { SigningKeyTable(connection: connection, keys: keys) }
    public var grants: TokenGrantTable {
        TokenGrantTable(connection: connection, keys: keys)
    }
    public var challenges: ChallengeTable { ChallengeTable(connection: connection) }
    public var authorizationCodes: AuthorizationCodeTable {
        AuthorizationCodeTable(connection: connection, keys: keys)
    }
    public var spent: SpentTable { SpentTable(connection: connection) }
    public var deviceKeys: DeviceKeyTable { DeviceKeyTable(connection: connection) }
    public var passkeys: PasskeyTable { PasskeyTable(connection: connection) }
    public var otpRegistrations: OTPRegistrationTable {
        OTPRegistrationTable(connection: connection)
    }
    public var approvals: ApprovalTable { ApprovalTable(connection: connection, keys: keys) }
    public var otpTokens: OTPTokenTable { OTPTokenTable(connection: connection) }
    public var productKeys: ProductKeyTable { ProductKeyTable(connection: connection) }
    public var recoveryCodes: RecoveryCodeTable { RecoveryCodeTable(connection: connection) }
    public var recoveries: RecoveryTable { RecoveryTable(connection: connection) }
    public var mailedLinks: MailedLinkTable { MailedLinkTable(connection: connection) }
    public var web: WebRecordTable { WebRecordTable(connection: connection, keys: keys) }
    public var registrationTokens: RegistrationTokenTable {
        RegistrationTokenTable(connection: connection)
    }
    public var refusals: AppRefusalTable { AppRefusalTable(connection: connection) }
    public var permissions: AppPermissionTable { AppPermissionTable(connection: connection) }
    public var verifications: VerificationTable { VerificationTable(connection: connection) }
    public var verificationAttempts: VerificationAttemptTable {
        VerificationAttemptTable(connection: connection, keys: keys)
    }
    public var identityUploads: IdentityUploadTable {
        IdentityUploadTable(connection: connection)
    }
    public var verificationSessions: VerificationSessionTable {
        VerificationSessionTable(connection: connection, keys: keys)
    }
    public var identityJobs: IdentityJobTable { IdentityJobTable(connection: connection) }
    public var reviewCases: ReviewCaseTable { ReviewCaseTable(connection: connection) }
    public var duplicateSearches: DuplicateSearchTable {
        DuplicateSearchTable(connection: connection)
    }
    public var faceGroups: FaceGroupTable { FaceGroupTable(connection: connection) }
    public var duplicateCases: DuplicateCaseTable { DuplicateCaseTable(connection: connection) }
    public var registry: RegistryTable { RegistryTable(connection: connection, keys: keys) }
    public var masterKeys: MasterKeyUse { MasterKeyUse(connection: connection, keys: keys) }
    package var masterKeyTable: MasterKeyTable {
        MasterKeyTable(connection: connection, keys: keys)
    }
    public var audit: AuditTable { AuditTable(connection: connection, keys: keys, client: client) }
}
