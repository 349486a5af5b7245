internal import Foundation

/// A temporary PostgreSQL server that waits for the disk, as in production. It listens on a Unix socket
/// only. ``stop()`` ends it and removes its folder.
public final class LoadPostgres {
    private let shell: Shell
    private let server: Process

    /// - Throws: ``LoadError`` if PostgreSQL is not installed or does not start.
    public init() throws(LoadError) {
        let all = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
        let found = versions.compactMap(Int.init).sorted(by: >).map { "\(all)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
        guard let found else {
            throw LoadError("PostgreSQL is not installed; run scripts/setup --bench")
        }
        // A Unix socket's path has at most 107 bytes.
        let shell = Shell(
            programs: found,
            folder: URL(filePath: "/tmp/mien-load-pg-\(UUID().uuidString.prefix(8))"))
        do throws(LoadError) { server = try Self.start(shell) } catch {
            shell.removeFolder()
            throw error
        }
        self.shell = shell
    }

    private static func start(_ shell: Shell) throws(LoadError) -> Process {
        try shell.run(
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
            """)
        // Not with pg_ctl: what a shell leaves running keeps Foundation waiting for the shell.
        let server = try shell.start(
            "run exec \"$PROGRAMS/postgres\" -D \"$FOLDER/data\"",
            log: shell.folder.appending(path: "log"))
        do throws(LoadError) {
            try shell.run(
                """
                for _ in $(seq 300); do
                    if "$PROGRAMS/pg_isready" -q -h "$FOLDER"; then exit 0; fi
                    sleep 0.1
                done
                cat "$FOLDER/log"
                exit 1
                """)
        } catch {
            end(server)
            throw error
        }
        return server
    }

    /// Creates an empty database.
    ///
    /// - Returns: its address, for the setting `store.url`.
    public func database(_ name: String) throws(LoadError) -> String {
        try shell.run("run \"$PROGRAMS/createdb\" -h \"$FOLDER\" -U mien \(name)")
        return "postgresql://mien@/\(name)?host=\(shell.folder.path)"
    }

    public func stop() {
        Self.end(server)
        shell.removeFolder()
    }

    private static func end(_ server: Process) {
        // SIGQUIT ends PostgreSQL at once.
        if server.isRunning { kill(server.processIdentifier, SIGQUIT) }
        server.waitUntilExit()
    }
}

/// Runs commands with PostgreSQL's programs and a folder.
private struct Shell {
    let programs: String
    let folder: URL

    func removeFolder() { try? FileManager.default.removeItem(at: folder) }

    /// Runs commands to their end.
    func run(_ commands: String) throws(LoadError) {
        let log = FileManager.default.temporaryDirectory.appending(
            path: "mien-load-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let process = try start(commands, log: log)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw LoadError("PostgreSQL: \(said.suffix(1000))")
        }
    }

    /// Starts commands. `run` in them makes root another user, because PostgreSQL refuses root;
    /// `run exec` also replaces the shell.
    func start(_ commands: String, log: URL) throws(LoadError) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-euc",
            """
            exec >"$LOG" 2>&1 </dev/null
            cd /tmp
            run() {
                exec=
                if [ "$1" = exec ]; then exec=exec; shift; fi
                if [ "$(id -u)" = 0 ]; then
                    $exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
                else $exec "$@"; fi
            }
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
        return process
    }
}
