internal import Foundation
internal import MienCore
internal import SystemPostgres

/// Where a PostgreSQL database is, and how to reach it.
///
///     let settings = try PostgresSettings("postgresql://mien@db.example:5432/mien")
public struct PostgresSettings: Sendable {
    /// The servers and the database, for people, such as `db.example:5432/mien`.
    public let place: String
    /// The file with the password: one line, readable by its owner only.
    public let passwordFile: String?
    /// The number of connections that read and write; at least 3. Two more wait for notifications
    /// and clean up after deletions.
    public let connections: Int

    /// How long the server waits for PostgreSQL to return, e.g. from a restart, before requests fail.
    public var patience: Duration = .seconds(10)
    /// The longest time of a statement.
    public var statementTimeout: Duration = .seconds(30)
    /// The longest wait for another server's transaction.
    public var lockTimeout: Duration = .seconds(10)

    private let parameters: [(keyword: String, value: String)]

    /// The parameters that an address may have, as PostgreSQL's manual describes them in “Parameter
    /// Key Words”.
    private static let allowed: Set<String> = [
        "host", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl",
        "sslcrldir", "passfile", "target_session_attrs", "connect_timeout", "channel_binding",
        "ssl_min_protocol_version", "ssl_max_protocol_version", "application_name", "krbsrvname",
        "gsslib", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
    ]
    /// Variables of the environment that lead to another server or change its session.
    private static let outside = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGOPTIONS"]
    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// - Parameters:
    ///   - url: `postgresql://user@host:port/database?parameter=value`, as `psql` takes it, without
    ///     a password. The host of a Unix socket is its folder, percent-encoded, or given as
    ///     `?host=/run/postgresql`. Other hosts than those of this machine require
    ///     `sslmode=verify-full`, which is the default.
    ///   - passwordFile: Is read for each new connection. Without it, libpq looks in `passfile`,
    ///     `PGPASSFILE`, and `~/.pgpass`.
    ///   - connections: 3 to 100.
    ///   - environment: The variables that libpq reads; `nil` for those of this process. Parameters
    ///     that would choose another server are refused.
    /// - Throws: ``StoreError`` `.unreachable` if the address is malformed or its connection would
    ///   not be protected. The message says how to mend it and does not repeat the address.
    public init(
        _ url: String, passwordFile: String? = nil, connections: Int = 9,
        environment: [String: String]? = nil
    ) throws(StoreError) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://"),
            var found = Self.parse(url)
        else {
            throw Self.refusal(
                "is not an address such as postgresql://mien@db.example/mien")
        }
        guard (3...100).contains(connections) else {
            throw StoreError(.unreachable, "store.connections must be 3 to 100")
        }
        if found["password"] != nil {
            throw Self.refusal(
                "contains a password. Put it into a file with mode 0600 and name that in store.password_file"
            )
        }
        if let foreign = found.keys.filter({ !Self.allowed.contains($0) }).min() {
            throw Self.refusal("has the parameter \(foreign), which is not supported")
        }
        // libpq takes an empty parameter from the environment, too, so these cannot be fixed: they
        // would lead past the rules below.
        let environment = environment ?? ProcessInfo.processInfo.environment
        let isHostNamed = found["host"]?.isEmpty == false
        if let outside = Self.outside.first(where: {
            environment[$0]?.isEmpty == false && !($0 == "PGHOST" && isHostNamed)
        }) {
            throw Self.refusal(
                "would be changed by \(outside) in the environment. Unset it, and write the server into the address"
            )
        }
        let hosts = (found["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        if !hosts.allSatisfy(Self.isLocal) {
            let mode = found["sslmode"] ?? "verify-full"
            guard mode == "verify-full" else {
                throw Self.refusal(
                    "has sslmode=\(mode), which does not prove that the server is the right one. Remove it, or write sslmode=verify-full; sslrootcert=FILE names the authority of a private certificate"
                )
            }
            found["sslmode"] = mode
            if found["sslrootcert"] == nil { found["sslrootcert"] = Self.systemAuthorities }
        }
        let defaults = [
            // A server that only reads is the standby of another one.
            "target_session_attrs": "read-write", "application_name": "mien",
            "connect_timeout": "5", "keepalives_idle": "10", "keepalives_interval": "5",
            "keepalives_count": "3", "tcp_user_timeout": "20000",
        ]
        found.merge(defaults) { own, _ in own }
        // Variables of the environment would supply these.
        let fixed = ["client_encoding": "UTF8", "gssencmode": "disable"]
        found.merge(fixed) { _, fixed in fixed }
        let database = found["dbname"] ?? found["user"] ?? ""
        let ports = (found["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        place =
            hosts.enumerated().map { index, host in
                let port = ports.count > 1 ? ports[min(index, ports.count - 1)] : ports.first ?? ""
                return (host.isEmpty ? "localhost" : host) + (port.isEmpty ? "" : ":\(port)")
            }.joined(separator: ",") + "/\(database)"
        parameters = found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        (self.passwordFile, self.connections) = (passwordFile, connections)
    }

    /// Returns the parameters for libpq, with the password.
    func connectionParameters() throws(PostgresFailure) -> [(String, String)] {
        var all: [(String, String)] = parameters.map { ($0.keyword, $0.value) }
        if let passwordFile {
            do { all.append(("password", try Self.password(in: passwordFile))) } catch {
                throw PostgresFailure(
                    state: "", message: "\(passwordFile) \(error)", constraint: "", isLost: true)
            }
        }
        return all
    }

    /// The first statements of each connection. The timeouts also bound how long a server that was
    /// cut off keeps others waiting. A serializable transaction that scans a table conflicts with
    /// every other one that changes it, so small tables are read through their indexes, too.
    var sessionCommands: String {
        """
        SET client_min_messages = warning; SET jit = off; SET enable_seqscan = off; SET standard_conforming_strings = on; \
        SET statement_timeout = \(statementTimeout.milliseconds); \
        SET lock_timeout = \(lockTimeout.milliseconds); \
        SET idle_in_transaction_session_timeout = \(statementTimeout.milliseconds); \
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; \
        SET tcp_user_timeout = 20000
        """
    }

    /// Whether a host is this machine: a Unix socket, or a loopback address.
    static func isLocal(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost"
            || host == "::1" || host == "[::1]"
            || (host.hasPrefix("127.")
                && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) })
    }

    private static func refusal(_ words: String) -> StoreError {
        StoreError(.unreachable, "store.url \(words)")
    }

    private static func parse(_ url: String) -> [String: String]? {
        guard !url.utf8.contains(0), let options = unsafe PQconninfoParse(url, nil) else {
            return nil
        }
        defer { unsafe PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe found[String(cString: keyword)] = String(cString: value)
            }
            unsafe option += 1
        }
        return found
    }

    private struct FileFault: Error, CustomStringConvertible { let description: String }

    private static func password(in path: String) throws -> String {
        let mode =
            (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? Int
        guard let mode else { throw FileFault(description: "cannot be read") }
        guard mode & 0o077 == 0 else {
            throw FileFault(
                description: "is readable by others than its owner. Run: chmod 600 \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1024 else {
            throw FileFault(description: "cannot be read as one line of text")
        }
        // Editors of Windows begin a file with a mark of its encoding, and end lines with CR LF.
        var bytes = Array(data)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, !bytes.contains(where: { [0, 10, 13].contains($0) }) else {
            throw FileFault(description: "must contain one line: the password")
        }
        guard let line = String(validating: bytes, as: UTF8.self) else {
            throw FileFault(description: "is not UTF-8. Save it as UTF-8 without a mark")
        }
        return line
    }
}
