public import MienAccess
public import MienCore

/// The lock gate's counters.
public struct LockTable {
    let connection: any SQLConnection

    /// - Parameter scope: whom the counter is for: a known device's id, or ``strangers``.
    public func counter(of authenticator: AuthenticatorID, scope: String) throws(StoreError) -> LockCounter {
        guard
            let row = try connection.row(
                "SELECT failures, locked_until, is_disabled FROM lock_counter WHERE authenticator_id = ? AND scope = ?", .id(authenticator),
                .text(scope))
        else { return LockCounter() }
        return try Self.counter(row, from: 0)
    }

    public func set(_ counter: LockCounter, of authenticator: AuthenticatorID, scope: String) throws(StoreError) {
        if counter == LockCounter() {
            try connection.execute("DELETE FROM lock_counter WHERE authenticator_id = ? AND scope = ?", .id(authenticator), .text(scope))
            return
        }
        try connection.execute(
            """
            INSERT INTO lock_counter (authenticator_id, scope, failures, locked_until, is_disabled) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (authenticator_id, scope) DO UPDATE
            SET failures = excluded.failures, locked_until = excluded.locked_until, is_disabled = excluded.is_disabled
            """, .id(authenticator), .text(scope), .integer(Int64(counter.failures)), .time(counter.lockedUntil), .flag(counter.isDisabled))
    }

    /// Every caller's counter of one authenticator.
    public func unlock(_ authenticator: AuthenticatorID) throws(StoreError) {
        try connection.execute("DELETE FROM lock_counter WHERE authenticator_id = ?", .id(authenticator))
    }

    public func all(of authenticator: AuthenticatorID) throws(StoreError) -> [(scope: String, counter: LockCounter)] {
        try connection.rows(
            "SELECT scope, failures, locked_until, is_disabled FROM lock_counter WHERE authenticator_id = ? ORDER BY scope", .id(authenticator)
        ).map { row throws(StoreError) in
            (try row.text(0), try Self.counter(row, from: 1))
        }
    }

    private static func counter(_ row: SQLRow, from column: Int) throws(StoreError) -> LockCounter {
        let failures = try row.integer(column), isDisabled = try row.integer(column + 2)
        guard failures >= 0, isDisabled == 0 || isDisabled == 1 else { throw StoreError(.corrupt, "a lock counter cannot be understood") }
        return LockCounter(failures: Int(failures), lockedUntil: try row.optionalInstant(column + 1), isDisabled: isDisabled == 1)
    }

    /// The scope of callers that come from no device the account has signed in on.
    public static let strangers = ""
}
