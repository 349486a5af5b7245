import Foundation
import MienAPI
import MienClient
import MienCore

/// A kind of write: performs it, and returns how to check it later.
typealias KillKind = @Sendable (KillClient, AttackedServer) async throws -> Void

/// All kinds of writes that clients perform while the server is killed. Each client creates its own
/// subjects when it first needs them.
final class KillKinds: Sendable {
    let passwordUser = KillState<PasswordUser?>(nil)
    let lockUser = KillState<LockUser?>(nil)
    let consentUser = KillState<ConsentUser?>(nil)
    let refresh = KillState<RefreshState?>(nil)
    let productKey = KillState<ProductKeyState?>(nil)
    let app = KillState<(id: AppID, name: String)?>(nil)
    let published = KillState(0)
    let run = KillState<(state: String, page: Int)?>(nil)
    let codes = KillState<TokenHolder?>(nil)
    let faceRun = KillState<FaceRun?>(nil)

    struct PasswordUser: Sendable {
        let id: UserID, name: String
        var password, before: String
    }
    struct LockUser: Sendable {
        let id: UserID, name: String, authenticator: AuthenticatorID
        var isLocked = false
    }

    var all: [KillKind] {
        [
            users, deletedUsers, apps, changedApps, publishedJourneys, changedPasswords, locks,
            steps, journeyTokens, rotations, usedRefreshTokens,
            authorizationCodes, challenges, consents, mailedCodes, passkeys, deviceKeys,
            oneTimeTokens, oneTimeCodes, productKeys, activations,
            recoveryCodeSets, recoveryCodes, signUps, faces,
        ]
    }

    /// Returns the number of a user's audit entries with this event.
    static func events(_ event: String, of user: UserID, _ server: AttackedServer) async throws
        -> Int
    {
        try await server.admin.audit(user: user).items.count { $0.event == event }
    }

    static func signsIn(_ name: String, _ password: String, _ server: AttackedServer) async throws
        -> Bool
    {
        let begun = try await server.start("password-login")
        guard let state = begun.body["state"]?.stringValue else {
            throw KillClient.Refused("password-login", begun)
        }
        return try await server.respond(
            state, "password", ["username": .string(name), "password": .string(password)]
        ).body["token"] != nil
    }

    /// Creates a user as the precondition of another write. This creation is not checked here; a
    /// separate kind covers it.
    func newUser(_ client: KillClient, _ server: AttackedServer, _ prefix: String) async throws -> (
        id: UserID, name: String
    ) {
        let name = await client.fresh(prefix)
        return (try await server.makeUser(name), name)
    }

    // MARK: Users and apps

    var users: KillKind {
        { client, server in
            let name = await client.fresh("user")
            try await client.write(
                "users created", name
            ) { server in
                guard let user = try await server.admin.findUser(name) else { return .notDone }
                guard let id = UserID(user.id), user.username == name,
                    user.email == "\(name)@example.org"
                else {
                    return .torn("\(name): \(user)")
                }
                let entries = try await Self.events("user.created", of: id, server)
                return entries == 1
                    ? .done : .torn("\(name) has \(entries) entries in the audit log")
            } by: {
                let user = try await server.admin.createUser(
                    UserRequest(username: name, email: "\(name)@example.org"))
                let id = UserID(user.id)!
                return { server in
                    let found = try await server.admin.user(id)
                    let entries = try await Self.events("user.created", of: id, server)
                    return found.username == name && entries == 1
                        ? nil : "\(found), \(entries) entries"
                }
            }
        }
    }

    var deletedUsers: KillKind {
        { client, server in
            let name = await client.fresh("gone"),
                user = try await server.admin.createUser(UserRequest(username: name)),
                id = UserID(user.id)!
            try await client.write(
                "users deleted", name
            ) { server in
                let isThere = try await server.admin.findUser(name) != nil
                let entries = try await Self.events("user.deleted", of: id, server)
                return switch (isThere, entries) {
                case (true, 0): .notDone
                case (false, 1): .done
                default: .torn("\(name): there: \(isThere), \(entries) entries")
                }
            } by: {
                try await server.admin.deleteUser(id)
                return { server in
                    try await server.admin.findUser(name) == nil ? nil : "deleted, but exists again"
                }
            }
        }
    }

