internal import Foundation
internal import MienCore

/// PostgreSQL through libpq, for several servers on one database.
///
/// Every read is one snapshot. Writes are serializable: one that lost against another server's runs
/// again. Writes of ``Durability/always`` of one server share transactions, as in SQLite, and take
/// turns with those of other servers, because each appends to the audit log, which is one chain.
/// Writes of ``Durability/process`` run in up to two transactions at once, which waiting ones share.
///
/// All calls of libpq are made on threads of its own.
public final class PostgresDriver: SQLDriver {
    /// The maximum number of writes in one transaction.
    private static let maxTogether = 256

    private let settings: PostgresSettings
    private let readQueue: PostgresQueue
    private let runQueue: PostgresQueue
    private let writeQueue = PostgresQueue(threads: 1)
    private let hub = NotificationHub()
    private let listener: PostgresListener
    private let cleaner: PostgresCleaner
    private let threads: Locked<[WorkerThread]>
    public let readers: Int

    /// Whether PostgreSQL is set up to keep what it commits (`fsync`, `full_page_writes`).
    public let isDurable: Bool

    /// Connects, and starts the threads.
    ///
    /// - Throws: ``StoreError`` `.unreachable`.
    public init(_ settings: PostgresSettings) async throws {
        self.settings = settings
        isDurable = try await Self.prepare(settings)
        // One writes for all in turn. Up to two more write, so that one waiting for a lock does not stop
        // the other. More would cost more than sharing transactions does. The others read.
        let runners = settings.connections > 3 ? 2 : 1
        readers = settings.connections - runners - 1
        let readQueue = PostgresQueue(threads: readers), runQueue = PostgresQueue(threads: runners)
        let writeQueue = writeQueue
        (self.readQueue, self.runQueue) = (readQueue, runQueue)
        let cleaner = PostgresCleaner(settings)
        self.cleaner = cleaner
        listener = PostgresListener(settings, hub)
        var threads: [WorkerThread] = []
        for _ in 0..<readers {
            threads.append(
                .required(name: "mien.pg.read") {
                    let worker = PostgresWorker(settings, cleaner)
                    while let jobs = readQueue.next(atMost: 1) {
                        for job in jobs { worker.read(job) }
                        readQueue.finished(jobs.count)
                    }
                })
        }
        for _ in 0..<runners {
            threads.append(
                .required(name: "mien.pg.run") {
                    let worker = PostgresWorker(settings, cleaner)
                    while let jobs = runQueue.next(atMost: Self.maxTogether) {
                        worker.write(jobs, .beside)
                        runQueue.finished(jobs.count)
                    }
                })
        }
        threads.append(
            .required(name: "mien.pg.write") {
                let worker = PostgresWorker(settings, cleaner)
                while let jobs = writeQueue.next(atMost: Self.maxTogether) {
                    worker.write(jobs, .inTurn)
                    writeQueue.finished(jobs.count)
                }
            })
        self.threads = Locked(threads)
    }

    deinit {
        stop()
        for thread in takeThreads() { thread.detach() }
    }

    public var dialect: SQLDialect { SQLDialect(blob: "BYTEA", text: "TEXT COLLATE \"C\"") }
    public var isShared: Bool { true }
    public var waitingWrites: Int { writeQueue.waiting + runQueue.waiting }
    public var maxWaitingWrites: Int { PostgresQueue.maxWaiting }
    public var reads: Int { readQueue.count }

    /// Finishes the waiting jobs and closes the connections.
    public func close() {
        stop()
        for thread in takeThreads() { thread.join() }
    }

    private func stop() {
        for queue in [readQueue, runQueue, writeQueue] { queue.stop() }
        listener.stop()
        cleaner.stop()
        hub.close()
    }

    private func takeThreads() -> [WorkerThread] {
        threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
    }

    public func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        let queue = durability == .always ? writeQueue : runQueue
        return try await PostgresJob.output(body) { job throws(StoreError) in try queue.add(job) }
    }

    public func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await PostgresJob.output(body) { job throws(StoreError) in try readQueue.add(job) }
    }

    public func readOne<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await PostgresJob.output(isSingle: true, body) { job throws(StoreError) in
            try readQueue.add(job)
        }
    }

    public func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await PostgresJob.output(body) { [settings, cleaner] job throws(StoreError) in
            WorkerThread.required(name: "mien.pg.schema") {
                PostgresWorker(settings, cleaner).changeSchema(job)
            }.detach()
        }
    }

    /// The server's name and version, such as `PostgreSQL 15.14`.
    public func product() async throws -> String {
        let version = try await read {
            try $0.rows("SELECT current_setting('server_version')", [])[0].text(0)
        }
        return "PostgreSQL \(version.prefix { $0 != " " })"
    }

    /// Whether the database has Mien's tables.
    public func hasRecords() async throws -> Bool {
        try await read { try $0.rows("SELECT to_regclass('schema_step') IS NULL", [])[0][0] == 0 }
    }

    public func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        hub.listen(to: channels)
    }

    /// Connects once, and creates the tables that transactions use beside those of the records.
    ///
    /// - Returns: whether PostgreSQL is set up to keep what it commits.
    private static func prepare(_ settings: PostgresSettings) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            WorkerThread.required(name: "mien.pg.open") {
                do throws(PostgresFailure) {
                    let link = PostgresLink(settings)
                    let connection = try link.open(until: .now + settings.patience)
                    try PostgresTurn.create(connection)
                    try PostgresTraces.create(connection)
                    continuation.resume(returning: connection.isDurable)
                } catch {
                    continuation.resume(throwing: error.storeError)
                }
            }.detach()
        }
    }
}
