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
    /// Hashes are cut to this length: a collision only adds a candidate.
    private static let hashBytes = 16

    let connection: any SQLConnection
    let keys: StoreKeys

    /// Inserts a person, or replaces the one with the same ID.
    ///
    /// - Throws: ``IdentityError`` if the data is not valid, or ``StoreError``.
    public func put(_ row: RegistryRow, at now: Instant) throws {
        try put(Sealed(row, keys: keys), at: now)
    }

    /// Inserts a sealed person, or replaces the one with the same ID.
    public func put(_ person: Sealed, at now: Instant) throws(StoreError) {
        let id = SQLValue.blob(person.id)
        try connection.execute(
            """
            INSERT INTO registry_person (id_hash, content_sealed, updated_at) VALUES (?, ?, ?)
            ON CONFLICT (id_hash) DO UPDATE SET content_sealed = excluded.content_sealed, updated_at = excluded.updated_at
            """, id, .blob(person.content), .time(now))
        try connection.execute("DELETE FROM registry_key WHERE id_hash = ?", id)
        for text in person.texts {
            try connection.execute(
                "INSERT INTO registry_key (text_hash, id_hash) VALUES (?, ?) ON CONFLICT (text_hash, id_hash) DO NOTHING",
                .blob(text), id)
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
                JSONColumn.bytes(Stored(row)), .registryPerson, for: RegistryTable.name(id))
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
            SELECT id_hash, content_sealed FROM registry_person WHERE id_hash IN
            (SELECT id_hash FROM registry_key WHERE text_hash IN (\(places))) ORDER BY id_hash LIMIT \(Self.maxCandidates)
            """, hashes)
        var people: [RegistryPerson] = []
        for row in rows { people.append(try self.person(row)) }
        return people
    }

    public func count() throws(StoreError) -> Int {
        Int(try connection.row("SELECT COUNT(*) FROM registry_person")?.integer(0) ?? 0)
    }

    /// Deletes a person by the operator's ID.
    public func delete(_ id: String) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM registry_person WHERE id_hash = ?", .blob(Self.idHash(id, keys))) == 1
    }

    /// Deletes the people that no import since `time` listed.
    ///
    /// - Returns: the number of deleted people, at most `count`.
    public func delete(updatedBefore time: Instant, atMost count: Int) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM registry_person WHERE id_hash IN (SELECT id_hash FROM registry_person WHERE updated_at < ? LIMIT ?)",
            .time(time), .integer(Int64(count)))
    }

    private static func idHash(_ id: String, _ keys: StoreKeys) -> [UInt8] {
        Array(keys.hash(ofRegistry: "id:\(id)").prefix(hashBytes))
    }

    private static func textHash(_ text: String, _ keys: StoreKeys) -> [UInt8] {
        Array(keys.hash(ofRegistry: "text:\(text)").prefix(hashBytes))
    }

    private static func name(_ id: [UInt8]) -> String { Base64URL.encode(id) }

    private func person(_ row: SQLRow) throws(StoreError) -> RegistryPerson {
        let bytes = try keys.open(
            row.blob(1), .registryPerson, for: Self.name(try row.blob(0)))
        let stored = try JSONColumn.value(Stored.self, bytes)
        guard let data = try? PersonalData(stored.input) else {
            throw StoreError(.corrupt, "a stored person of the registry has invalid data")
        }
        return RegistryPerson(data, marks: stored.marks)
    }

    /// The sealed content: the data as the file has it, so that a later version can compare it in
    /// another way.
    private struct Stored: Codable {
        let firstName, lastName, address: String
        let city, state: String?
        let postalCode, country, dateOfBirth: String
        let marks: Set<SourceAnswer.Mark>

        init(_ row: RegistryRow) {
            (firstName, lastName, address) = (
                row.input.firstName, row.input.lastName, row.input.address
            )
            (city, state, postalCode) = (row.input.city, row.input.state, row.input.postalCode)
            (country, dateOfBirth) = (row.input.country, row.input.dateOfBirth)
            marks = row.marks
        }

        var input: PersonalDataInput {
            PersonalDataInput(
                firstName: firstName, lastName: lastName, address: address, city: city,
                state: state, postalCode: postalCode, country: country, dateOfBirth: dateOfBirth)
        }
    }
}
