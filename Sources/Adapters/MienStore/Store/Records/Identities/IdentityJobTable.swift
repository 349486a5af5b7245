public import MienCore

/// A piece of work that a worker of the server does in the background: it judges what was stored
/// with an attempt or a verification session.
public struct IdentityJob: Sendable, Hashable {
    public enum Subject: String, Sendable {
        /// A user's attempt.
        case attempt
        /// A verification session without an attempt of a user.
        case session
    }

    /// The identifier of the attempt or the session.
    public let id: String
    public let subject: Subject
    /// The user whose attempt it is.
    public let account: UserID?
    /// The app whose users or requests it serves. Apps take turns.
    public let app: AppID
    public let queuedAt: Instant
    /// How often a worker began since the last failure, this time included.
    public let starts: Int
    /// How often judging failed because something was not available.
    public let failures: Int

    public init(
        id: String, subject: Subject, account: UserID?, app: AppID, queuedAt: Instant,
        starts: Int = 0, failures: Int = 0
    ) {
        (self.id, self.subject, self.account, self.app) = (id, subject, account, app)
        (self.queuedAt, self.starts, self.failures) = (queuedAt, starts, failures)
    }
}

/// The jobs that wait or run. A job is stored with what it judges, and removed with the judgment, in
/// one transaction each: a killed server loses none and records no result twice.
public struct IdentityJobTable {
    let connection: any SQLConnection
    private static let columns = "id, subject, account_id, app_id, queued_at, starts, failures"

    /// - Throws: ``StoreError`` `.conflict` if the attempt or session has a job.
    public func insert(_ job: IdentityJob) throws(StoreError) {
        try connection.execute(
            "INSERT INTO identity_job (\(Self.columns), next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .text(job.id), .text(job.subject.rawValue), job.account.map { .id($0) } ?? .null,
            .id(job.app), .time(job.queuedAt), .integer(Int64(job.starts)),
            .integer(Int64(job.failures)),
            .time(job.queuedAt))
    }

    /// The number of jobs that wait or run.
    public func count() throws(StoreError) -> Int {
        Int(try connection.row("SELECT COUNT(*) FROM identity_job")?.integer(0) ?? 0)
    }

    /// The number of an app's jobs that wait or run.
    public func count(of app: AppID) throws(StoreError) -> Int {
        Int(
            try connection.row("SELECT COUNT(*) FROM identity_job WHERE app_id = ?", .id(app))?
                .integer(0) ?? 0)
    }

    public func find(_ id: String) throws(StoreError) -> IdentityJob? {
        try connection.row("SELECT \(Self.columns) FROM identity_job WHERE id = ?", .text(id))
            .map { row throws(StoreError) in try Self.job(row) }
    }

    /// Takes an app's job that has been due for longest, and counts the start before the work
    /// begins, so that work that ends the process is noticed.
    ///
    /// - Parameters:
    ///   - running: The jobs that other workers of this process do.
    ///   - expiry: The time until which no other server begins the job, unless ``extend(_:until:)``
    ///     moves it; `nil` if no other server uses the database.
    ///   - choose: Says which app's turn it is, among those with a job that is due, the one that has
    ///     waited for longest first; not called without any.
    public func start(
        besides running: Set<String>, at now: Instant, until expiry: Instant? = nil,
        choosing choose: (_ waiting: [AppID]) -> AppID? = { $0.first }
    ) throws(StoreError) -> IdentityJob? {
        let others = running.sorted()
        let marks = others.map { _ in "?" }.joined(separator: ", ")
        let due =
            "next_at <= ?\(others.isEmpty ? "" : " AND id NOT IN (\(marks))")\(expiry == nil ? "" : " AND leased_until <= ?")"
        let values: [SQLValue] =
            [.time(now)] + others.map { .text($0) } + (expiry == nil ? [] : [.time(now)])
        let waiting: [AppID] = try connection.rows(
            "SELECT app_id FROM identity_job WHERE \(due) GROUP BY app_id ORDER BY MIN(next_at), MIN(queued_at), app_id",
            values
        ).map { row throws(StoreError) in try row.identifier(0) }
        guard !waiting.isEmpty, let app = choose(waiting) else { return nil }
        let row = try connection.rows(
            "SELECT \(Self.columns) FROM identity_job WHERE \(due) AND app_id = ? ORDER BY next_at, queued_at, id LIMIT 1 \(connection.skippingLocked)",
            values + [.id(app)]
        ).first
        guard let row else { return nil }
        let job = try Self.job(row, starts: 1)
        // If two servers read the job at once, only one begins it.
        let begun = try connection.execute(
            "UPDATE identity_job SET starts = ?, leased_until = ? WHERE id = ? AND starts = ?",
            .integer(Int64(job.starts)), .time(expiry ?? now), .text(job.id),
            .integer(Int64(job.starts - 1)))
        return begun == 1 ? job : nil
    }

    /// Keeps jobs that run from being begun by other servers. One that another server has begun
    /// meanwhile is not touched.
    public func extend(_ running: [IdentityJob], until expiry: Instant) throws(StoreError) {
        for job in running.sorted(by: { $0.id < $1.id }) {
            try connection.execute(
                "UPDATE identity_job SET leased_until = ? WHERE id = ? AND starts = ? AND failures = ?",
                .time(expiry), .text(job.id), .integer(Int64(job.starts)),
                .integer(Int64(job.failures)))
        }
    }

    /// Whether a job that this server began is still its own: a server that was paused may have lost
    /// it to another one.
    public func holds(_ job: IdentityJob) throws(StoreError) -> Bool {
        guard let found = try find(job.id) else { return false }
        return found.starts == job.starts && found.failures == job.failures
    }

    /// Lets a job wait until `next`, unless another server has begun it meanwhile.
    ///
    /// - Parameter failed: Whether judging failed; otherwise the server stops, or was busy.
    public func postpone(_ job: IdentityJob, until next: Instant, failed: Bool) throws(StoreError) {
        try connection.execute(
            """
            UPDATE identity_job SET starts = ?, failures = ?, next_at = ?, leased_until = 0
            WHERE id = ? AND starts = ? AND failures = ?
            """, .integer(Int64(failed ? 0 : job.starts - 1)),
            .integer(Int64(job.failures + (failed ? 1 : 0))), .time(next), .text(job.id),
            .integer(Int64(job.starts)), .integer(Int64(job.failures)))
    }

    private static func job(_ row: SQLRow, starts more: Int = 0) throws(StoreError) -> IdentityJob {
        IdentityJob(
            id: try row.text(0), subject: try row.word(1),
            account: try row[2] == .null ? nil : row.identifier(2), app: try row.identifier(3),
            queuedAt: try row.instant(4), starts: Int(try row.integer(5)) + more,
            failures: Int(try row.integer(6)))
    }

    public func delete(_ id: String) throws(StoreError) {
        try connection.execute("DELETE FROM identity_job WHERE id = ?", .text(id))
    }
}
