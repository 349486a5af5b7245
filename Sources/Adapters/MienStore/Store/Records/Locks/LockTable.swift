public import MienAPI
public import MienCore

/// Stored state of the lock gate: failures by account, method, and app; manual locks by
/// authenticator.
public struct LockTable {
    let connection: any SQLConnection

    /// - Parameter device: the calling device, if it belongs to the account.
    public func lock(of authenticator: AuthenticatorRecord, device: DeviceID?) throws(StoreError)
        -> AuthenticatorLock
    {
        let subject = authenticator.lockSubject, (total, unknownDevices) = try counts(of: subject)
        let own = if let device { try counter(of: device, subject) } else { nil as LockCounter? }
        return AuthenticatorLock(
            total: total, unknownDevices: unknownDevices, device: own,
            holders: try holders(of: authenticator.id))
    }

    /// Changes the counts of an authenticator's method. Two servers that change them at once never
    /// lose a failure: each write names the counts that it replaces, and a change whose counts were
    /// replaced meanwhile is made again on the new ones.
    ///
    /// - Parameters:
    ///   - device: The calling device, if it belongs to the account. A device that has since been
    ///     removed from the account gets no counter.
    ///   - body: Changes the counts. Called more than once under contention. If it returns `nil`,
    ///     nothing is written.
    /// - Throws: ``StoreError`` `.busy` if others change the counts all the time.
    public func change<Output>(
        _ authenticator: AuthenticatorRecord, device: DeviceID?,
        _ body: (inout AuthenticatorLock) throws -> Output?
    ) throws -> Output? {
        for _ in 0..<Self.maxTries {
            let old = try lock(of: authenticator, device: device)
            var new = old
            guard let output = try body(&new) else { return nil }
            let subject = authenticator.lockSubject
            guard try replaceCounts(old, with: new, of: subject) else { continue }
            guard let device, let counter = new.device else { return output }
            if try replace(old.device, with: counter, of: device, subject) { return output }
            // The device's own counter was reset meanwhile. The shared counts, which this
            // transaction now holds, become what they were, and the change is made again.
            guard try replaceCounts(new, with: old, of: subject) else { break }
        }
        throw StoreError(.busy, "the failures of a sign-in method change all the time")
    }

    private static let maxTries = 100

    /// - Returns: `false` if the counts are not those of `old`; nothing is written then.
    private func replaceCounts(
        _ old: AuthenticatorLock, with new: AuthenticatorLock, of subject: LockSubject
    ) throws(StoreError) -> Bool {
        let (was, becomes) = (old.unknownDevices, new.unknownDevices)
        let updated = try connection.execute(
            """
            UPDATE lock_count SET total = ?, unknown_failures = ?, unknown_locked_until = ?
            WHERE \(Self.isSubject) AND total = ? AND unknown_failures = ? AND COALESCE(unknown_locked_until, -1) = ?
            """,
            [
                .integer(Int64(new.total)), .integer(Int64(becomes.failures)),
                .time(becomes.lockedUntil),
            ] + Self.values(subject) + [
                .integer(Int64(old.total)), .integer(Int64(was.failures)),
                .integer(was.lockedUntil?.milliseconds ?? -1),
            ])
        if updated == 1 { return true }
        guard old.total == 0, was == LockCounter() else { return false }
        return try connection.execute(
            """
            INSERT INTO lock_count (account_id, method, app_id, total, unknown_failures, unknown_locked_until)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, method, app_id) DO NOTHING
            """,
            Self.values(subject) + [
                .integer(Int64(new.total)), .integer(Int64(becomes.failures)),
                .time(becomes.lockedUntil),
            ]) == 1
    }

    /// - Returns: `false` if the device's counter is not `old`; nothing is written then.
    private func replace(
        _ old: LockCounter?, with new: LockCounter, of device: DeviceID, _ subject: LockSubject
    ) throws(StoreError) -> Bool {
        guard let old else {
            if try insert(new, of: device, subject) { return true }
            // The device was removed from the account, or another transaction was first.
            return try counter(of: device, subject) == nil
        }
        let updated = try connection.execute(
            """
            UPDATE lock_device SET failures = ?, locked_until = ?
            WHERE \(Self.isSubject) AND device_id = ? AND failures = ? AND COALESCE(locked_until, -1) = ?
            """,
            [.integer(Int64(new.failures)), .time(new.lockedUntil)] + Self.values(subject) + [
                .id(device), .integer(Int64(old.failures)),
                .integer(old.lockedUntil?.milliseconds ?? -1),
            ])
        return updated == 1
    }

    /// Gives a device its own counter for a method that has succeeded on it.
    public func earn(_ device: DeviceID, _ subject: LockSubject) throws(StoreError) {
        if try insert(LockCounter(), of: device, subject) { return }
        try connection.execute(
            "UPDATE lock_device SET failures = 0, locked_until = NULL WHERE \(Self.isSubject) AND device_id = ?",
            Self.values(subject) + [.id(device)])
    }

    public func hasOwnCounter(_ device: DeviceID, _ subject: LockSubject) throws(StoreError) -> Bool
    { try counter(of: device, subject) != nil }

