internal import MienAccess
internal import MienCore
internal import MienStore

/// The one gate before every authenticator: asked before the secret or the face is looked at, told afterwards.
///
/// A guess is counted durably before it is judged, so that neither many at once nor a crash in between makes one free.
struct LockGate: Sendable {
    let store: Store
    let clock: ServerClock

    /// A guess that may be judged.
    struct Pass: Sendable {
        let authenticator: AuthenticatorID
        let scope: String
        let policy: LockPolicy
        let begun: Instant
    }

    /// - Parameter device: one the account has signed in on: its guesses are counted apart, so that strangers cannot lock it out.
    /// - Returns: `nil` when the authenticator is locked or disabled for this caller.
    func begin(_ authenticator: AuthenticatorID, policy: LockPolicy, device: DeviceID?) async throws -> Pass? {
        let now = clock.now, scope = device?.text ?? LockTable.strangers
        let isOpen = try await store.write { tables in
            // An administrator's lock holds for everybody.
            if try tables.locks.counter(of: authenticator, scope: Self.administrative).isDisabled { return false }
            var counter = try tables.locks.counter(of: authenticator, scope: scope)
            guard counter.begin(under: policy, at: now) else { return false }
            try tables.locks.set(counter, of: authenticator, scope: scope)
            return true
        }
        return isOpen ? Pass(authenticator: authenticator, scope: scope, policy: policy, begun: now) : nil
    }

    /// As long as ``begin(_:policy:device:)`` and as lasting, for a guess that is not judged: at nobody's authenticator, or at a locked one.
    func pretend() async throws {
        let now = clock.now, hash = store.keys.hash(ofSecret: Array("nobody".utf8))
        // One row, which the next sweep takes.
        try await store.write { try $0.codes.put("nobody", hash: hash, expiresAt: now) }
    }

    func succeed(_ pass: Pass) async throws { try await change(pass) { $0.succeed(under: pass.policy) } }

    /// What was to be judged never was, through no fault of the caller.
    ///
    /// Runs to its end even in a canceled task: the guess of a client that hung up is not to stay counted.
    func abandon(_ pass: Pass) async throws {
        try await Task { try await change(pass) { $0.abandon(under: pass.policy, begun: pass.begun) } }.value
    }

    /// By a journey or an administrator, until it is unlocked.
    func lock(_ authenticator: AuthenticatorID) async throws {
        try await store.write { tables in
            var counter = LockCounter()
            counter.lock()
            try tables.locks.set(counter, of: authenticator, scope: Self.administrative)
        }
    }

    /// The scope no caller has.
    static let administrative = "*"

    private func change(_ pass: Pass, _ body: @escaping @Sendable (inout LockCounter) -> Void) async throws {
        try await store.write { tables in
            var counter = try tables.locks.counter(of: pass.authenticator, scope: pass.scope)
            body(&counter)
            try tables.locks.set(counter, of: pass.authenticator, scope: pass.scope)
        }
    }
}
