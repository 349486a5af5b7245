public import MienCore

/// A capture session for one step of one run.
public struct CaptureRecord: Sendable {
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The session accepts frames.
        case open
        /// A frame passed every check. The content holds its result.
        case passed
        case failed
        case cancelled
    }

    public let id: CaptureID
    public let tokenHash: [UInt8]
    public let run: InstanceID
    public let app: AppID
    /// The user who opened it, if one is signed in. Deleting the account deletes the capture.
    public let account: UserID?
    public var state: State
    /// Number of frames received.
    public var frames: Int
    /// The content: a template, and a picture only if the capture is compared with a document.
    public var content: Sensitive<[UInt8]>
    public let expiresAt: Instant

    public init(
        id: CaptureID, tokenHash: [UInt8], run: InstanceID, app: AppID, account: UserID? = nil,
        state: State = .open, frames: Int = 0,
        content: Sensitive<[UInt8]> = Sensitive([]), expiresAt: Instant
    ) {
        (self.id, self.tokenHash, self.run, self.app) = (id, tokenHash, run, app)
        (self.account, self.state) = (account, state)
        (self.frames, self.content, self.expiresAt) = (frames, content, expiresAt)
    }
}

public struct CaptureTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// - Throws: ``StoreError`` `.conflict` if its account does not exist.
    public func insert(_ capture: CaptureRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO capture (id, token_hash, run_id, app_id, account_id, state, frames, content_sealed, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(capture.id), .blob(capture.tokenHash), .id(capture.run), .id(capture.app),
            capture.account.map { .id($0) } ?? .null, .text(capture.state.rawValue),
            .integer(Int64(capture.frames)), .blob(sealed(capture)), .time(capture.expiresAt))
    }

    public func find(_ id: CaptureID) throws(StoreError) -> CaptureRecord? {
        guard
            let row = try connection.row(
                "SELECT token_hash, run_id, app_id, state, frames, content_sealed, expires_at, account_id FROM capture WHERE id = ?",
                .id(id))
        else { return nil }
        return CaptureRecord(
            id: id, tokenHash: try row.blob(0), run: try row.identifier(1),
            app: try row.identifier(2), account: try row[7] == .null ? nil : row.identifier(7),
            state: try row.word(3),
            frames: Int(try row.integer(4)),
            content: Sensitive(try keys.open(row.blob(5), .capture, for: id.text)),
            expiresAt: try row.instant(6))
    }

    /// Stores the session's progress.
    ///
    /// - Throws: ``StoreError`` `.stale` if the session received other frames since it was read,
    ///   has failed or was canceled, or no longer exists.
    public func update(_ capture: CaptureRecord, from frames: Int) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE capture SET state = ?, frames = ?, content_sealed = ? WHERE id = ? AND frames = ? AND state IN ('open', 'passed')",
            .text(capture.state.rawValue),
            .integer(Int64(capture.frames)), .blob(sealed(capture)), .id(capture.id),
            .integer(Int64(frames)))
        guard changed == 1 else {
            throw StoreError(.stale, "the capture has changed since it was read")
        }
    }

    /// Opens a session again that has failed. Only for one that was lost with its server.
    ///
    /// - Parameter frames: The frames of the failed session. Those of `capture` are more, so that
    ///   the lost server cannot write about the session if it was only paused.
    /// - Throws: ``StoreError`` `.stale` if the session has not failed, received other frames, or no
    ///   longer exists.
    public func reopen(_ capture: CaptureRecord, from frames: Int) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE capture SET state = 'open', frames = ?, content_sealed = ? WHERE id = ? AND frames = ? AND state = 'failed'",
            .integer(Int64(capture.frames)), .blob(sealed(capture)), .id(capture.id),
            .integer(Int64(frames)))
        guard changed == 1 else {
            throw StoreError(.stale, "the capture has changed since it was read")
        }
    }

    /// Deletes a session after its single evaluation.
    public func delete(_ id: CaptureID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM capture WHERE id = ?", .id(id))
    }

    /// Deletes the sessions of a run, or of another owner.
    public func delete(of run: InstanceID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM capture WHERE run_id = ?", .id(run))
    }

    /// Deletes the sessions of an app that is deleted.
    public func deleteAll(ofApp app: AppID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM capture WHERE app_id = ?", .id(app))
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM capture WHERE id IN (SELECT id FROM capture WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    private func sealed(_ capture: CaptureRecord) -> [UInt8] {
        capture.content.use { keys.seal($0, .capture, for: capture.id.text) }
    }
}
