/// A rule of write transactions that other servers may have made untrue. Serves one transaction.
protocol WriteFence: AnyObject {
    /// Requires, for the next statement on `connection`, what it needs.
    ///
    /// - Returns: whether it requires something.
    /// - Throws: ``StoreError`` if the statement may not run.
    func require(for values: [SQLValue], on connection: any SQLConnection) throws(StoreError)
        -> Bool

    /// Notes that the statement has succeeded, and so that what it required holds until the end of
    /// the transaction.
    func pass()
}

/// A connection whose statements keep to fences, so that a body that goes on after a refusal writes
/// nothing that was refused.
struct FencedConnection: SQLConnection {
    let connection: any SQLConnection
    let fences: [any WriteFence]

    var skippingLocked: String { connection.skippingLocked }
    func leaveNoTrace() { connection.leaveNoTrace() }

    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        try connection.notify(channel, payload)
    }

    func require(nothing sql: String, _ values: [SQLValue], else error: StoreError)
        throws(StoreError)
    { try connection.require(nothing: sql, values, else: error) }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        _ = try requireAll(for: values)
        let changed = try connection.execute(sql, values)
        for fence in fences { fence.pass() }
        return changed
    }

    func executeLater(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        // Whether it succeeds is known only now.
        if try requireAll(for: values) {
            try connection.execute(sql, values)
            for fence in fences { fence.pass() }
        } else {
            try connection.executeLater(sql, values)
        }
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        _ = try requireAll(for: values)
        let rows = try connection.rows(sql, values)
        for fence in fences { fence.pass() }
        return rows
    }

    /// - Returns: whether a fence requires something.
    private func requireAll(for values: [SQLValue]) throws(StoreError) -> Bool {
        var requires = false
        for fence in fences {
            let isNew = try fence.require(for: values, on: connection)
            requires = requires || isNew
        }
        return requires
    }
}
