package import MienAPI
package import MienCore
package import MienStore

/// Guards every authenticator: counts a guess before the secret or the face is checked, and records
/// the result afterward.
///
/// A guess is counted durably before it is checked, so neither parallel guesses nor a crash makes
/// one free.
package struct LockGate: Sendable {
    let store: Store
    let apps: AppCatalog
    let clock: ServerClock

    package init(store: Store, apps: AppCatalog, clock: ServerClock) {
        (self.store, self.apps, self.clock) = (store, apps, clock)
    }

    /// A counted guess that may be checked.
    package struct Pass: Sendable {
        let authenticator: AuthenticatorRecord
        let line: AuthenticatorLock.Line
        let policy: LockPolicy
        let device: DeviceID?
        let begun: Instant
    }

    /// Counts a guess.
    ///
    /// - Parameter device: the calling device, if it is one of the account's. If the method has
    ///   succeeded on it before, it has its own counter, so that strangers cannot lock it out.
    /// - Returns: `nil` if the authenticator is locked or disabled for this caller.
    package func begin(_ authenticator: AuthenticatorRecord, device: DeviceID?) async throws
        -> Pass?
    {
        let now = clock.now,
            policy = try await policy(for: authenticator.type, app: authenticator.app)
        let line = try await store.write {
            try begin(authenticator, device: device, under: policy, in: $0, at: now)
        }
        return line.map {
            Pass(authenticator: authenticator, line: $0, policy: policy, device: device, begun: now)
        }
    }

    /// The policy of an app for a method.
    package func policy(for type: AuthenticatorType, app: AppID?) async throws -> LockPolicy {
        try await apps.lockPolicy(for: type, app: app)
    }

    /// Counts a guess in a transaction, together with what ends it.
    package func begin(
        _ authenticator: AuthenticatorRecord, device: DeviceID?, under policy: LockPolicy,
        in tables: Tables, at now: Instant
    ) throws -> AuthenticatorLock.Line? {
        try tables.locks.change(authenticator, device: device) { $0.begin(under: policy, at: now) }
    }

    /// Takes as long and writes as durably as ``begin(_:device:)``, for a guess that is not checked
    /// because the authenticator is missing or locked.
    package func pretend() async throws {
        let now = clock.now
        try await store.write { try pretend(in: $0, at: now) }
    }

    /// Writes as much as ``begin(_:device:under:in:at:)``.
    package func pretend(in tables: Tables, at now: Instant) throws {
        var generator = SystemRandomNumberGenerator()
        let nobody = AuthenticatorRecord(
            id: .random(using: &generator), account: .random(using: &generator), type: .password,
            app: nil, content: [], createdAt: now)
        _ = try tables.locks.lock(of: nobody, device: nil)
        // One row, which the next sweep deletes.
        try tables.codes.put(
            "nobody", hash: store.keys.hash(ofSecret: Array("nobody".utf8)), expiresAt: now)
    }

    /// Records a correct guess. From now on, the device has its own counter for this method if it
    /// is one of the account's.
    package func succeed(_ pass: Pass) async throws {
        let now = clock.now
        try await store.write { tables in
            try tables.locks.change(pass.authenticator, device: pass.device) {
                $0.succeed(
                    through: pass.line, under: pass.policy, isKnownDevice: pass.device != nil)
            }
            if let device = pass.device { try tables.devices.touch(device, at: now) }
        }
    }

    /// Takes back a guess that was never checked, through no fault of the caller.
    ///
    /// Runs to its end even in a canceled task, so that the guess of a client that hung up does not
    /// stay counted.
    package func abandon(_ pass: Pass) async throws {
        try await Task {
            try await store.write { tables in
                _ = try tables.locks.change(pass.authenticator, device: pass.device) {
                    $0.abandon(through: pass.line, under: pass.policy, begun: pass.begun)
                }
            }
        }.value
    }

    /// Whether the device has its own counter for this method.
    package func hasOwnCounter(
        _ device: DeviceID, _ account: UserID, _ method: AuthenticatorType, in app: AppID
    ) async throws -> Bool {
        try await store.read { tables in
            try tables.locks.hasOwnCounter(device, tables.lockSubject(account, method, in: app))
        }
    }
}

extension Tables {
    /// Returns the subject of an account's failures with a method in an app: for a face that apps
    /// share, that of all of them.
    func lockSubject(_ account: UserID, _ method: AuthenticatorType, in app: AppID) throws
        -> LockSubject
    {
        guard method == .face, let record = try accounts.find(account),
            let face = try self.face(of: record, in: app)
        else { return LockSubject(account, method, app: app) }
        return face.lockSubject
    }
}

extension Problem {
    /// Tells a signed-in owner that an authenticator is locked.
    package static func authenticatorLocked(_ name: String) -> Problem {
        Problem(.conflict, "\(name) is locked. Ask an administrator to unlock it.")
    }
}
