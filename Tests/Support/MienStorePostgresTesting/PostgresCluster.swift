public import Foundation
internal import MienTesting
internal import Synchronization
internal import SystemPostgres

/// A private PostgreSQL server for the tests of one process. It starts with the first test that
/// needs it and ends with the process, however that ends.
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
    public static func shared() throws -> PostgresCluster { try sharedResult.get() }
    private static let sharedResult = Result { try PostgresCluster() }

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

    private struct Database {
        weak var owner: (any AnyObject & Sendable)?
        let name: String
    }

    /// Runs the server, passes on lines to `pg_ctl`, and removes the server and its folder when
    /// standard input ends. PostgreSQL refuses to run as root.
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
        echo ready
        while read -r arguments; do
            if run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/data/log" -w $arguments >/dev/null 2>&1 </dev/null; then echo done; else echo failed; fi
        done
        run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -m immediate stop >/dev/null 2>&1 || true
        rm -rf "$FOLDER"
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
    public init(
        isDurable: Bool = false, namespace: String? = nil, listening: Listening? = nil,
        isArchived: Bool = false, restored: PointInTime? = nil
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
            "FOLDER": folder.path, "PROGRAMS": programs, "FSYNC": isDurable ? "on" : "off",
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
    }

    /// Ends the cluster before the process ends.
    public func stop() {
        try? input.fileHandleForWriting.close()
        keeper.waitUntilExit()
    }

    /// Runs `pg_ctl` with `arguments`, such as `-m immediate restart`, and waits for it.
    public func control(_ arguments: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(arguments)\n".utf8))
        let answer = output.fileHandleForReading.availableData
        guard answer.starts(with: Data("done".utf8)) else {
            throw Missing(description: "pg_ctl \(arguments) failed")
        }
    }

    /// Runs SQL on a connection of its own, for two minutes at most: it blocks a thread that runs
    /// tasks.
    ///
    /// - Returns: The rows of the last statement, one a line, with bars between columns.
    @discardableResult
    public func sql(_ statement: String, in database: String = "postgres") throws -> String {
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
    /// dropped some time after `owner` is released.
    ///
    /// - Returns: its name.
    public func database(for owner: any AnyObject & Sendable, template: String? = nil) throws
        -> String
    {
        let unused = databases.withLock { databases in
            defer { databases.removeAll { $0.owner == nil } }
            return databases.filter { $0.owner == nil }.map(\.name)
        }
        for name in unused { _ = try? sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
        let name = "test\(number.add(1, ordering: .relaxed).newValue)"
        try sql(
            "CREATE DATABASE \(name)"
                + (template.map { " TEMPLATE \($0) STRATEGY file_copy" } ?? ""))
        databases.withLock { $0.append(Database(owner: owner, name: name)) }
        return name
    }
}

extension PostgresCluster {
    /// Whether the tests of servers run on PostgreSQL: `MIEN_TEST_STORE=postgres`.
    public static var isForServers: Bool {
        ProcessInfo.processInfo.environment["MIEN_TEST_STORE"] == "postgres"
    }

    private static let folders = Mutex<[String: String]>([:])

    /// Returns the address of a database that belongs to a server's data folder: the same one each
    /// time.
    public static func url(forServerIn folder: URL, of owner: any AnyObject & Sendable) throws
        -> String
    {
        let cluster = try shared()
        if let known = folders.withLock({ $0[folder.path] }) { return cluster.url(known) }
        let name = try cluster.database(for: owner)
        folders.withLock { $0[folder.path] = name }
        return cluster.url(name)
    }
}
