internal import SystemPostgres

/// Statements that travel to PostgreSQL together, in one round trip. After one that fails, the others
/// do not run.
@safe final class PostgresPipeline {
    private enum Step { case command, preparation, query }

    private let raw: OpaquePointer
    private let wait: PostgresWait
    private var steps: [Step] = []

    /// - Parameter raw: A connection without a statement in progress. It serves nothing else until
    ///   ``finish()``.
    init(_ raw: OpaquePointer, _ wait: PostgresWait) throws(PostgresFailure) {
        unsafe self.raw = raw
        self.wait = wait
        try require(unsafe PQenterPipelineMode(raw))
    }

    /// The number of statements, preparations included.
    var count: Int { steps.count }

    /// Adds a command that is not prepared, without values.
    func add(_ command: String) throws(PostgresFailure) {
        try require(unsafe PQsendQueryParams(raw, command, 0, nil, nil, nil, nil, 0))
        steps.append(.command)
    }

    /// Adds the preparation of a statement under a name.
    func prepare(_ query: PostgresQuery, _ name: String) throws(PostgresFailure) {
        try require(
            unsafe query.types.withUnsafeBufferPointer {
                unsafe PQsendPrepare(
                    raw, name, query.statement.text, Int32($0.count), $0.baseAddress)
            })
        steps.append(.preparation)
    }

    /// - Parameter name: The name under which the statement is prepared, if it is.
    func add(_ query: PostgresQuery, _ name: String?) throws(PostgresFailure) {
        let format: Int32 = query.isCommand ? 0 : 1
        try require(
            unsafe query.withValues { count, types, values, lengths, formats in
                if let name {
                    unsafe PQsendQueryPrepared(raw, name, count, values, lengths, formats, format)
                } else {
                    unsafe PQsendQueryParams(
                        raw, query.statement.text, count, types, values, lengths, formats, format)
                }
            })
        steps.append(query.isCommand ? .command : .query)
    }

    /// Sends what was added, and waits for the answers.
    ///
    /// - Returns: the answers to the statements that succeeded, and why the next one failed.
    /// - Throws: ``PostgresFailure`` if the connection is lost.
    func finish() throws(PostgresFailure) -> ([PostgresAnswer], PostgresFailure?) {
        try require(unsafe PQpipelineSync(raw))
        var answers: [PostgresAnswer] = [], failure: PostgresFailure?
        for step in steps {
            guard let result = unsafe try wait.result() else { throw unsafe .lost(raw) }
            let owned = unsafe PostgresResult(result)
            // The statements after a failed one get answers, too.
            if failure == nil {
                failure = owned.failure(isLost: unsafe PQstatus(raw) != CONNECTION_OK)
                if let failure, failure.isLost { throw failure }
                if failure == nil {
                    do throws(PostgresFailure) {
                        answers.append(step == .query ? try owned.answer() : owned.acknowledgment())
                    } catch { failure = error }
                }
            }
            // A null ends each answer.
            guard unsafe try wait.result() == nil else { throw unsafe .lost(raw) }
        }
        guard let end = unsafe try wait.result() else { throw unsafe .lost(raw) }
        let status = unsafe PQresultStatus(end)
        unsafe PQclear(end)
        guard status == PGRES_PIPELINE_SYNC else { throw unsafe .lost(raw) }
        try require(unsafe PQexitPipelineMode(raw))
        return (answers, failure)
    }

    private func require(_ status: Int32) throws(PostgresFailure) {
        if status != 1 { throw unsafe .lost(raw) }
    }
}

/// What PostgreSQL answers to a statement.
struct PostgresAnswer {
    /// Such as `COMMIT`.
    let tag: String
    /// The number of changed rows.
    var changed = 0
    var rows: [SQLRow] = []
    /// The first column of a command's first row.
    var text = ""
}

extension PostgresFailure {
    /// The connection of libpq is lost, or in a state it cannot leave.
    @unsafe static func lost(_ raw: OpaquePointer) -> PostgresFailure {
        PostgresFailure(
            state: "", message: unsafe String(cString: PQerrorMessage(raw)), constraint: "",
            isLost: true)
    }
}
