public import MienCore
public import MienIdentity

/// One user's identity verification, with the revision that protects it from concurrent changes.
public struct VerificationRecord: Sendable, Hashable {
    public let account: UserID
    public var state: VerificationState
    /// The level that an administrator requires of this user, in addition to the app's.
    public var required: VerificationMethod
    /// 0 for a user without a row.
    public let revision: Int

    init(account: UserID, state: VerificationState, required: VerificationMethod, revision: Int) {
        (self.account, self.state, self.required) = (account, state, required)
        self.revision = revision
    }
}

/// The states of identity verifications, one for each user who attempted it.
public struct VerificationTable {
    let connection: any SQLConnection

    /// Returns the user's verification; an empty one if there is none.
    public func find(_ account: UserID) throws(StoreError) -> VerificationRecord {
        let row = try connection.row(
            "SELECT state, required, revision FROM identity WHERE account_id = ?", .id(account))
        guard let row else {
            return VerificationRecord(
                account: account, state: VerificationState(), required: .none, revision: 0)
        }
        return VerificationRecord(
            account: account,
            state: try JSONColumn.value(VerificationState.self, row.text(0).utf8),
            required: try row.word(1), revision: Int(try row.integer(2)))
    }

    /// Stores a changed verification.
    ///
    /// - Throws: ``StoreError`` `.stale` if it changed since it was read, or the account no longer
    ///   exists. Of two attempts that begin at once, one begins.
    public func update(_ record: VerificationRecord, at now: Instant) throws(StoreError) {
        let state = SQLValue.text(JSONColumn.text(record.state))
        let changed =
            record.revision == 0
            ? try connection.execute(
                """
                INSERT INTO identity (account_id, state, required, revision, updated_at) VALUES (?, ?, ?, 1, ?)
                ON CONFLICT (account_id) DO NOTHING
                """, .id(record.account), state, .text(record.required.rawValue), .time(now))
            : try connection.execute(
                "UPDATE identity SET state = ?, required = ?, revision = revision + 1, updated_at = ? WHERE account_id = ? AND revision = ?",
                state, .text(record.required.rawValue), .time(now), .id(record.account),
                .integer(Int64(record.revision)))
        guard changed == 1 else {
            throw StoreError(.stale, "the verification changed since it was read")
        }
    }
}
