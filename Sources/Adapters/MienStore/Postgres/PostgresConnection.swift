internal import Foundation
internal import SystemPostgres

/// A connection to PostgreSQL. For one thread at a time, which its calls block.
@safe final class PostgresConnection {
    private let raw: OpaquePointer
    private var statements = PostgresStatementNames()
    /// Statements that go out with the next one.
    private var ahead: [PostgresQuery] = []
    /// The number of the transaction that ``begin(_:)`` began; empty until its first statement was sent.
    private(set) var transactionID = ""
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
    /// How answers are waited for.
    private var wait: PostgresWait

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
        unsafe wait = PostgresWait(
            raw, longest: settings.statementTimeout + settings.lockTimeout + PostgresWait.margin)
        guard unsafe PQstatus(raw) == CONNECTION_OK, unsafe PQsetnonblocking(raw, 1) == 0 else {
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
        let facts = try run(
            PostgresQuery(
                """
                SELECT current_setting('server_version_num'), current_setting('server_encoding'),
                  current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
                  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
                  (SELECT CAST(stats_reset AS text) FROM pg_stat_bgwriter)
                """)
        ).rows[0]
        try Self.require(facts)
        isDurable = facts[3] == .text("on") && facts[4] == .text("on")
        if case .text(let timeline) = facts[5] { self.timeline = timeline }
        if case .text(let recovery) = facts[6] { self.recovery = recovery }
        if facts[2] == .text("off") { try command("SET synchronous_commit = on") }
    }

    deinit { unsafe PQfinish(raw) }

    /// Lets statements, and the wait for locks and answers, take as long as they need.
    func waitAsLongAsItTakes() throws(PostgresFailure) {
        wait.longest = nil
        try command(
            "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0"
        )
    }

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

    /// The command that sets ``transactionID``.
    static let identify = "SELECT pg_current_xact_id()"

    /// Begins a transaction with the next statement.
    func begin(_ turn: PostgresTurn) {
        transactionID = ""
        sendAhead(turn.begin)
    }

    /// Sends commands with the next statement, in one round trip. If one fails, so does the statement.
    ///
    /// - Parameter commands: One statement without values each.
    func sendAhead(_ commands: [String]) { ahead += commands.map { .command($0) } }

    /// Sends a statement with the next one, or with the end of the transaction.
    func sendAhead(_ query: PostgresQuery) { ahead.append(query) }

    /// Runs statements without values in one round trip.
    func command(_ sql: String) throws(PostgresFailure) {
        try flush()
        _ = try execute(sql)
    }

    /// Runs statements without values in one round trip.
    ///
    /// - Returns: the first column of the last statement's first row.
    func text(_ sql: String) throws(PostgresFailure) -> String {
        try flush()
        return try execute(sql).text
    }

    /// Creates a table that belongs to the driver and not to the migrations, unless it exists. Several
    /// servers may do so at once.
    ///
    /// - Parameter statement: `CREATE TABLE IF NOT EXISTS …`.
    func create(_ table: String, _ statement: String) throws(PostgresFailure) {
        guard try text("SELECT to_regclass('\(table)') IS NULL") == "t" else { return }
        try command(
            "BEGIN; SELECT pg_advisory_xact_lock(\(PostgresWorker.schemaLock)); \(statement); COMMIT"
        )
    }

    /// Commits the transaction, together with what waits. Sends nothing if it ran no statement.
    ///
    /// - Throws: ``PostgresFailure``, also if the transaction was rolled back because a statement
    ///   failed.
    func commit() throws(PostgresFailure) {
        if !isInTransaction {
            guard ahead.contains(where: { !$0.isCommand }) else {
                ahead = []
                return
            }
            // The transaction's number must be known before the commit is sent.
            try flush()
        }
        let tag: String
        if ahead.isEmpty {
            tag = try execute("COMMIT").acknowledgment().tag
        } else {
            sendAhead(["COMMIT"])
            tag = try flush()
        }
        // A failed transaction is rolled back without an error.
        guard tag == "COMMIT" else {
            throw PostgresFailure(
                state: "25P02", message: "the transaction was rolled back", constraint: "",
                isLost: false)
        }
    }

    /// Rolls the transaction back, if it has begun.
    func rollBack() throws(PostgresFailure) {
        ahead = []
        if isInTransaction { try command("ROLLBACK") }
    }

    /// Whether a transaction has begun that is neither committed nor rolled back.
    private var isInTransaction: Bool { unsafe PQtransactionStatus(raw) != PQTRANS_IDLE }

