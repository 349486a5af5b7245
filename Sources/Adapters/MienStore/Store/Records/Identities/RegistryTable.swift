public import MienCore
public import MienIdentity

/// The reference registry: people whose data an operator trusts. They are no users, so no account
/// owns them.
///
/// Rows are sealed and found by keyed hashes of ``PersonalData/blockingTexts``: without the master
/// key, nobody can read a row or test whether a person is in the registry.
public struct RegistryTable {
    /// The number of candidates that a search compares. More of them share a key only in a damaged
    /// or invented registry.
    public static let maxCandidates = 500
    /// Hashes are cut to these lengths. A collision of texts only adds a candidate.
    private static let idBytes = 16, textBytes = 8

    let connection: any SQLConnection
    let keys: StoreKeys

    /// Inserts a person, or replaces the one with the same ID.
    ///
    /// - Throws: ``IdentityError`` if the data is not valid, or ``StoreError``.
    public func put(_ row: RegistryRow, at now: Instant) throws {
        try put([Sealed(row, keys: keys)], at: now)
    }

    /// Inserts sealed people, or replaces those with the same IDs. The last of several with the same
    /// ID stays.
    ///
    /// Rows are written in the order of their hashes, and people are numbered in that order. In any
    /// other order, every row would write another page of each index. The more people are written
    /// together, the fewer pages are written for each.
    public func put(_ people: [Sealed], at now: Instant) throws(StoreError) {
        var latest: [[UInt8]: Sealed] = [:]
        latest.reserveCapacity(people.count)
        for person in people { latest[person.id] = person }
        let sorted = latest.values.sorted { $0.id.lexicographicallyPrecedes($1.id) }
        var next =
            try connection.row("SELECT COALESCE(MAX(number), 0) FROM registry_person")?
            .integer(0) ?? 0
        let known = next == 0 ? [:] : try rows(of: sorted)
        var added: [SealedKey] = [], inserted: [[SQLValue]] = []
        added.reserveCapacity(sorted.count * 2)
        inserted.reserveCapacity(sorted.count - known.count)
        for person in sorted {
            let texts = SQLValue.blob(Array(person.texts.joined())), number: Int64
            let content = try keys.current(
                person.content, .registryPerson, for: Self.name(person.id))
            if let row = known[person.id] {
                number = try row.integer(0)
                try removeKeys(of: row)
                connection.leaveNoTrace()
                try connection.execute(
                    "UPDATE registry_person SET text_hashes = ?, content_sealed = ?, updated_at = ? WHERE number = ?",
                    texts, .blob(content), .time(now), .integer(number))
            } else {
                next += 1
                number = next
                inserted.append([
                    .integer(number), .blob(person.id), texts, .blob(content), .time(now),
                ])
            }
            for text in person.texts { added.append(SealedKey(text, number)) }
        }
        try insert(
            inserted,
            into: "registry_person (number, id_hash, text_hashes, content_sealed, updated_at)")
        added.sort()
        try insert(
            added.map { [.blob($0.hash), .integer($0.number)] },
            into: "registry_key (text_hash, number)",
            "ON CONFLICT (text_hash, number) DO NOTHING")
    }

    /// Returns the stored rows of people by their IDs: `number`, `text_hashes`, `id_hash`.
    private func rows(of people: [Sealed]) throws(StoreError) -> [[UInt8]: SQLRow] {
        var found: [[UInt8]: SQLRow] = [:]
        for start in stride(from: 0, to: people.count, by: Self.together) {
            let part = people[start..<min(people.count, start + Self.together)]
            // Always the same statement, so that it is prepared once. The IDs of the rest are null.
            let ids = part.map { SQLValue.blob($0.id) }
            let rest = Array(repeating: SQLValue.null, count: Self.together - part.count)
            for row in try connection.rows(
                "SELECT number, text_hashes, id_hash FROM registry_person WHERE id_hash IN (\(Self.places(Self.together)))",
                ids + rest)
            {
                found[try row.blob(2)] = row
            }
        }
        return found
    }

    /// The number of rows of one statement.
    private static let together = 64

