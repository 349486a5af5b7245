import Foundation
import MienCore
import MienTesting
import Synchronization
import SystemPostgres

/// A private PostgreSQL server for the tests of one process. It starts with the first test that
/// needs it and ends with the process, however that ends.
///
/// Tests share ``shared()``. A test that stops, kills, or restarts the server or one of its processes
/// starts a cluster of its own: PostgreSQL answers some statements of any client, such as `DROP
/// DATABASE`, only after all its processes have taken note.
///
/// Everything that waits for the server does so on a thread of its own, because the pool that runs
/// tasks has only as many threads as there are cores.
public final class PostgresCluster: Sendable {
    /// The reason a test that needs PostgreSQL is skipped.
    public struct Missing: Error, CustomStringConvertible {
        public let description: String
    }

    /// The folder of the programs, of the newest installed version.
    public static let programs: String? = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return versions.compactMap(Int.init).sorted(by: >).map { "\(folder)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    public static var isInstalled: Bool { programs != nil }

    /// The cluster of this process.
    public static func shared() async throws -> PostgresCluster { try await sharedTask.value }
    private static let sharedTask = Task { try await PostgresCluster.start() }

    /// Makes a cluster listen on `localhost`, with a certificate.
    public struct Listening: Sendable {
        let certificate, key: URL

        /// - Parameters:
        ///   - certificate: A PEM file.
        ///   - key: Its private key, a PEM file.
        public init(certificate: URL, key: URL) {
            (self.certificate, self.key) = (certificate, key)
        }
    }

    /// The folder of the Unix socket, the data, and the log.
    public let folder: URL
    /// The port of its addresses, which also names the Unix socket.
    public let port: Int
    /// Keeps the cluster alive while this process holds it.
    private let input = Pipe()
    private let output = Pipe()
    private let keeper = Process()
    private let databases = Mutex<[Database]>([])
    private let number = Atomic<Int>(0)
    /// Names of databases that a thread drops.
    private let unused = JobLine<String>()

    private struct Database {
        weak var owner: (any AnyObject & Sendable)?
        let name: String
    }

    /// Runs the server, passes on lines to `pg_ctl`, and removes the server and its folder when
    /// standard input ends. Another process may have inherited the other end, so the end of the
    /// process of the tests counts, too. PostgreSQL refuses to run as root.
    private static let script = """
        set -eu
        cd "$FOLDER"
        run() { if [ -n "$NAMESPACE" ]; then ip netns exec "$NAMESPACE" setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; elif [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; else "$@"; fi; }
        trap '' INT HUP TERM
        if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$FOLDER"; fi
        chmod 755 "$FOLDER"
        if [ -n "$SOURCE" ]; then
            cp -a "$SOURCE/backup" "$FOLDER/data"
            if [ "$(id -u)" = 0 ]; then chown -R nobody:nogroup "$FOLDER/data"; fi
            touch "$FOLDER/data/recovery.signal"
        else
            run "$PROGRAMS/initdb" -D "$FOLDER/data" -U mien -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >"$FOLDER/initdb.log" 2>&1
        fi
        run mkdir "$FOLDER/archive"
        if [ -n "$CERTIFICATE" ]; then
            cp "$CERTIFICATE" "$FOLDER/data/server.crt"
            cp "$KEY" "$FOLDER/data/server.key"
            if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$FOLDER/data/server.crt" "$FOLDER/data/server.key"; fi
            chmod 600 "$FOLDER/data/server.key"
            echo "ssl = on" >>"$FOLDER/data/postgresql.conf"
        fi
        if [ -n "$NAMESPACE" ]; then echo "host all all samenet trust" >>"$FOLDER/data/pg_hba.conf"; fi
        cat >>"$FOLDER/data/postgresql.conf" <<END
        listen_addresses = '$ADDRESSES'
        port = $PORT
        unix_socket_directories = '$FOLDER'
        fsync = $FSYNC
        max_connections = 900
        shared_buffers = 64MB
        $SETTINGS
        END
        run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/data/log" -w start >/dev/null
        remove() {
            run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -m immediate stop >/dev/null 2>&1 || true
            rm -rf "$FOLDER"
        }
        (
            exec </dev/null >/dev/null 2>&1
            while kill -0 "$PARENT" && [ -d "$FOLDER" ]; do sleep 1; done
            if [ -d "$FOLDER" ]; then remove; kill -KILL $$; fi
        ) &
        echo ready
        while read -r arguments; do
            if run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/data/log" -w $arguments >/dev/null 2>&1 </dev/null; then echo done; else echo failed; fi
        done
        remove
        """

    /// Starts a cluster.
    ///
    /// - Parameters:
    ///   - isDurable: Whether it waits for the disk, as in production.
    ///   - namespace: A network namespace in which it runs and listens on all addresses. Needs root.
    ///     The Unix socket is there for every namespace.
    ///   - listening: Its certificate, if it listens on `localhost`.
    ///   - isArchived: Whether it archives its write-ahead log, for ``backUp()``.
    ///   - restored: Begins with the backup of another cluster instead of an empty one.
    public static func start(
        isDurable: Bool = false, namespace: String? = nil, listening: Listening? = nil,
        isArchived: Bool = false, restored: PointInTime? = nil
    ) async throws -> PostgresCluster {
        try await WorkerThread.run(name: "test.postgres") {
            try PostgresCluster(
                isDurable: isDurable, namespace: namespace, listening: listening,
                isArchived: isArchived, restored: restored)
        }
    }

    private init(
        isDurable: Bool, namespace: String?, listening: Listening?, isArchived: Bool,
        restored: PointInTime?
    ) throws {
        guard let programs = Self.programs else {
            throw Missing(description: "PostgreSQL is not installed: apt-get install postgresql")
        }
        if listening == nil {
            port = 5432
        } else if let free = LoopbackPort.free() {
            port = free
        } else {
            throw Missing(description: "there is no free port")
        }
        folder = URL(filePath: "/tmp/mien-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        keeper.executableURL = URL(filePath: "/bin/sh")
        keeper.arguments = ["-c", Self.script]
        keeper.environment = ProcessInfo.processInfo.environment.merging([
            "FOLDER": folder.path, "PROGRAMS": programs, "PARENT": "\(getpid())",
            "FSYNC": isDurable ? "on" : "off",
            "NAMESPACE": namespace ?? "",
            "ADDRESSES": namespace != nil ? "*" : listening != nil ? "localhost" : "",
            "PORT": "\(port)", "CERTIFICATE": listening?.certificate.path ?? "",
            "KEY": listening?.key.path ?? "",
            "SOURCE": restored?.source.path ?? "",
            "SETTINGS": restored?.settings ?? (isArchived ? Self.archiving(in: folder) : ""),
        ]) { $1 }
        (keeper.standardInput, keeper.standardOutput) = (input, output)
        keeper.standardError = FileHandle.nullDevice
        try keeper.run()
        let ready = output.fileHandleForReading.availableData
        guard ready.starts(with: Data("ready".utf8)) else {
            let log = try? String(contentsOf: folder.appending(path: "initdb.log"), encoding: .utf8)
            throw Missing(description: "PostgreSQL did not start: \(log ?? "")")
        }
        let (unused, folder, port) = (unused, folder, port)
        WorkerThread.required(name: "test.drop") {
            while let names = unused.next(atMost: 1) {
                for name in names {
                    _ = try? Self.run(
                        "DROP DATABASE IF EXISTS \(name) WITH (FORCE)", in: "postgres", of: folder,
                        port: port)
                }
            }
        }.detach()
    }

    deinit { unused.stop() }

    /// Lets the cluster end before the process does. It is gone some moments later.
    public func stop() {
        unused.stop()
        try? input.fileHandleForWriting.close()
    }

    /// Runs `pg_ctl` with `arguments`, such as `-m immediate restart`, and waits for it. One call at a
    /// time.
    public func control(_ arguments: String) async throws {
        let (input, output) = (input, output)
        let answer = try await WorkerThread.run(name: "test.pg_ctl") {
            try input.fileHandleForWriting.write(contentsOf: Data("\(arguments)\n".utf8))
            return output.fileHandleForReading.availableData
        }
        guard answer.starts(with: Data("done".utf8)) else {
            throw Missing(description: "pg_ctl \(arguments) failed")
        }
    }

    /// Runs SQL on a connection of its own, for two minutes at most.
    ///
    /// - Returns: The rows of the last statement, one a line, with bars between columns.
    @discardableResult
    public func sql(_ statement: String, in database: String = "postgres") async throws -> String {
        let (folder, port) = (folder, port)
        return try await WorkerThread.run(name: "test.sql") {
            try Self.run(statement, in: database, of: folder, port: port)
        }
    }

    /// Runs SQL on this thread, which must not be one that runs tasks.
    public func blockingSQL(_ statement: String, in database: String) throws -> String {
        try Self.run(statement, in: database, of: folder, port: port)
    }

    private static func run(
        _ statement: String, in database: String, of folder: URL, port: Int
    ) throws -> String {
        // By libpq and not by psql: starting thousands of programs beside other tests is slow, and
        // Foundation's Process has crashed at it.
        let connection = unsafe PQconnectdb(
            "host=\(folder.path) port=\(port) user=mien dbname=\(database) connect_timeout=60 options='-c statement_timeout=120s'"
        )
        defer { unsafe PQfinish(connection) }
        func failure() -> Missing {
            Missing(
                description: unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) }
                    ?? "no connection")
        }
        guard unsafe PQstatus(connection) == CONNECTION_OK else { throw failure() }
        let result = unsafe PQexec(connection, statement)
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return ""
        case PGRES_TUPLES_OK:
            return unsafe (0..<PQntuples(result)).map { row in
                unsafe (0..<PQnfields(result)).map { column in
                    unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) } ?? ""
                }.joined(separator: "|")
            }.joined(separator: "\n")
        default: throw failure()
        }
    }

    /// Returns the address of a database of this cluster.
    public func url(_ database: String) -> String {
        "postgresql://mien@/\(database)?host=\(folder.path)" + (port == 5432 ? "" : "&port=\(port)")
    }

    /// Creates an empty database, or a copy of `template`, which nobody may use meanwhile. It is
    /// dropped some time after `owner` is released; nothing waits for that.
    ///
    /// - Returns: its name.
    public func database(
        for owner: any AnyObject & Sendable, template: String? = nil
    ) async throws -> String {
        let released = databases.withLock { databases in
            defer { databases.removeAll { $0.owner == nil } }
            return databases.filter { $0.owner == nil }.map(\.name)
        }
        for name in released { try unused.add(name) }
        let name = "test\(number.add(1, ordering: .relaxed).newValue)"
        try await sql(
            "CREATE DATABASE \(name)"
                + (template.map { " TEMPLATE \($0) STRATEGY file_copy" } ?? ""))
        databases.withLock { $0.append(Database(owner: owner, name: name)) }
        return name
    }
}
