public import MienAccess
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

    public func set(
        _ lock: AuthenticatorLock, of admin: AdminID, _ method: AdministratorSession.Method,
        browser: [UInt8]?, at now: Instant
    ) throws(StoreError) {
        try set(admin, method, Self.unknown, lock.total, lock.unknownDevices, now)
        if let browser, let counter = lock.device {
            try set(admin, method, browser, 0, counter, now)
            // The oldest browsers lose their counts.
            try connection.execute(
                """
                DELETE FROM admin_lock WHERE admin_id = ? AND method = ? AND browser <> ? AND browser NOT IN (
                  SELECT browser FROM admin_lock WHERE admin_id = ? AND method = ? AND browser <> ?
                  ORDER BY used_at DESC, browser LIMIT ?)
                """, .id(admin), .text(method.rawValue), .blob(Self.unknown), .id(admin),
                .text(method.rawValue), .blob(Self.unknown), .integer(Int64(Self.maxBrowsers)))
        }
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

    private func set(
        _ admin: AdminID, _ method: AdministratorSession.Method, _ browser: [UInt8], _ total: Int,
        _ counter: LockCounter, _ now: Instant
    ) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO admin_lock (admin_id, method, browser, total, failures, locked_until, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (admin_id, method, browser) DO UPDATE
            SET total = excluded.total, failures = excluded.failures, locked_until = excluded.locked_until, used_at = excluded.used_at
            """, .id(admin), .text(method.rawValue), .blob(browser), .integer(Int64(total)),
            .integer(Int64(counter.failures)), .time(counter.lockedUntil), .time(now))
    }
}
