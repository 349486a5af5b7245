public import MienCore

/// Counts refusals that anyone can cause at will, so that they do not fill the log. See
/// docs/spec/audit-log.md, “Counted refusals”.
extension AuditTable {
    /// Maximum number of refusal kinds counted separately. Further ones are counted together,
    /// without account and client.
    static let maxCounted = 1000

    /// Counts an event durably. ``writeCounted(at:)`` adds it to the log together with similar
    /// events.
    public func count(_ event: AuditEvent, at now: Instant) throws(StoreError) {
        if try add(event, detail(of: event), at: now) { return }
        let kinds = try connection.row("SELECT COUNT(*) FROM audit_counted")?.integer(0) ?? 0
        if kinds < Self.maxCounted { return try insert(event, detail(of: event), at: now) }
        let rest = AuditEvent(event.event, actor: event.actor),
            detail = JSONColumn.text(["others": JSONValue.bool(true)])
        if try !add(rest, detail, at: now) { try insert(rest, detail, at: now) }
    }

    /// Returns whether events were counted since the last ``writeCounted(at:)``.
    public func hasCounted() throws(StoreError) -> Bool {
        try connection.row("SELECT 1 FROM audit_counted LIMIT 1") != nil
    }

    /// Writes one entry for each kind of event counted since the last call.
    ///
    /// - Returns: the number of entries written.
    @discardableResult
    public func writeCounted(at now: Instant) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT event, actor, account_id, app_id, detail, times, first_at, last_at FROM audit_counted ORDER BY first_at, event, detail"
        )
        for row in rows {
            var detail = try JSONColumn.value([String: JSONValue].self, row.text(4).utf8)
            let times = try row.integer(5)
            (detail["count"], detail["first_at"], detail["last_at"]) = (
                .number(Double(times)), .number(Double(try row.integer(6))),
                .number(Double(try row.integer(7)))
            )
            let event = AuditEvent(
                try row.text(0), actor: try row.text(1), account: try row.optionalIdentifier(2),
                app: try row.optionalIdentifier(3), detail: detail)
            // The counted events already contain the clients' addresses.
            try AuditTable(connection: connection, keys: keys, client: nil).append(event, at: now)
        }
        if !rows.isEmpty { try connection.execute("DELETE FROM audit_counted") }
        return rows.count
    }

    private func add(_ event: AuditEvent, _ detail: String, at now: Instant) throws(StoreError)
        -> Bool
    {
        try connection.execute(
            """
            UPDATE audit_counted SET times = times + 1, last_at = ?
            WHERE event = ? AND actor = ? AND account_id = ? AND app_id = ? AND detail = ?
            """, .time(now), .text(event.event), .text(event.actor), .id(event.account),
            .id(event.app), .text(detail)) == 1
    }

    private func insert(_ event: AuditEvent, _ detail: String, at now: Instant) throws(StoreError) {
        try connection.execute(
            "INSERT INTO audit_counted (event, actor, account_id, app_id, detail, times, first_at, last_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
            .text(event.event), .text(event.actor), .id(event.account), .id(event.app),
            .text(detail), .time(now), .time(now))
    }
}
