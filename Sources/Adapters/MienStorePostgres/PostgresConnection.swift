internal import Foundation
internal import MienStore
internal import SystemPostgres

/// A connection to PostgreSQL. For one thread at a time, which its calls block.
@safe final class PostgresConnection {
    private let raw: OpaquePointer
    private var statements = StatementNames()
    /// The process that serves this connection.
    var processID: Int32 { unsafe PQbackendPID(raw) }
    /// Whether what PostgreSQL commits survives a power loss, by its settings.
    private(set) var isDurable = true
    /// Changes when a standby takes over or a backup is restored.
    private(set) var timeline = ""
    /// Changes when PostgreSQL recovers from a crash, which discards its statistics, and not when it is
    /// restarted cleanly. Resetting the statistics changes it, too, which does no harm.
    private(set) var recovery = ""
    /// The socket, to wait for notifications.
    var socket: Int32 { unsafe PQsocket(raw) }

    /// Connects and prepares the session.
    init(_ settings: PostgresSettings) throws(PostgresFailure) {
        let parameters = try settings.connectionParameters()
        let raw = unsafe Self.withStrings(parameters.map(\.0)) { keywords in
            unsafe Self.withStrings(parameters.map(\.1)) { values in
                unsafe PQconnectdbParams(keywords, values, 0)
            }
        }
        guard let raw = unsafe raw else { fatalError("out of memory") }
        unsafe self.raw = raw
        guard unsafe PQstatus(raw) == CONNECTION_OK else {
            throw PostgresFailure(
                state: "", message: unsafe String(cString: PQerrorMessage(raw)), constraint: "",
                isLost: true)
        }
        // Notices of the server would go to standard error.
        _ = unsafe PQsetNoticeReceiver(raw, { _, _ in }, nil)
        let isProtected = unsafe PQsslInUse(raw) != 0
        let address = unsafe PQhostaddr(raw).map { unsafe String(cString: $0) } ?? ""
        guard isProtected || PostgresSettings.isLocal(address) else {
            throw PostgresFailure(
                state: "", message: "the connection to \(address) does not use TLS", constraint: "",
                isLost: true)
        }
        try command(settings.sessionCommands)
        let facts = try rows(
            PostgresText.shared.statement(
                """
                SELECT current_setting('server_version_num'), current_setting('server_encoding'),
                  current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
                  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
                  (SELECT CAST(stats_reset AS text) FROM pg_stat_bgwriter)
                """), [])[0]
        try Self.require(facts)
        isDurable = facts[3] == .text("on") && facts[4] == .text("on")
        if case .text(let timeline) = facts[5] { self.timeline = timeline }
        if case .text(let recovery) = facts[6] { self.recovery = recovery }
        if facts[2] == .text("off") { try command("SET synchronous_commit = on") }
    }

    deinit { unsafe PQfinish(raw) }

    private static func require(_ facts: SQLRow) throws(PostgresFailure) {
        let version: Int = if case .text(let text) = facts[0] { Int(text) ?? 0 } else { 0 }
        let fault: String? =
            if version < 140_000 {
                "PostgreSQL \(version / 10_000) is too old: use 14 or newer"
            } else if facts[1] != .text("UTF8") {
                "the database does not store text as UTF-8: create it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
            } else { nil }
        if let fault {
            throw PostgresFailure(state: "", message: fault, constraint: "", isLost: true)
        }
    }

    /// Runs statements without values in one round trip.
    ///
    /// - Returns: the last statement's tag, such as `COMMIT`.
    @discardableResult
    func command(_ sql: String) throws(PostgresFailure) -> String {
        let result = unsafe try checked(PQexec(raw, sql))
        return result.tag
    }

    /// Runs statements without values in one round trip.
    ///
    /// - Returns: the first column of the last statement's first row.
    func text(_ sql: String) throws(PostgresFailure) -> String {
        let result = unsafe try checked(PQexec(raw, sql))
        return result.text
    }

    /// - Returns: the number of changed rows.
    func execute(_ statement: PostgresText.Statement, _ values: [SQLValue])
        throws(PostgresFailure) -> Int
    {
        try run(statement, values).changed
    }

    func rows(_ statement: PostgresText.Statement, _ values: [SQLValue])
        throws(PostgresFailure) -> [SQLRow]
    {
        let result = try run(statement, values)
        do throws(StoreError) { return try result.rows() } catch {
            throw PostgresFailure(
                state: "", message: error.reason, constraint: "", isLost: false)
        }
    }

    /// Forgets the prepared statements.
    func forgetStatements() throws(PostgresFailure) {
        statements = StatementNames()
        try command("DEALLOCATE ALL")
    }

