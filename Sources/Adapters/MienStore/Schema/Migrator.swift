/// Migrates a database to the newest schema.
enum Migrator {
    /// Runs each migration step and records it in one transaction.
    ///
    /// - Throws: ``StoreError`` `.tooNew` if the database has steps that this program does not
    ///   know.
    static func migrate(_ driver: some SQLDriver, blob: String) async throws {
        try await driver.write(.always) { connection in
            try connection.execute("CREATE TABLE IF NOT EXISTS schema_step (name TEXT PRIMARY KEY)")
            let done = try Set(
                connection.rows("SELECT name FROM schema_step").map { try $0.text(0) })
            let known = Set(Migrations.all.map(\.name))
            if let foreign = done.subtracting(known).min() {
                throw StoreError(
                    .tooNew,
                    "the database has the schema step “\(foreign)”, which this version does not know. Run a newer version."
                )
            }
            for step in Migrations.all where !done.contains(step.name) {
                for statement in step.statements {
                    try connection.execute(statement.replacing("{blob}", with: blob))
                }
                try connection.execute(
                    "INSERT INTO schema_step (name) VALUES (?)", .text(step.name))
            }
        }
    }
}
