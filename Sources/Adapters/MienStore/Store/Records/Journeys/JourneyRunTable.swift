public import MienCore

/// A stored run of a journey that waits for the client or has ended.
public struct JourneyRunRecord: Sendable {
    public let id: InstanceID
    public let app: AppID
    public let journey: JourneyID
    /// The revision, which increases by one each time the run advances.
    public var revision: Int
    /// The hash of the only token that can advance the run.
    public var tokenHash: [UInt8]
    /// The last token, the request sent with it, and the response. A repeated request gets the same
    /// response.
    public var used: Used?
    /// The run's state, as encoded by the engine.
    public var state: Sensitive<[UInt8]>
    /// The account that the run is about, once its user has proved to have it. The run is deleted
    /// with the account.
    public var account: UserID?
    public let expiresAt: Instant

    public struct Used: Sendable {
        public let tokenHash, requestHash: [UInt8]
        public let answer: Sensitive<[UInt8]>

        public init(tokenHash: [UInt8], requestHash: [UInt8], answer: Sensitive<[UInt8]>) {
            (self.tokenHash, self.requestHash, self.answer) = (tokenHash, requestHash, answer)
        }
    }

    public init(
        id: InstanceID, app: AppID, journey: JourneyID, revision: Int = 0, tokenHash: [UInt8],
        used: Used? = nil, state: Sensitive<[UInt8]>, account: UserID? = nil,
        expiresAt: Instant
    ) {
        (self.id, self.app, self.journey, self.revision, self.tokenHash) = (
            id, app, journey, revision, tokenHash
        )
        (self.used, self.state, self.expiresAt) = (used, state, expiresAt)
        self.account = account
    }
}

public struct JourneyRunTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// - Throws: ``StoreError`` `.stale` if the run's account no longer exists.
    public func insert(_ run: JourneyRunRecord) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO journey_run (id, app_id, journey_id, revision, token_hash, state_sealed, account_id, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .id(run.id), .id(run.app), .id(run.journey), .integer(Int64(run.revision)),
            .blob(run.tokenHash), .blob(sealedState(run)), run.account.map { .id($0) } ?? .null,
            .time(run.expiresAt))
    }

    public func find(_ id: InstanceID) throws(StoreError) -> JourneyRunRecord? {
        guard
            let row = try connection.row(
                """
                SELECT app_id, journey_id, revision, token_hash, used_token_hash, used_request_hash, state_sealed, expires_at, account_id
                FROM journey_run WHERE id = ?
                """, .id(id))
        else { return nil }
        let content = try RunContent(keys.open(row.blob(6), .journeyRun, for: id.text))
        var used: JourneyRunRecord.Used?
        if let token = try row.optionalBlob(4), let request = try row.optionalBlob(5) {
            used = .init(tokenHash: token, requestHash: request, answer: Sensitive(content.answer))
        }
        return JourneyRunRecord(
            id: id, app: try row.identifier(0), journey: try row.identifier(1),
            revision: Int(try row.integer(2)), tokenHash: try row.blob(3),
            used: used, state: Sensitive(content.state),
            account: try row.optionalIdentifier(8), expiresAt: try row.instant(7))
    }

    /// Returns those of the runs that are stored.
    public func stored(among ids: [InstanceID]) throws(StoreError) -> Set<InstanceID> {
        var stored: Set<InstanceID> = []
        var rest = ids[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.maxParameters)
            rest = rest.dropFirst(part.count)
            let places = part.map { _ in "?" }.joined(separator: ", ")
            for row in try connection.rows(
                "SELECT id FROM journey_run WHERE id IN (\(places))", part.map { SQLValue.id($0) })
            {
                stored.insert(try row.identifier(0))
            }
        }
        return stored
    }

    /// Databases limit the parameters of one statement.
    private static let maxParameters = 256

    /// Deletes the runs of an app that is deleted.
    public func deleteAll(ofApp app: AppID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM journey_run WHERE app_id = ?", .id(app))
    }

    /// Writes `run` with the next revision if the stored run still has `revision` (compare and
    /// set).
    ///
    /// - Throws: ``StoreError`` `.stale` otherwise, and if the run's account no longer exists.
    public func advance(_ run: JourneyRunRecord, from revision: Int) throws(StoreError) {
        let changed = try connection.execute(
            """
            UPDATE journey_run SET revision = ?, token_hash = ?, used_token_hash = ?, used_request_hash = ?, state_sealed = ?, account_id = ?
            WHERE id = ? AND revision = ?
            """, .integer(Int64(revision + 1)), .blob(run.tokenHash),
            run.used.map { .blob($0.tokenHash) } ?? .null,
            run.used.map { .blob($0.requestHash) } ?? .null, .blob(sealedState(run)),
            run.account.map { .id($0) } ?? .null, .id(run.id), .integer(Int64(revision)))
        guard changed == 1 else {
            throw StoreError(.stale, "the run has advanced since it was read")
        }
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM journey_run WHERE id IN (SELECT id FROM journey_run WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    /// Both parts in one record, because sealing costs more than the bytes.
    private func sealedState(_ run: JourneyRunRecord) -> [UInt8] {
        let content = RunContent(
            state: run.state.use { $0 }, answer: run.used?.answer.use { $0 } ?? [])
        return keys.seal(content.bytes, .journeyRun, for: run.id.text)
    }
}

/// The sealed content of a run: a 1, the answer's length in four bytes, the answer, and the state.
private struct RunContent {
    private static let mark: UInt8 = 1

    let state, answer: [UInt8]

    init(state: [UInt8], answer: [UInt8]) { (self.state, self.answer) = (state, answer) }

    init(_ bytes: [UInt8]) throws(StoreError) {
        var reader = ByteReader(bytes.dropFirst())
        guard bytes.first == Self.mark, let count = reader.integer(UInt32.self),
            let answer = reader.take(Int(count)), let state = reader.take(reader.remaining)
        else { throw StoreError(.corrupt, "the content of a journey's run is malformed") }
        self.init(state: Array(state), answer: Array(answer))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 5 + answer.count + state.count)
        writer.put(integer: Self.mark)
        writer.put(integer: UInt32(answer.count))
        writer.put(answer)
        writer.put(state)
        return writer.bytes
    }
}