    private static func places(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// Inserts rows, many with each statement.
    private func insert(_ rows: [[SQLValue]], into table: String, _ conflict: String = "")
        throws(StoreError)
    {
        guard let columns = rows.first?.count else { return }
        let row = "(\(Self.places(columns)))"
        let many = Array(repeating: row, count: Self.together).joined(separator: ", ")
        var start = 0
        while start + Self.together <= rows.count {
            try connection.execute(
                "INSERT INTO \(table) VALUES \(many) \(conflict)",
                Array(rows[start..<(start + Self.together)].joined()))
            start += Self.together
        }
        for values in rows[start...] {
            try connection.execute("INSERT INTO \(table) VALUES \(row) \(conflict)", values)
        }
    }

    /// A key of a person, in the order of the index.
    private struct SealedKey: Comparable {
        let hash: [UInt8]
        let number: Int64

        init(_ hash: [UInt8], _ number: Int64) { (self.hash, self.number) = (hash, number) }

        static func < (a: Self, b: Self) -> Bool {
            a.hash == b.hash ? a.number < b.number : a.hash.lexicographicallyPrecedes(b.hash)
        }
    }

    /// A person as the table stores them. Sealing takes longer than storing, and needs no database.
    public struct Sealed: Sendable {
        let id, content: [UInt8]
        let texts: [[UInt8]]

        /// - Throws: ``IdentityError`` if the data is not valid.
        public init(_ row: RegistryRow, keys: StoreKeys) throws(IdentityError) {
            let person = try PersonalData(row.input)
            id = RegistryTable.idHash(row.id, keys)
            content = keys.seal(
                RegistryContent(row).json, .registryPerson, for: RegistryTable.name(id))
            texts = person.blockingTexts.map { RegistryTable.textHash($0, keys) }
        }
    }

    /// Returns the people with one of the person's ``PersonalData/blockingTexts``, at most
    /// ``maxCandidates``.
    public func candidates(for person: PersonalData) throws(StoreError) -> [RegistryPerson] {
        let hashes = person.blockingTexts.map { SQLValue.blob(Self.textHash($0, keys)) }
        let places = hashes.map { _ in "?" }.joined(separator: ", ")
        let rows = try connection.rows(
            """
            SELECT content_sealed, id_hash FROM registry_person WHERE number IN
            (SELECT number FROM registry_key WHERE text_hash IN (\(places))) ORDER BY number LIMIT \(Self.maxCandidates)
            """, hashes)
        var people: [RegistryPerson] = []
        for row in rows { people.append(try self.person(row.blob(0), id: row.blob(1))) }
        return people
    }

    public func count() throws(StoreError) -> Int {
        Int(try connection.row("SELECT COUNT(*) FROM registry_person")?.integer(0) ?? 0)
    }

    /// Deletes a person by the operator's ID.
    public func delete(_ id: String) throws(StoreError) -> Bool {
        try delete(
            connection.rows(
                "SELECT number, text_hashes FROM registry_person WHERE id_hash = ?",
                [.blob(Self.idHash(id, keys))])) == 1
    }

    /// Deletes the people that no import since `time` listed.
    ///
    /// - Returns: the number of deleted people, at most `count`.
    public func delete(updatedBefore time: Instant, atMost count: Int) throws(StoreError) -> Int {
        try delete(
            connection.rows(
                "SELECT number, text_hashes FROM registry_person WHERE updated_at < ? LIMIT ?",
                [.time(time), .integer(Int64(count))]))
    }

    /// - Parameter rows: `number`, `text_hashes`.
    private func delete(_ rows: [SQLRow]) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        for row in rows {
            try removeKeys(of: row)
            try connection.execute(
                "DELETE FROM registry_person WHERE number = ?", .integer(try row.integer(0)))
        }
        return rows.count
    }

    /// Deletes the keys under which a person is found.
    ///
    /// - Parameter row: `number`, `text_hashes`, …
    private func removeKeys(of row: SQLRow) throws(StoreError) {
        let number = try row.integer(0), joined = try row.blob(1)
        for start in stride(from: 0, to: joined.count, by: Self.textBytes) {
            try connection.execute(
                "DELETE FROM registry_key WHERE text_hash = ? AND number = ?",
                .blob(Array(joined[start..<min(joined.count, start + Self.textBytes)])),
                .integer(number))
        }
    }

    private static func idHash(_ id: String, _ keys: StoreKeys) -> [UInt8] {
        Array(keys.hash(ofRegistry: "id:\(id)").prefix(idBytes))
    }

    private static func textHash(_ text: String, _ keys: StoreKeys) -> [UInt8] {
        Array(keys.hash(ofRegistry: "text:\(text)").prefix(textBytes))
    }

    private static func name(_ id: [UInt8]) -> String { Base64URL.encode(id) }

    private func person(_ content: [UInt8], id: [UInt8]) throws(StoreError) -> RegistryPerson {
        let bytes = try keys.open(content, .registryPerson, for: Self.name(id))
        let stored = try JSONColumn.value(RegistryContent.self, bytes)
        guard let data = try? PersonalData(stored.input) else {
            throw StoreError(.corrupt, "a stored person of the registry has invalid data")
        }
        return RegistryPerson(data, marks: stored.marks)
    }
}