    /// Runs a statement after the commands sent ahead, all in one round trip.
    ///
    /// - Parameter conditions: Queries that must find nothing. If one does, the statement has run all
    ///   the same, and the caller takes it back.
    /// - Throws: ``PostgresFailure``; that of a condition if it is not met.
    func run(_ query: PostgresQuery, if conditions: [PostgresCondition] = [])
        throws(PostgresFailure) -> PostgresAnswer
    {
        if conditions.isEmpty {
            if ahead.isEmpty, let answer = try runKnown(query) { return answer }
            let answers = try runTogether([query])
            return answers[answers.count - 1]
        }
        let answers = try runTogether([PostgresCondition.unmet(conditions), query])
        if case .integer(let index) = answers[answers.count - 2].rows.first?[0] {
            throw PostgresFailure(unmet: conditions[Int(index)].error)
        }
        return answers[answers.count - 1]
    }

    /// Forgets the prepared statements.
    func forgetStatements() throws(PostgresFailure) {
        statements = PostgresStatementNames()
        try command("DEALLOCATE ALL")
    }

    /// Returns the notifications that have arrived.
    func notifications() throws(PostgresFailure) -> [(channel: String, payload: String)] {
        guard unsafe PQconsumeInput(raw) == 1 else { throw unsafe .lost(raw) }
        var found: [(String, String)] = []
        while let notice = unsafe PQnotifies(raw) {
            unsafe found.append(
                (String(cString: notice.pointee.relname), String(cString: notice.pointee.extra)))
            unsafe PQfreemem(notice)
        }
        guard unsafe PQstatus(raw) == CONNECTION_OK else { throw unsafe .lost(raw) }
        return found
    }

    // MARK: Statements

    /// Runs a statement that needs no preparation.
    ///
    /// - Returns: `nil` if it needs one.
    private func runKnown(_ query: PostgresQuery) throws(PostgresFailure) -> PostgresAnswer? {
        let name = statements.name(of: query)
        guard name != nil || !query.statement.isKept else { return nil }
        let isSent = unsafe query.withValues { count, types, values, lengths, formats in
            if let name {
                unsafe PQsendQueryPrepared(raw, name, count, values, lengths, formats, 1)
            } else {
                unsafe PQsendQueryParams(
                    raw, query.statement.text, count, types, values, lengths, formats, 1)
            }
        }
        return try last(isSent).answer()
    }

    /// Runs what was sent ahead and then `queries`, in one round trip.
    ///
    /// - Returns: the answers to all.
    private func runTogether(_ queries: [PostgresQuery]) throws(PostgresFailure)
        -> [PostgresAnswer]
    {
        let ahead = ahead
        self.ahead = []
        let pipeline = unsafe try PostgresPipeline(raw, wait)
        var places: [Int] = []
        var preparations: [(place: Int, query: PostgresQuery)] = []
        var evictions: [(place: Int, statement: PostgresStatementNames.Entry)] = []
        for query in ahead + queries {
            var name = statements.name(of: query)
            if name == nil, query.statement.isKept {
                let (new, old) = statements.add(query)
                if let old {
                    evictions.append((pipeline.count, old))
                    try pipeline.add("DEALLOCATE \(old.name)")
                }
                preparations.append((pipeline.count, query))
                try pipeline.prepare(query, new)
                name = new
            }
            places.append(pipeline.count)
            try pipeline.add(query, name)
        }
        let (answers, failure) = try pipeline.finish()
        for (place, query) in preparations where place >= answers.count {
            statements.forget(query)
        }
        for (place, statement) in evictions where place >= answers.count {
            statements.restore(statement)
        }
        // Also if a later statement failed: a savepoint may let the transaction go on.
        for (query, place) in zip(ahead, places) where query.isCommand && place < answers.count {
            if query.statement.text == Self.identify { transactionID = answers[place].text }
        }
        if var failure {
            failure.isAhead = answers.count <= places[..<ahead.count].last ?? -1
            throw failure
        }
        return places.map { answers[$0] }
    }

    /// Sends what waits for a statement.
    ///
    /// - Returns: the last one's tag.
    @discardableResult
    private func flush() throws(PostgresFailure) -> String {
        if ahead.isEmpty { return "" }
        return try runTogether([]).last?.tag ?? ""
    }

    private func execute(_ sql: String) throws(PostgresFailure) -> PostgresResult {
        try last(unsafe PQsendQuery(raw, sql))
    }

    /// Reads a whole answer.
    ///
    /// - Parameter isSent: What libpq returned for the question.
    /// - Returns: the last result.
    private func last(_ isSent: Int32) throws(PostgresFailure) -> PostgresResult {
        guard isSent == 1 else { throw unsafe .lost(raw) }
        var last: PostgresResult?, failure: PostgresFailure?
        while let result = unsafe try wait.result() {
            let owned = unsafe PostgresResult(result)
            let isLost = unsafe PQstatus(raw) != CONNECTION_OK
            failure = failure ?? owned.failure(isLost: isLost)
            last = consume owned
            if isLost { break }
        }
        if let failure { throw failure }
        guard let last else { throw unsafe .lost(raw) }
        return last
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
