/// Migrates a database to the newest schema.
enum Migrator {
    /// The step that lets a step say whether older servers work beside it.
    private static let compatibility = "39-schema-compatibility"

    /// Runs each missing migration step and records it: all in one transaction, or one transaction
    /// per step where other servers use the database meanwhile, so that none is kept from working
    /// for long.
    ///
    /// - Throws: ``StoreError`` `.tooNew` if the database has steps that this program does not
    ///   know, unless they say that older servers work beside them.
    static func migrate(_ driver: any SQLDriver) async throws {
        let dialect = driver.dialect, isShared = driver.isShared
        while try await driver.changeSchema({ connection in
            try connection.execute(
                dialect.schema("CREATE TABLE IF NOT EXISTS schema_step (name TEXT PRIMARY KEY)"))
            let done = try steps(connection)
            try requireKnown(done)
            let missing = Migrations.all.filter { done[$0.name] == nil }
            for step in missing.prefix(isShared ? 1 : .max) {
                try run(step, connection, dialect, isRecorded: done[compatibility] != nil)
            }
            return isShared && missing.count > 1
        }) {}
    }

    /// Returns the steps that the database has, and whether older servers work beside them.
    static func steps(_ connection: any SQLConnection) throws(StoreError) -> [String: Bool] {
        var steps: [String: Bool] = [:]
        for row in try connection.rows("SELECT name FROM schema_step") {
            steps[try row.text(0)] = false
        }
        if steps[compatibility] != nil {
            for row in try connection.rows("SELECT name FROM schema_step WHERE compatible = 1") {
                steps[try row.text(0)] = true
            }
        }
        return steps
    }

    /// - Throws: ``StoreError`` `.tooNew`.
    static func requireKnown(_ steps: [String: Bool]) throws(StoreError) {
        let known = Set(Migrations.all.map(\.name))
        guard let foreign = steps.filter({ !$0.value && !known.contains($0.key) }).keys.min() else {
            return
        }
        throw StoreError(
            .tooNew,
            "the database has the schema step “\(foreign)”, which this version does not know. Run a newer version."
        )
    }

    private static func run(
        _ step: (name: String, statements: [String]), _ connection: any SQLConnection,
        _ dialect: SQLDialect, isRecorded: Bool
    ) throws(StoreError) {
        for statement in step.statements { try connection.execute(dialect.schema(statement)) }
        try connection.execute("INSERT INTO schema_step (name) VALUES (?)", .text(step.name))
        if isRecorded, Migrations.compatible.contains(step.name) {
            try connection.execute(
                "UPDATE schema_step SET compatible = 1 WHERE name = ?", .text(step.name))
        }
    }
}
