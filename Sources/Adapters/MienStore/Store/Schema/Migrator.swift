/// Migrates a database to the newest schema.
enum Migrator {
    /// The first step of the schemas that came before the first version.
    private static let unreleased = "1-accounts"

    /// Runs each missing migration step and records it: all in one transaction, or one transaction
    /// per step where other servers use the database meanwhile, so that none is kept from working
    /// for long.
    ///
    /// - Parameter all: The steps of this program.
    /// - Throws: ``StoreError`` `.tooNew` if the database has steps that this program does not
    ///   know, unless they say that older servers work beside them; `.tooOld`.
    static func migrate(_ driver: any SQLDriver, to all: [Migration] = Migrations.all) async throws
    {
        let dialect = driver.dialect, isShared = driver.isShared
        while try await driver.changeSchema({ connection in
            try connection.execute(
                dialect.schema(
                    "CREATE TABLE IF NOT EXISTS schema_step (name TEXT PRIMARY KEY, compatible BIGINT NOT NULL DEFAULT 0)"
                ))
            let done = try steps(connection)
            try requireKnown(done, among: all)
            let missing = all.filter { done[$0.name] == nil }
            for step in missing.prefix(isShared ? 1 : .max) { try run(step, connection, dialect) }
            return isShared && missing.count > 1
        }) {}
    }

    /// Returns the steps that the database has, and whether older servers work beside them.
    ///
    /// - Throws: ``StoreError`` `.tooOld` for a database of a program from before the first version.
    static func steps(_ connection: any SQLConnection) throws(StoreError) -> [String: Bool] {
        // Some of those databases do not have the column.
        let first = try connection.row(
            "SELECT 1 FROM schema_step WHERE name = ?", .text(unreleased))
        guard first == nil else {
            throw StoreError(
                .tooOld,
                "the database is of a development version from before 0.1.0, which this version cannot read. Start with an empty database: move this one away, or name another one in the settings. People and apps must be registered again"
            )
        }
        var steps: [String: Bool] = [:]
        for row in try connection.rows("SELECT name, compatible FROM schema_step") {
            steps[try row.text(0)] = try row.integer(1) == 1
        }
        return steps
    }

    /// - Throws: ``StoreError`` `.tooNew`.
    private static func requireKnown(_ steps: [String: Bool], among all: [Migration])
        throws(StoreError)
    {
        let known = Set(all.map(\.name))
        guard let foreign = steps.filter({ !$0.value && !known.contains($0.key) }).keys.min() else {
            return
        }
        throw StoreError(
            .tooNew,
            "the database has the schema step “\(foreign)”, which this version does not know. Run a newer version."
        )
    }

    private static func run(
        _ step: Migration, _ connection: any SQLConnection, _ dialect: SQLDialect
    ) throws(StoreError) {
        for statement in step.statements { try connection.execute(dialect.schema(statement)) }
        try connection.execute(
            "INSERT INTO schema_step (name, compatible) VALUES (?, ?)", .text(step.name),
            .flag(step.isCompatible))
    }
}
