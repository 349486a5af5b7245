internal import Foundation

/// A temporary PostgreSQL server that waits for the disk, as in production. It listens on a Unix socket
/// only. ``stop()`` ends it and removes its folder.
public final class LoadPostgres {
    private let folder: URL
    private let programs: String

    /// - Throws: ``LoadError`` if PostgreSQL is not installed or does not start.
    public init() throws(LoadError) {
        let all = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
        let found = versions.compactMap(Int.init).sorted(by: >).map { "\(all)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
        guard let found else {
            throw LoadError("PostgreSQL is not installed; run scripts/setup --bench")
        }
        programs = found
        // A Unix socket's path has at most 107 bytes.
        folder = URL(filePath: "/tmp/mien-load-pg-\(UUID().uuidString.prefix(8))")
        try sh(
            """
            mkdir -m 755 "$FOLDER"
            if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$FOLDER"; fi
            run "$PROGRAMS/initdb" -D "$FOLDER/data" -U mien -A trust -E UTF8 --locale=C.UTF-8 --no-instructions
            cat >>"$FOLDER/data/postgresql.conf" <<END
            listen_addresses = ''
            unix_socket_directories = '$FOLDER'
            max_connections = 200
            shared_buffers = 128MB
            END
            run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/data/log" -w start
            """)
    }

    /// Creates an empty database.
    ///
    /// - Returns: its address, for the setting `store.url`.
    public func database(_ name: String) throws(LoadError) -> String {
        try sh("run \"$PROGRAMS/createdb\" -h \"$FOLDER\" -U mien \(name)")
        return "postgresql://mien@/\(name)?host=\(folder.path)"
    }

    public func stop() {
        try? sh(
            """
            run "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -m immediate stop
            rm -rf "$FOLDER"
            """)
    }

    /// Runs commands of a shell. `run` makes root another user, because PostgreSQL refuses root.
    private func sh(_ commands: String) throws(LoadError) {
        let process = Process()
        // A file and not a pipe, because PostgreSQL would keep a pipe open.
        let log = FileManager.default.temporaryDirectory.appending(
            path: "mien-load-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-euc",
            """
            exec >"$LOG" 2>&1 </dev/null
            cd /tmp
            run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; else "$@"; fi; }
            \(commands)
            """,
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "FOLDER": folder.path, "PROGRAMS": programs, "LOG": log.path,
        ]) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        do { try process.run() } catch { throw LoadError("cannot run /bin/sh: \(error)") }
        process.waitUntilExit()
        let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else {
            throw LoadError("PostgreSQL: \(said.suffix(1000))")
        }
    }
}
