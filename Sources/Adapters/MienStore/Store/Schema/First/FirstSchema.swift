/// The schema of version 0.1.0, in portable SQL: one text for each feature. It never changes; what
/// comes after it is a migration of its own.
///
/// Times are milliseconds since 1970 UTC. `BIGINT` and `TEXT` mean the same in SQLite and
/// PostgreSQL; `{blob}` is replaced with each dialect's type. Personal data is sealed (`*_sealed`)
/// or stored as a keyed hash (`*_hash`): see docs/spec/storage.md, which describes each column.
///
/// A foreign key deletes what belongs to an account, an app, or an authenticator together with it. A
/// column without one names something that may be gone, or that must outlive it.
enum FirstSchema {
    static let migration = Migration(
        "1-first",
        // Those that others refer to come first.
        [
            accounts, authenticators, locks, recovery, tokens, journeys, web, faces, identities,
            organizations, administrators, licenses, outbox, audit, servers,
        ].joined(separator: "\n"))
}
