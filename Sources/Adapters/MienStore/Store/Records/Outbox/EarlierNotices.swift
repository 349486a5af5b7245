internal import MienCore

/// The tables `logout_notice` and `identity_notice`, into which servers before the outbox wrote.
///
/// While an old and a new server share a database, the old one still writes into them.
public struct EarlierNoticeTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// Moves notices into the outbox.
    ///
    /// - Returns: how many.
    public func move(atMost count: Int) throws(StoreError) -> Int {
        let outbox = OutboxTable(connection: connection, keys: keys)
        let logouts = try connection.rows(
            "SELECT grant_id, account_id, app_id, ended_at, attempts FROM logout_notice ORDER BY grant_id LIMIT ?",
            .integer(Int64(count)))
        for row in logouts {
            let notice = LogoutNotice(
                grant: try row.identifier(0), account: try row.identifier(1),
                app: try row.identifier(2), endedAt: try row.instant(3))
            // Another server may move the same one.
            let isOurs =
                try connection.execute(
                    "DELETE FROM logout_notice WHERE grant_id = ?", .id(notice.grant)) == 1
            if isOurs { try outbox.insert(notice.message(failures: Int(try row.integer(4)))) }
        }
        let news = try connection.rows(
            "SELECT id, app_id, body, created_at, attempts FROM identity_notice ORDER BY id LIMIT ?",
            .integer(Int64(count)))
        for row in news {
            let id = try row.text(0)
            let isOurs =
                try connection.execute("DELETE FROM identity_notice WHERE id = ?", .text(id)) == 1
            guard isOurs else { continue }
            try outbox.insert(
                OutboxMessage(
                    id: id, kind: .identity, app: try row.identifier(1),
                    content: Sensitive(Array(try row.text(2).utf8)),
                    createdAt: try row.instant(3), failures: Int(try row.integer(4))))
        }
        return logouts.count + news.count
    }
}
