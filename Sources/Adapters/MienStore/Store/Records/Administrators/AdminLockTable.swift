public import MienAPI
public import MienCore

/// The failures of administrators' sign-ins: one count for browsers in which a method has never
/// succeeded, and one for each in which it has.
public struct AdminLockTable {
    let connection: any SQLConnection

    /// Browsers of an administrator that keep a count of their own.
    static let maxBrowsers = 20
    /// The key of the row for all browsers without one.
    private static let unknown: [UInt8] = []

    /// - Parameter browser: The hash of the browser's secret; `nil` if it sent none.
    public func lock(
        of admin: AdminID, _ method: AdministratorSession.Method, browser: [UInt8]?
    ) throws(StoreError) -> AuthenticatorLock {
        let shared = try counter(admin, method, Self.unknown)
        let own =
            if let browser { try counter(admin, method, browser)?.counter } else {
                nil as LockCounter?
            }
        return AuthenticatorLock(
            total: shared?.total ?? 0, unknownDevices: shared?.counter ?? LockCounter(),
            device: own)
    }

    /// Returns the hash of the browser's secret with which the method has succeeded, among those
    /// that a browser sent.
    public func known(
        among browsers: [[UInt8]], of admin: AdminID, _ method: AdministratorSession.Method
    ) throws(StoreError) -> [UInt8]? {
        for browser in browsers where try counter(admin, method, browser) != nil { return browser }
        return nil
    }

    /// Changes the counts of a method. Each write names the counts that it replaces, so that two
    /// servers never lose a failure.
    ///
    /// - Parameters:
    ///   - browser: The hash of the secret that the browser sent; `nil` if it sent none.
    ///   - kept: The hash of the secret that it has from now on. By default the same.
    ///   - body: Changes the counts. Called more than once under contention. If it returns `nil`,
    ///     nothing is written.
    /// - Throws: ``StoreError`` `.busy` if others change the counts all the time.
    public func change<Output>(
        of admin: AdminID, _ method: AdministratorSession.Method, browser: [UInt8]?,
        keptAs kept: [UInt8]? = nil, at now: Instant,
        _ body: (inout AuthenticatorLock) throws -> Output?
    ) throws -> Output? {
        for _ in 0..<Self.maxTries {
            let old = try lock(of: admin, method, browser: browser)
            var new = old
            guard let output = try body(&new) else { return nil }
            guard
                try replace(
                    admin, method, Self.unknown, (old.total, old.unknownDevices),
                    with: (new.total, new.unknownDevices), now)
            else { continue }
            guard let name = kept ?? browser, let counter = new.device else { return output }
            // A secret that the browser gets now has no counts yet.
            let before =
                name == browser ? old.device : try self.counter(admin, method, name)?.counter
            if try replace(
                admin, method, name, (0, before ?? LockCounter()), with: (0, counter), now)
            {
                try removeOldest(of: admin, method)
                return output
            }
            guard
                try replace(
                    admin, method, Self.unknown, (new.total, new.unknownDevices),
                    with: (old.total, old.unknownDevices), now)
            else { break }
        }
        throw StoreError(.busy, "the failures of an administrator change all the time")
    }

    private static let maxTries = 100

    /// The browsers that were not used for longest lose their counts.
    private func removeOldest(of admin: AdminID, _ method: AdministratorSession.Method)
        throws(StoreError)
    {
        try connection.execute(
            """
            DELETE FROM admin_lock WHERE admin_id = ? AND method = ? AND browser <> ? AND browser NOT IN (
              SELECT browser FROM admin_lock WHERE admin_id = ? AND method = ? AND browser <> ?
              ORDER BY used_at DESC, browser LIMIT ?)
            """, .id(admin), .text(method.rawValue), .blob(Self.unknown), .id(admin),
            .text(method.rawValue), .blob(Self.unknown), .integer(Int64(Self.maxBrowsers)))
    }

    /// Forgets the failures of an administrator, and all browsers.
    public func removeAll(of admin: AdminID) throws(StoreError) {
        try connection.execute("DELETE FROM admin_lock WHERE admin_id = ?", .id(admin))
    }

    private func counter(
        _ admin: AdminID, _ method: AdministratorSession.Method, _ browser: [UInt8]
    ) throws(StoreError) -> (total: Int, counter: LockCounter)? {
        try connection.row(
            "SELECT total, failures, locked_until FROM admin_lock WHERE admin_id = ? AND method = ? AND browser = ?",
            .id(admin), .text(method.rawValue), .blob(browser)
        ).map { row throws(StoreError) in
            let total = try row.integer(0), failures = try row.integer(1)
            guard total >= 0, failures >= 0 else {
                throw StoreError(.corrupt, "a failure count is negative")
            }
            return (
                Int(total),
                LockCounter(failures: Int(failures), lockedUntil: try row.optionalInstant(2))
            )
        }
    }

    /// - Returns: `false` if the counts are not those of `old`; nothing is written then.
    private func replace(
        _ admin: AdminID, _ method: AdministratorSession.Method, _ browser: [UInt8],
        _ old: (total: Int, counter: LockCounter), with new: (total: Int, counter: LockCounter),
        _ now: Instant
    ) throws(StoreError) -> Bool {
        let updated = try connection.execute(
            """
            UPDATE admin_lock SET total = ?, failures = ?, locked_until = ?, used_at = ?
            WHERE admin_id = ? AND method = ? AND browser = ? AND total = ? AND failures = ? AND COALESCE(locked_until, -1) = ?
            """, .integer(Int64(new.total)), .integer(Int64(new.counter.failures)),
            .time(new.counter.lockedUntil), .time(now), .id(admin), .text(method.rawValue),
            .blob(browser), .integer(Int64(old.total)), .integer(Int64(old.counter.failures)),
            .integer(old.counter.lockedUntil?.milliseconds ?? -1))
        if updated == 1 { return true }
        guard old.total == 0, old.counter == LockCounter() else { return false }
        return try connection.execute(
            """
            INSERT INTO admin_lock (admin_id, method, browser, total, failures, locked_until, used_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (admin_id, method, browser) DO NOTHING
            """, .id(admin), .text(method.rawValue), .blob(browser), .integer(Int64(new.total)),
            .integer(Int64(new.counter.failures)), .time(new.counter.lockedUntil), .time(now)) == 1
    }
}
