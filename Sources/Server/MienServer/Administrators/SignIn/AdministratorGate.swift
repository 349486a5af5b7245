internal import MienAPI
internal import MienCore
internal import MienStore

/// Counts guesses at an administrator's sign-in methods before they are checked, so that neither
/// parallel guesses nor a crash makes one free.
///
/// Strangers' failures lock the method for browsers in which it has never succeeded. A browser in
/// which it has keeps a count of its own.
struct AdministratorGate: Sendable {
    /// The rule for every method, the one of users' passwords.
    static let policy = LockPolicy.secret

    let store: Store
    let clock: ServerClock

    /// A counted guess that may be checked.
    struct Pass: Sendable {
        let admin: AdminID
        let method: AdministratorSession.Method
        let line: AuthenticatorLock.Line
        /// The hash of the browser's secret with which the method has succeeded before: such a
        /// browser has a count of its own.
        let browser: [UInt8]?
        let begun: Instant
    }

    /// - Parameter browsers: The hashes of the browser's secrets, one of which may be this
    ///   administrator's.
    /// - Returns: `nil` if the method is locked for this browser. Nothing was counted then.
    func begin(_ admin: AdminID, _ method: AdministratorSession.Method, browsers: [[UInt8]])
        async throws -> Pass?
    {
        let now = clock.now
        return try await store.write { tables in
            // Nobody counts against an administrator who was removed in the meantime.
            guard try tables.admins.find(admin) != nil else { return nil }
            let browser = try tables.adminLocks.known(among: browsers, of: admin, method)
            return try tables.adminLocks.change(of: admin, method, browser: browser, at: now) {
                $0.begin(under: Self.policy, at: now)
            }.map {
                Pass(admin: admin, method: method, line: $0, browser: browser, begun: now)
            }
        }
    }

    /// Takes as long and writes as durably as ``begin(_:_:browser:)``, for a guess that is not
    /// checked.
    func pretend() async throws {
        let now = clock.now, hash = store.keys.hash(ofSecret: Array("nobody".utf8))
        try await store.write { tables in
            _ = try tables.adminLocks.lock(of: AdminID("adm_nobody")!, .password, browser: nil)
            // One row, which the next sweep deletes.
            try tables.codes.put("nobody", hash: hash, expiresAt: now)
        }
    }

    /// Records a correct guess, in the transaction that begins the session.
    ///
    /// - Parameter browser: The hash of the secret that the browser has from now on.
    static func succeed(_ pass: Pass, browser: [UInt8], in tables: Tables, at now: Instant) throws {
        _ = try tables.adminLocks.change(
            of: pass.admin, pass.method, browser: pass.browser, keptAs: browser, at: now
        ) { $0.succeed(through: pass.line, under: policy, isKnownDevice: true) }
    }

    /// Takes back a guess that was never checked, through no fault of the caller. Runs to its end
    /// even in a canceled task.
    func abandon(_ pass: Pass) async throws {
        let now = clock.now
        try await Task { [store] in
            try await store.write { tables in
                guard try tables.admins.find(pass.admin) != nil else { return }
                _ = try tables.adminLocks.change(
                    of: pass.admin, pass.method, browser: pass.browser, at: now
                ) { $0.abandon(through: pass.line, under: Self.policy, begun: pass.begun) }
            }
        }.value
    }
}
