package import MienCore
package import MienVault

extension StoreChannel {
    /// The payload of ``changes`` that concerns master keys.
    package static let masterKeys = "master-keys"
}

/// The master keys of servers that share the database: which one seals, and copies of newer keys, each
/// sealed under the key before it.
///
/// Rows stay after their key is removed, so that no version and no key is used twice.
package struct MasterKeyTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    package func phases() throws(StoreError) -> MasterKeyPhases {
        MasterKeyPhases(
            try connection.rows(
                "SELECT version, name, state, sealed_by, passed_at FROM master_key ORDER BY version"
            ).map(key))
    }

    private func key(_ row: SQLRow) throws(StoreError) -> MasterKeyPhases.Key {
        guard let name = SealedKeyName(bytes: try row.blob(1)),
            let state = MasterKeyPhases.State(rawValue: try row.text(2))
        else { throw StoreError(.corrupt, "a row of master_key is invalid") }
        var opener: SealedKeyName?
        if let version = try row.optionalInteger(3) {
            opener = try connection.row(
                "SELECT name FROM master_key WHERE version = ?", .integer(version)
            ).flatMap { row throws(StoreError) in SealedKeyName(bytes: try row.blob(0)) }
        }
        return MasterKeyPhases.Key(
            version: UInt32(clamping: try row.integer(0)), name: name, state: state,
            opener: opener, isPassDone: try row.optionalInteger(4) != nil)
    }

    /// Enters the keys of the ring of the first server. Does nothing if there are keys.
    package func begin(at now: Instant) throws(StoreError) {
        guard try connection.row("SELECT 1 FROM master_key LIMIT 1") == nil else { return }
        let all = keys.ring.keys, active = keys.ring.active
        for key in all where key.version <= active.version {
            try insert(
                key, .active, copy: nil, by: "system", at: now,
                isPassDone: all.count == 1 && key.name == active.name)
        }
    }

    /// Stores a new key for the others, sealed under the key in use.
    ///
    /// - Throws: ``StoreError`` `.conflict` if the version was used.
    package func prepare(_ key: MasterKey, by actor: String, at now: Instant) throws(StoreError) {
        try insert(key, .prepared, copy: keys.ring.active, by: actor, at: now, isPassDone: false)
        try tell()
    }

    /// Enters a key that the ring seals with and the database does not know: a rotation is newer than the
    /// database, which was restored, or than the version of Mien that the others ran.
    package func enter(at now: Instant) throws(StoreError) {
        let phases = try phases(), key = keys.ring.active
        guard let active = phases.active, key.version > phases.keys.last?.version ?? 0,
            let former = keys.ring.keys.first(where: { $0.name == active.name })
        else { return }
        try insert(key, .active, copy: former, by: "system", at: now, isPassDone: false)
        try tell()
    }

    private func insert(
        _ key: MasterKey, _ state: MasterKeyPhases.State, copy former: MasterKey?,
        by actor: String, at now: Instant, isPassDone: Bool
    ) throws(StoreError) {
        let copy = former.map { former in
            RecordSealer(key: former, purpose: .masterKey).seal(
                key.exported, identity: Self.identity(key.version))
        }
        try connection.execute(
            """
            INSERT INTO master_key (version, name, state, key_sealed, sealed_by, actor, changed_at, passed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(Int64(key.version)), .blob(key.name.bytes), .text(state.rawValue),
            copy.map { .blob($0) } ?? .null,
            former.map { .integer(Int64($0.version)) } ?? .null, .text(actor), .time(now),
            isPassDone ? .time(now) : .null)
    }

    /// Opens the copy of a key with a key of the ring.
    ///
    /// - Throws: ``StoreError`` `.corrupt` if the copy is damaged or missing, or belongs to another key.
    package func open(_ version: UInt32) throws(StoreError) -> MasterKey {
        guard
            let row = try connection.row(
                "SELECT key_sealed, name FROM master_key WHERE version = ?",
                .integer(Int64(version))), let copy = try row.optionalBlob(0),
            let former = keys.ring.key(of: copy),
            let bytes = try? RecordSealer(key: former, purpose: .masterKey).open(
                copy, identity: Self.identity(version)), bytes.count == MasterKey.size
        else { throw StoreError(.corrupt, "the copy of master key \(version) cannot be opened") }
        let key = MasterKey(bytes: bytes, version: version)
        guard try row.blob(1) == key.name.bytes else {
            throw StoreError(.corrupt, "the copy of master key \(version) is another key")
        }
        return key
    }

    /// Makes a prepared key the one in use.
    ///
    /// - Returns: who began the rotation; `nil` if the key is not prepared anymore.
    package func activate(_ version: UInt32, at now: Instant) throws(StoreError) -> String? {
        try change(version, .prepared, to: .active, at: now)
    }

    /// Ends a rotation that is being prepared.
    ///
    /// - Returns: `false` if the key is not prepared anymore.
    package func cancel(_ version: UInt32, at now: Instant) throws(StoreError) -> Bool {
        let actor = try change(version, .prepared, to: .canceled, at: now)
        try connection.execute(
            "UPDATE master_key SET key_sealed = NULL, sealed_by = NULL WHERE version = ? AND state = ?",
            .integer(Int64(version)), .text(MasterKeyPhases.State.canceled.rawValue))
        return actor != nil
    }

    /// Forbids to seal under a former key, and erases what it opens.
    package func remove(_ version: UInt32, at now: Instant) throws(StoreError) -> Bool {
        let actor = try change(version, .active, to: .removed, at: now)
        try connection.execute(
            "UPDATE master_key SET key_sealed = NULL, sealed_by = NULL WHERE sealed_by = ? OR version = ?",
            .integer(Int64(version)), .integer(Int64(version)))
        return actor != nil
    }

    private func change(
        _ version: UInt32, _ old: MasterKeyPhases.State, to new: MasterKeyPhases.State,
        at now: Instant
    ) throws(StoreError) -> String? {
        let actor = try connection.rows(
            "UPDATE master_key SET state = ?, changed_at = ? WHERE version = ? AND state = ? RETURNING actor",
            .text(new.rawValue), .time(now), .integer(Int64(version)), .text(old.rawValue)
        ).first.map { row throws(StoreError) in try row.text(0) }
        if actor != nil { try tell() }
        return actor
    }

    /// The number of passes that were asked for so far.
    package func passRequests() throws(StoreError) -> Int64 {
        try ChangeVersionTable(connection: connection).version(of: .masterKeyPass)
    }

    /// Notes that all records of former keys have been sealed under the one in use.
    ///
    /// - Parameter requests: ``passRequests()`` from before the pass.
    /// - Returns: `false` if another pass was asked for meanwhile. Nothing is noted then, because the
    ///   records it was asked for may be where this one had been.
    package func notePass(_ version: UInt32, requests: Int64, at now: Instant) throws(StoreError)
        -> Bool
    {
        guard try passRequests() == requests else { return false }
        try connection.execute(
            "UPDATE master_key SET passed_at = ? WHERE version = ?", .time(now),
            .integer(Int64(version)))
        return true
    }

    /// Asks for another pass, because records may have been sealed under a former key meanwhile.
    package func askForPass(_ version: UInt32) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.masterKeyPass)
        let count = try connection.execute(
            "UPDATE master_key SET passed_at = NULL WHERE version = ? AND passed_at IS NOT NULL",
            .integer(Int64(version)))
        if count > 0 { try tell() }
    }

    /// Tells the servers to look.
    package func tell() throws(StoreError) {
        try connection.notify(.changes, StoreChannel.masterKeys)
    }

    private static func identity(_ version: UInt32) -> [UInt8] { Array("\(version)".utf8) }
}
