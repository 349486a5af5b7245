package import MienCore
package import MienStore

/// Issues challenges to sign. Each is valid once, for five minutes, for one purpose.
package struct ChallengeService: Sendable {
    package enum Purpose: String, Sendable, CaseIterable {
        case anonymous = "anonymous_request"
        case biometric = "biometric_request"
        case appToApp = "app2app_request"
        /// A step of a journey. The binding names the run and the user.
        case journey
        /// The binding names the app and the user.
        case passkeyRegistration = "passkey_registration"
        /// The binding names the app, and the user if the client named one.
        case passkeySignIn = "passkey_sign_in"
        /// The binding names the administrator, or the code with which one is set up.
        case administratorPasskey = "administrator_passkey"
        case administratorSignIn = "administrator_sign_in"

        /// The purposes that clients may request directly. The server issues challenges for the
        /// others itself, together with their bindings.
        package static let open: Set<Purpose> = [.anonymous, .biometric, .appToApp]
    }

    package static let lifetime = Duration.seconds(300)
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    private static let length = 32

    let store: Store
    let clock: ServerClock

    package init(store: Store, clock: ServerClock) {
        (self.store, self.clock) = (store, clock)
    }

    /// - Returns: 32 characters of base32 (160 random bits), and the expiry.
    package func make(for purpose: Purpose, binding: String = "") async throws -> (
        token: String, expiresAt: Instant
    ) {
        var generator = SystemRandomNumberGenerator()
        let token = String(generator.bytes(Self.length).map { Self.letters[Int($0 & 31)] }),
            expiry = clock.now + Self.lifetime
        let hash = store.keys.hash(ofSecret: Array(token.utf8))
        try await store.write(.process) {
            try $0.challenges.insert(
                hash, purpose: purpose.rawValue, binding: binding, expiresAt: expiry)
        }
        return (token, expiry)
    }

    /// Uses up the challenge. Call before verifying any response to it.
    package func take(_ token: String, for purpose: Purpose, binding: String = "") async throws
        -> Bool
    {
        guard token.utf8.count == Self.length else { return false }
        let hash = store.keys.hash(ofSecret: Array(token.utf8)), now = clock.now
        return try await store.write {
            try $0.challenges.take(hash, purpose: purpose.rawValue, binding: binding, at: now)
        }
    }
}
