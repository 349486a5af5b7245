public import MienAPI
public import MienCore

public enum RecoveryKind: IdentifierKind { public static let prefix = "rcv" }
public typealias RecoveryID = Identifier<RecoveryKind>

/// A request to recover an account, with its app, methods, and times.
public struct RecoveryRecord: Sendable, Hashable {
    public let id: RecoveryID
    public let account: UserID
    public let app: AppID
    /// The methods that the user proved, as `amr` values in alphabetical order. Completing the
    /// recovery requires the same methods.
    public let methods: [String]
    public let request: RecoveryRequest

    public init(
        id: RecoveryID, account: UserID, app: AppID, methods: some Sequence<String>,
        request: RecoveryRequest
    ) {
        (self.id, self.account, self.app, self.methods, self.request) = (
            id, account, app, Set(methods).sorted(), request
        )
    }
}

public struct RecoveryTable {
    let connection: any SQLConnection
    private static let columns =
        "id, account_id, app_id, methods, requested_at, effective_at, ended_at, how"

    public func insert(_ record: RecoveryRecord) throws(StoreError) {
        let request = record.request
        try connection.execute(
            "INSERT INTO recovery (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.id), .id(record.account), .id(record.app),
            .text(record.methods.joined(separator: " ")), .time(request.requestedAt),
            .time(request.effectiveAt), .time(request.end?.at),
            .text(request.end?.how.rawValue ?? ""))
    }

    /// Returns all recoveries of an account, oldest first.
    public func all(of account: UserID) throws(StoreError) -> [RecoveryRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM recovery WHERE account_id = ? ORDER BY requested_at, id",
            .id(account)
        )
        .map { row throws(StoreError) in
            let endedAt = try row.optionalInstant(6), how = try row.text(7)
            var end: RecoveryRequest.End?
            if let endedAt, let known = RecoveryRequest.Ending(rawValue: how) {
                end = RecoveryRequest.End(at: endedAt, how: known)
            } else if endedAt != nil || !how.isEmpty {
                throw StoreError(.corrupt, "a recovery has an unknown ending")
            }
            return RecoveryRecord(
                id: try row.identifier(0), account: try row.identifier(1),
                app: try row.identifier(2),
                methods: try row.text(3).split(separator: " ").map(String.init),
                request: RecoveryRequest(
                    requestedAt: try row.instant(4), effectiveAt: try row.instant(5),
                    end: end))
        }
    }

    /// - Returns: whether this call ended it. Of several concurrent calls, one returns `true`.
    public func end(_ id: RecoveryID, _ how: RecoveryRequest.Ending, at now: Instant)
        throws(StoreError) -> Bool
    {
        try connection.execute(
            "UPDATE recovery SET ended_at = ?, how = ? WHERE id = ? AND ended_at IS NULL",
            .time(now), .text(how.rawValue), .id(id))
            == 1
    }

    /// Ends every open recovery of an account.
    func endAll(of account: UserID, _ how: RecoveryRequest.Ending, at now: Instant)
        throws(StoreError)
    {
        try connection.execute(
            "UPDATE recovery SET ended_at = ?, how = ? WHERE account_id = ? AND ended_at IS NULL",
            .time(now), .text(how.rawValue), .id(account))
    }

    /// Removes recoveries that can no longer be completed and no longer count as recent.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM recovery WHERE id IN (SELECT id FROM recovery WHERE effective_at <= ? AND requested_at <= ? LIMIT ?)",
            .time(now - RecoveryRequest.window), .time(now - .seconds(86_400)),
            .integer(Int64(count)))
    }
}
