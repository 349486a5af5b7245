import MienAPI
import MienClient
import MienCore
import MienIdentity
import Testing

@testable import MienServer
@testable import MienStore

/// Records that take a long way to make: messages that are tried again in an hour, known devices, and
/// cases of duplicate faces.
extension WaitingSteps {
    static let guest = AppID("guest")!

    private var store: Store { server.server.parts.store }

    // MARK: Messages

    /// Lets a mail with a code wait for its delivery.
    ///
    /// - Returns: The ID of the message.
    func queueMail(about user: UserID) async throws -> String {
        try await queue(.mail, for: nil, about: user)
    }

    /// Lets a message to the app of others wait for its delivery.
    ///
    /// - Returns: The ID of the message.
    func queueMessage(about user: UserID) async throws -> String {
        try await queue(.identity, for: Self.guest, about: user)
    }

    private func queue(_ kind: OutboxMessage.Kind, for app: AppID?, about user: UserID)
        async throws -> String
    {
        let message = OutboxMessage(
            id: OutboxMessage.freshID(), kind: kind, app: app, account: user,
            content: Sensitive([]), createdAt: server.time.now + .seconds(3600))
        try await store.write { try $0.outbox.insert(message) }
        return message.id
    }

    /// Returns the account that a message is about; `nil` if it waits no longer.
    func account(ofMessage id: String) async throws -> UserID? {
        try await store.read { tables -> UserID? in
            let row = try tables.connection.row(
                "SELECT account_id FROM outbox WHERE id = ?", .text(id))
            guard let row else { return nil }
            return try row.identifier(0) as UserID
        }
    }

    // MARK: Devices

    /// Lets the app of others know a device of a user.
    ///
    /// - Returns: The hash of its token.
    func knowDevice(of user: UserID) async throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let device = KnownDevice(
            id: .random(using: &generator), account: user, app: Self.guest)
        let hash = generator.bytes(32), now = server.time.now
        try await store.write { try $0.devices.insert(device, tokenHash: hash, at: now) }
        return hash
    }

    /// Returns the account that a known device belongs to.
    func account(ofDevice hash: [UInt8]) async throws -> UserID? {
        try await store.read { try $0.devices.find(tokenHash: hash)?.account }
    }

    // MARK: Permissions and recoveries

    /// Returns when the user gave the app of others its permission.
    func permission(of user: UserID) async throws -> Instant? {
        try await store.read { tables -> Instant? in
            try tables.permissions.all(of: user).first { $0.app == Self.guest }?.givenAt
        }
    }

    /// Returns the recovery that is pending for a user.
    func recovery(of user: UserID) async throws -> RecoveryID? {
        let now = server.time.now
        return try await store.read { tables -> RecoveryID? in
            try tables.recoveries.all(of: user).last { $0.request.isOpen(at: now) }?.id
        }
    }

    // MARK: Duplicate faces

    /// Opens a case about two users, who get faces in the app of others.
    ///
    /// - Returns: `nil` if there is one about them.
    func openDuplicate(of user: UserID, and other: UserID) async throws -> DuplicateCaseID? {
        var generator = SystemRandomNumberGenerator()
        let now = server.time.now, id = DuplicateCaseID.random(using: &generator)
        let faces = [
            (user, AuthenticatorID.random(using: &generator)),
            (other, AuthenticatorID.random(using: &generator)),
        ]
        let record = DuplicateCaseRecord(
            duplicate: DuplicateCase(id: id, needsSecondReviewer: false), app: Self.guest,
            account: user, other: other, score: MatchScore(63.4), openedAt: now)
        let isOpen = try await store.write { tables -> Bool in
            for (user, face) in faces {
                let account = try #require(try tables.accounts.find(user))
                let known = try tables.authenticators.find(.face, of: account, app: Self.guest)
                guard known == nil else { continue }
                try tables.authenticators.insert(
                    AuthenticatorRecord(
                        id: face, account: user, type: .face, app: Self.guest,
                        content: Array("a template".utf8), createdAt: now), of: account)
            }
            return try tables.duplicateCases.insert(record)
        }
        return isOpen ? id : nil
    }

    /// Decides a case of duplicate faces.
    ///
    /// - Returns: The accounts that it was about; empty if there is no such case.
    func decideDuplicate(_ id: DuplicateCaseID) async throws -> [UserID] {
        let isThere = try await isFound {
            try await server.admin.decideDuplicate(id.text, .distinct)
        }
        guard isThere else { return [] }
        return try await server.admin.duplicateCase(id.text).accounts.compactMap {
            UserID($0.user)
        }
    }
}
