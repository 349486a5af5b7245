internal import MienAccess
internal import MienCore
internal import MienStore

/// Devices that an account has signed in on. They prove it with a token and have counters of their
/// own at the lock gate.
struct KnownDeviceService: Sendable {
    let store: Store

    /// - Parameter app: the app the token is for; `nil` takes any app's, for tokens that the server
    ///   itself keeps in a cookie.
    /// - Returns: `nil` for a malformed token, another app's, or a deleted user's. Such a device
    ///   counts as unknown, which is not an error.
    func find(_ token: String, app: AppID?) async throws -> KnownDevice? {
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
    ///   - epoch: the account's when the user proved who they are.
    ///   - methods: those that have just succeeded on the device, which earn it counters of its
    ///     own.
    /// - Returns: the new device's token, which is told once; `nil` when the account has a later
    ///   epoch.
    func make(
        _ account: UserID, _ app: AppID, epoch: Int?, methods: Set<AuthenticatorType>,
        at now: Instant
    ) async throws -> String? {
        var generator = SystemRandomNumberGenerator()
        let id = DeviceID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let hash = store.keys.hash(ofSecret: token.secret),
            earned = methods.map { LockSubject(account, $0, app: app) }
        let isMade = try await store.write { tables in
            guard try tables.accounts.standing(of: account)?.epoch == epoch else { return false }
            try tables.devices.insert(
                KnownDevice(id: id, account: account, app: app), tokenHash: hash, earned: earned,
                at: now)
            return true
        }
        return isMade ? token.text.use { $0 } : nil
    }
}