    /// Returns the notifications that have arrived.
    func notifications() throws(PostgresFailure) -> [(channel: String, payload: String)] {
        guard unsafe PQconsumeInput(raw) == 1 else { throw lost() }
        var found: [(String, String)] = []
        while let notice = unsafe PQnotifies(raw) {
            unsafe found.append(
                (String(cString: notice.pointee.relname), String(cString: notice.pointee.extra)))
            unsafe PQfreemem(notice)
        }
        guard unsafe PQstatus(raw) == CONNECTION_OK else { throw lost() }
        return found
    }

    // MARK: Statements

    private func run(_ statement: PostgresText.Statement, _ values: [SQLValue])
        throws(PostgresFailure) -> PostgresResult
    {
        guard statement.isKept else {
            return unsafe try parameters(values) { (types, texts, lengths, formats) in
                unsafe PQexecParams(
                    raw, statement.text, Int32(values.count), types, texts, lengths, formats, 1)
            }
        }
        let types = values.map(\.type)
        let (name, isNew, old) = statements.name(for: statement.text, types)
        if let old { try command("DEALLOCATE \(old)") }
        if isNew {
            do throws(PostgresFailure) {
                _ = unsafe try checked(
                    unsafe types.withUnsafeBufferPointer {
                        unsafe PQprepare(
                            raw, name, statement.text, Int32(types.count), $0.baseAddress)
                    })
            } catch {
                statements.forget(statement.text, types)
                throw error
            }
        }
        return unsafe try parameters(values) { (_, texts, lengths, formats) in
            unsafe PQexecPrepared(
                raw, name, Int32(values.count), texts, lengths, formats, 1)
        }
    }

    private typealias Texts = UnsafePointer<UnsafePointer<CChar>?>?

    /// Lends the values in PostgreSQL's binary form.
    private func parameters(
        _ values: [SQLValue],
        _ body: (UnsafePointer<Oid>?, Texts, UnsafePointer<Int32>?, UnsafePointer<Int32>?) ->
            OpaquePointer?
    ) throws(PostgresFailure) -> PostgresResult {
        var bytes: [UInt8] = [], ends: [Int] = []
        for value in values {
            value.append(to: &bytes)
            ends.append(bytes.count)
        }
        // An empty value still needs an address; a null one has none.
        bytes.append(0)
        let types = values.map(\.type), formats = [Int32](repeating: 1, count: values.count)
        let starts = [0] + ends.dropLast()
        let lengths = zip(starts, ends).map { Int32($1 - $0) }
        let result = unsafe bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            let addresses = unsafe zip(values, starts).map { value, start in
                unsafe value == .null ? nil : base + start
            }
            return unsafe addresses.withUnsafeBufferPointer { addresses in
                unsafe types.withUnsafeBufferPointer { types in
                    unsafe lengths.withUnsafeBufferPointer { lengths in
                        unsafe formats.withUnsafeBufferPointer { formats in
                            unsafe body(
                                types.baseAddress, addresses.baseAddress, lengths.baseAddress,
                                formats.baseAddress)
                        }
                    }
                }
            }
        }
        return unsafe try checked(result)
    }

    private func checked(_ result: OpaquePointer?) throws(PostgresFailure) -> PostgresResult {
        guard let result = unsafe result else { throw lost() }
        let owned = unsafe PostgresResult(result)
        if let failure = owned.failure(isLost: unsafe PQstatus(raw) != CONNECTION_OK) {
            throw failure
        }
        return owned
    }

    private func lost() -> PostgresFailure {
        PostgresFailure(
            state: "", message: unsafe String(cString: PQerrorMessage(raw)), constraint: "",
            isLost: true)
    }

    /// Lends strings as C does: a list that ends with a null pointer.
    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe strings.map { unsafe strdup($0) }
        // swift-format-ignore: ReplaceForEachWithForLoop
        defer { unsafe copies.forEach { unsafe free($0) } }
        let list = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe list.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}

/// The names of a connection's prepared statements. The one used longest ago makes room.
private struct StatementNames {
    private struct Key: Hashable {
        let text: String
        let types: [UInt32]
    }

    /// A prepared statement takes some ten kilobytes of the server's memory.
    private static let max = 400
    private var names: [Key: (name: String, usedAt: Int)] = [:]
    private var time = 0, made = 0

    /// - Returns: the name, whether it is new, and the name that it replaces.
    mutating func name(for text: String, _ types: [UInt32]) -> (String, Bool, old: String?) {
        let key = Key(text: text, types: types)
        time += 1
        if let known = names[key] {
            names[key]?.usedAt = time
            return (known.name, false, nil)
        }
        var old: String?
        if names.count >= Self.max,
            let oldest = names.min(by: { $0.value.usedAt < $1.value.usedAt })
        {
            old = oldest.value.name
            names[oldest.key] = nil
        }
        made += 1
        names[key] = ("m\(made)", time)
        return ("m\(made)", true, old)
    }

    mutating func forget(_ text: String, _ types: [UInt32]) {
        names[Key(text: text, types: types)] = nil
    }
}
