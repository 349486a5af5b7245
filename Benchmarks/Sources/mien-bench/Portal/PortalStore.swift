import Foundation
import MienAPI
import MienCore
import MienIdentity
import MienStore
import MienVault

/// A server's data folder with invented records, as many as its lists are measured with. The IDs are
/// numbered in the order of the lists.
struct PortalStore {
    let folder: URL
    let users: Int
    /// The credential of an owner.
    let credential: String

    /// The numbers of records besides users and entries of the audit log.
    var cases: Int { max(200, users / 10) }
    var apps: Int { max(200, users / 100) }

    static let event = "user.created", rareEvent = "user.deleted"
    /// The user who has all sign-ins.
    static let user = id(0, "usr_", UserKind.self)
    static let owner = AdminID("adm_owner")!
    /// The organization that has all members and invitations.
    static let organization = id(0, "org_", OrganizationKind.self)
    /// As many as one may have.
    static let invitations = 1000
    private static let batch = 1000
    private static let start = Instant(milliseconds: 1_700_000_000_000)

    /// - Parameter progress: Receives the number of users that are stored.
    init(users: Int, _ progress: (Int) -> Void) async throws {
        self.users = users
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        credential = "\(Self.owner.text).\(Base64URL.encode(secret))"
        folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-portal-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let ring = try KeyFile(path: folder.appending(path: "master.key").path)
            .loadOrCreateRing(sealedRecordsExist: false)
        let driver = try SQLiteDriver(path: folder.appending(path: "mien.sqlite").path)
        let store = try await Store(driver, keys: StoreKeys(ring))
        let hash = store.keys.hash(ofSecret: secret), now = Self.start
        try await store.write { tables in
            try tables.admins.insert(
                AdminRecord(id: Self.owner, name: "Owner", role: .owner, createdAt: now),
                tokenHash: hash)
        }
        try await fill(store, progress)
        try driver.close()
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    static func id<Kind>(_ index: Int, _ prefix: String, _: Kind.Type) -> Identifier<Kind> {
        let digits = String(index)
        return Identifier(prefix + String(repeating: "0", count: 8 - digits.count) + digits)!
    }

    static func name(_ index: Int) -> String { "person-\(index)" }

    private static func time(_ index: Int) -> Instant { start + .milliseconds(index) }

    private func fill(_ store: Store, _ progress: (Int) -> Void) async throws {
        for first in stride(from: 0, to: users, by: Self.batch) {
            let range = first..<min(users, first + Self.batch), keys = store.keys
            let (cases, apps) = (cases, apps)
            // The profiles are sealed outside of the transaction.
            let accounts = range.map {
                AccountRecord.new(
                    Self.id($0, "usr_", UserKind.self), AccountProfile(username: Self.name($0)),
                    keys: keys, at: Self.time($0))
            }
            try await store.write(.process) { tables in
                for (index, account) in zip(range, accounts) {
                    try tables.accounts.insert(
                        account, names: [LoginName(Self.name(index), kind: .username)])
                    try tables.audit.append(
                        AuditEvent(
                            index % 100_000 == 7 ? Self.rareEvent : Self.event,
                            actor: Self.owner.text, account: account.record.id),
                        at: Self.time(index))
                    if index < apps { try Self.app(index, in: tables) }
                    if index < cases { try Self.cases(index, account.record, in: tables) }
                    if index < Self.invitations { try Self.invitation(index, in: tables) }
                }
            }
            progress(range.upperBound)
        }
    }

    private static func app(_ index: Int, in tables: Tables) throws {
        try tables.apps.insert(
            AppRecord(
                id: id(index, "app_", AppKind.self), name: "App \(index)", type: .public,
                settings: AppSettings(), createdAt: time(index)))
        try tables.admins.insert(
            AdminRecord(
                id: id(index, "adm_", AdminKind.self), name: "Administrator \(index)",
                role: .auditor, createdAt: time(index)), tokenHash: nil)
        // Organizations are listed by name.
        let organization = id(index, "org_", OrganizationKind.self)
        try tables.organizations.insert(
            OrganizationRecord(
                id: organization, name: OrganizationName("Organization \(organization.text)")!,
                createdAt: time(index)))
    }

    private static func invitation(_ index: Int, in tables: Tables) throws {
        let name = "guest-\(index)"
        try tables.organizationInvitations.put(
            OrganizationInvitation(
                id: id(index, "oin_", OrganizationInvitationKind.self), organization: organization,
                name: Sensitive(name), kind: .username, roles: .none, author: owner.text,
                createdAt: time(index), expiresAt: Instant(milliseconds: 4_000_000_000_000)),
            of: LoginName(name, kind: .username), account: nil)
    }

    private static func cases(_ index: Int, _ account: AccountRecord, in tables: Tables) throws {
        let app = id(0, "app_", AppKind.self), time = time(index)
        try tables.organizationMembers.insert(
            OrganizationMember(
                organization: organization, account: account.id, roles: .none, createdAt: time))
        let attempt = id(index, "idv_", IdentityAttemptKind.self)
        try tables.verificationAttempts.insert(
            AttemptRecord(
                id: attempt, account: account.id, app: app, kind: .personalData, begunAt: time,
                contentExpiresAt: time + .seconds(365 * 86_400), content: Sensitive([123, 125])),
            images: [], of: account)
        try tables.reviewCases.insert(
            ReviewCaseRecord(
                review: ReviewCase(
                    id: id(index, "cas_", ReviewCaseKind.self), attempt: attempt,
                    needsSecondReviewer: false),
                account: account.id, app: app, openedAt: time))
        if index > 0 {
            _ = try tables.duplicateCases.insert(
                DuplicateCaseRecord(
                    duplicate: DuplicateCase(
                        id: id(index, "dup_", DuplicateCaseKind.self), needsSecondReviewer: false),
                    app: app, account: account.id, other: id(index - 1, "usr_", UserKind.self),
                    score: MatchScore(60), openedAt: time))
        }
        try tables.productKeys.insert(
            ProductKeyRecord(
                id: id(index, "pk_", ProductKeyKind.self), product: "mien", name: "Key \(index)",
                activations: 1, days: 365, createdAt: time), hash: Array("\(index)".utf8))
        // They live longer than the measurement.
        let lifetime = TokenLifetimes(
            refreshSeconds: 10 * 365 * 86_400, expiresAfterIdling: false)
        try tables.grants.insert(
            TokenGrantRecord(
                id: id(index, "grt_", GrantKind.self), account: user, app: app, authenticator: nil,
                nonce: Array("\(index)".utf8), scope: .standard, resources: [], methods: ["pwd"],
                keyThumbprint: nil, signedInAt: time,
                family: RefreshFamily(under: lifetime, at: time)))
    }
}