    var apps: KillKind {
        { client, server in
            let name = await client.fresh("app"), id = AppID("app-\(name)")!
            try await client.write(
                "apps created", id.text
            ) { server in
                guard let app = try await server.admin.apps().first(where: { $0.id == id.text })
                else { return .notDone }
                return app.name == name ? .done : .torn("\(app)")
            } by: {
                _ = try await server.admin.createApp(AppRequest(id: id.text, name: name))
                return { server in
                    guard let app = try await server.admin.apps().first(where: { $0.id == id.text })
                    else { return "gone" }
                    // The same client may have renamed the app since.
                    return app.name.hasPrefix("app") ? nil : "\(app)"
                }
            }
            self.app.value = (id, name)
        }
    }

    var changedApps: KillKind {
        { client, server in
            guard let (id, before) = self.app.value else {
                return try await self.apps(client, server)
            }
            let name = await client.fresh("app")
            try await client.write(
                "apps changed", "change of \(id.text)"
            ) { server in
                let found = try await server.admin.app(id).name
                if found == name { self.app.value = (id, name) }
                return found == name ? .done : found == before ? .notDone : .torn("\(found)")
            } by: {
                _ = try await server.admin.updateApp(id, AppRequest(name: name))
                self.app.value = (id, name)
                return { server in
                    guard let (now, expected) = self.app.value, now == id else { return nil }
                    let found = try await server.admin.app(id).name
                    return found == expected ? nil : "\(found) instead of \(expected)"
                }
            }
        }
    }

    // MARK: Passwords and locks

    var changedPasswords: KillKind {
        { client, server in
            if self.passwordUser.value == nil {
                let (id, name) = try await self.newUser(client, server, "pass")
                self.passwordUser.value = PasswordUser(
                    id: id, name: name, password: AttackedServer.password,
                    before: "no earlier password")
            }
            let user = self.passwordUser.value!,
                new = await client.fresh("a new password for client ")
            let changed = PasswordUser(
                id: user.id, name: user.name, password: new, before: user.password)
            try await client.write(
                "passwords changed", "password of \(user.name)"
            ) { server in
                if try await Self.signsIn(user.name, new, server) {
                    self.passwordUser.value = changed
                    return .done
                }
                return try await Self.signsIn(user.name, user.password, server)
                    ? .notDone : .torn("neither password of \(user.name) works")
            } by: {
                _ = try await server.admin.updateUser(user.id, UserRequest(password: new))
                self.passwordUser.value = changed
                return { server in
                    let now = self.passwordUser.value!
                    if try await Self.signsIn(now.name, now.before, server) {
                        return "the previous password works"
                    }
                    return try await Self.signsIn(now.name, now.password, server)
                        ? nil : "the new password does not work"
                }
            }
        }
    }

    var locks: KillKind {
        { client, server in
            if self.lockUser.value == nil {
                let (id, name) = try await self.newUser(client, server, "lock")
                let authenticator = try await server.admin.authenticators(of: id).first {
                    $0.type == .known(.password)
                }
                guard let authenticator = authenticator.flatMap({ AuthenticatorID($0.id) }) else {
                    throw KillClient.Refused("locks", name)
                }
                self.lockUser.value = LockUser(id: id, name: name, authenticator: authenticator)
            }
            let user = self.lockUser.value!, locks = !user.isLocked
            try await client.write(
                "authenticators locked or unlocked", "lock of \(user.name)"
            ) { server in
                let found = try await server.admin.authenticators(of: user.id).first {
                    $0.id == user.authenticator.text
                }
                guard let found else { return .torn("the authenticator is missing") }
                self.lockUser.value?.isLocked = found.lock != .known(.open)
                return (found.lock != .known(.open)) == locks ? .done : .notDone
            } by: {
                if locks {
                    try await server.admin.lock(user.authenticator, of: user.id)
                } else {
                    try await server.admin.unlock(user.authenticator, of: user.id)
                }
                self.lockUser.value?.isLocked = locks
                return { server in
                    let expected = self.lockUser.value!.isLocked
                    let found = try await server.admin.authenticators(of: user.id).first {
                        $0.id == user.authenticator.text
                    }
                    if found.map({ $0.lock != .known(.open) }) != expected {
                        return "\(String(describing: found?.lock)), locked expected: \(expected)"
                    }
                    return try await Self.signsIn(user.name, AttackedServer.password, server)
                        == !expected ? nil : "the lock does not hold"
                }
            }
        }
    }
}
