internal import MienAPI
package import MienCore
package import MienStore

/// Issues and looks up the tokens of devices that an account has signed in on. Such a device has
/// its own counters at the lock gate.
package struct KnownDeviceService: Sendable {
    let store: Store

    /// - Parameter app: The app that the token is for. `nil` accepts the token of any app, for
    ///   tokens that the server itself keeps in a cookie.
    /// - Returns: `nil` for a malformed token, a token of another app, or a token of a deleted
    ///   user. Such a device counts as unknown, which is not an error.
    package func find(_ token: String, app: AppID?) async throws -> KnownDevice? {
        guard let (id, secret) = BearerSecret.parse(token, DeviceKind.self) else { return nil }
        let hash = store.keys.hash(ofSecret: secret)
        guard let found = try await store.read({ try $0.devices.find(tokenHash: hash) }),
            found.id == id, app == nil || found.app == app
        else {
            return nil
        }
        return found
    }

    /// - Parameters:
    ///   - epoch: The account's epoch when the user authenticated.
    ///   - methods: The methods that have just succeeded on the device. Each earns the device its
    ///     own counter.
    /// - Returns: The new device's token, which is shown only once, or `nil` if the account's epoch
    ///   has advanced.
    package func make(
        _ account: UserID, _ app: AppID, epoch: Int?, methods: Set<AuthenticatorType>,
        at now: Instant
    ) async throws -> String? {
        var generator = SystemRandomNumberGenerator()
        let id = DeviceID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let hash = store.keys.hash(ofSecret: token.secret)
        let isMade = try await store.write { tables in
            guard try tables.accounts.standing(of: account)?.epoch == epoch else { return false }
            let earned = try methods.map { try tables.lockSubject(account, $0, in: app) }
            try tables.devices.insert(
                KnownDevice(id: id, account: account, app: app), tokenHash: hash, earned: earned,
                at: now)
            return true
        }
        return isMade ? token.text.use { $0 } : nil
    }
}