    /// Resets the failures of a method on all devices. Devices keep their own counters.
    public func forgetFailures(of subject: LockSubject) throws(StoreError) {
        try connection.execute(
            "DELETE FROM lock_count WHERE \(Self.isSubject)", Self.values(subject))
        try connection.execute(
            "UPDATE lock_device SET failures = 0, locked_until = NULL WHERE \(Self.isSubject)",
            Self.values(subject))
    }

    /// Returns the devices that have their own counter.
    public func devices(of subject: LockSubject) throws(StoreError) -> [(
        device: DeviceID, counter: LockCounter
    )] {
        try connection.rows(
            "SELECT device_id, failures, locked_until FROM lock_device WHERE \(Self.isSubject) ORDER BY device_id",
            Self.values(subject)
        ).map { row throws(StoreError) in (try row.identifier(0), try Self.counter(row, from: 1)) }
    }

    /// Removes the counts of a deleted app.
    public func deleteAll(ofApp app: AppID) throws(StoreError) {
        try connection.execute("DELETE FROM lock_count WHERE app_id = ?", .id(app))
        try connection.execute("DELETE FROM lock_device WHERE app_id = ?", .id(app))
    }

    // MARK: Manual locks

    public func holders(of authenticator: AuthenticatorID) throws(StoreError) -> Set<LockHolder> {
        let rows = try connection.rows(
            "SELECT holder FROM authenticator_hold WHERE authenticator_id = ?", [.id(authenticator)]
        )
        return Set(try rows.map { row throws(StoreError) -> LockHolder in try row.word(0) })
    }

    /// Returns whether an administrator or a journey has locked the authenticator.
    public func isHeld(_ authenticator: AuthenticatorID) throws(StoreError) -> Bool {
        try !holders(of: authenticator).isEmpty
    }

    public func hold(_ authenticator: AuthenticatorID, by holder: LockHolder) throws(StoreError) {
        try connection.execute(
            "INSERT INTO authenticator_hold (authenticator_id, holder) VALUES (?, ?) ON CONFLICT (authenticator_id, holder) DO NOTHING",
            .id(authenticator), .text(holder.rawValue))
    }

    /// Unlocks an authenticator and resets the failures of its method.
    ///
    /// - Returns: whether `holder` may unlock it. If not, nothing changes.
    public func release(_ authenticator: AuthenticatorRecord, by holder: LockHolder)
        throws(StoreError) -> Bool
    {
        var lock = AuthenticatorLock(holders: try holders(of: authenticator.id))
        guard lock.release(by: holder) else { return false }
        try connection.execute(
            "DELETE FROM authenticator_hold WHERE authenticator_id = ?", .id(authenticator.id))
        try forgetFailures(of: authenticator.lockSubject)
        return true
    }

    // MARK: Rows

    private static let isSubject = "account_id = ? AND method = ? AND app_id = ?"

    private static func values(_ subject: LockSubject) -> [SQLValue] {
        [.id(subject.account), .text(subject.method.rawValue), .id(subject.app)]
    }

    private func counts(of subject: LockSubject) throws(StoreError) -> (
        total: Int, unknownDevices: LockCounter
    ) {
        let found = try connection.rows(
            "SELECT total, unknown_failures, unknown_locked_until FROM lock_count WHERE \(Self.isSubject)",
            Self.values(subject)
        ).first
        guard let found else { return (0, LockCounter()) }
        let total = try found.integer(0)
        guard total >= 0 else { throw Self.corrupt }
        return (Int(total), try Self.counter(found, from: 1))
    }

    private func counter(of device: DeviceID, _ subject: LockSubject) throws(StoreError)
        -> LockCounter?
    {
        try connection.rows(
            "SELECT failures, locked_until FROM lock_device WHERE \(Self.isSubject) AND device_id = ?",
            Self.values(subject) + [.id(device)]
        ).first.map { row throws(StoreError) in try Self.counter(row, from: 0) }
    }

    /// - Returns: `false` if the device has a counter, or no longer belongs to the account.
    private func insert(_ counter: LockCounter, of device: DeviceID, _ subject: LockSubject)
        throws(StoreError) -> Bool
    {
        try connection.execute(
            """
            INSERT INTO lock_device (account_id, method, app_id, device_id, failures, locked_until)
            SELECT ?, ?, ?, id, ?, ? FROM known_device WHERE id = ? AND account_id = ?
            ON CONFLICT (account_id, method, app_id, device_id) DO NOTHING
            """,
            Self.values(subject) + [
                .integer(Int64(counter.failures)), .time(counter.lockedUntil), .id(device),
                .id(subject.account),
            ]) == 1
    }

    /// Reads a counter. Whether its count disables the method depends on the current policy, so
    /// that is not stored.
    private static func counter(_ row: SQLRow, from column: Int) throws(StoreError) -> LockCounter {
        let failures = try row.integer(column)
        guard failures >= 0 else { throw corrupt }
        return LockCounter(
            failures: Int(failures), lockedUntil: try row.optionalInstant(column + 1))
    }

    private static let corrupt = StoreError(.corrupt, "a failure count is negative")
}

extension AuthenticatorRecord {
    /// The account, method, and app for which failures are counted.
    public var lockSubject: LockSubject { LockSubject(account, type, app: app) }
}
