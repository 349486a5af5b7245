internal import MienCore
internal import MienStore

/// Devices that an account has signed in on: they prove it with a token, and their guesses are counted apart from strangers'.
struct KnownDeviceService: Sendable {
    let store: Store

    /// - Returns: `nil` for a token that is none, of another app or of a user who is gone: such a device is a stranger's, and no error.
    func find(_ token: String, app: AppID) async throws -> KnownDevice? {
        guard let (id, secret) = BearerSecret.parse(token, DeviceKind.self) else { return nil }
        let hash = store.keys.hash(ofSecret: secret)
        guard let found = try await store.read({ try $0.devices.find(tokenHash: hash) }), found.id == id, found.app == app else { return nil }
        return found
    }

    /// - Parameter epoch: the account's when the user proved who they are.
    /// - Returns: the new device's token, which is told once; `nil` when the account has a later epoch.
    func make(_ account: UserID, _ app: AppID, epoch: Int?, at now: Instant) async throws -> String? {
        var generator = SystemRandomNumberGenerator()
        let id = DeviceID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let hash = store.keys.hash(ofSecret: token.secret)
        let isMade = try await store.write { tables in
            guard try tables.accounts.standing(of: account)?.epoch == epoch else { return false }
            try tables.devices.insert(KnownDevice(id: id, account: account, app: app), tokenHash: hash, at: now)
            return true
        }
        return isMade ? token.text.use { $0 } : nil
    }
}
