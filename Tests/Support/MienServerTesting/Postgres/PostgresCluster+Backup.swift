import Foundation
import MienCore
import MienTesting

extension PostgresCluster {
    /// A moment to which a backup and its archived log can be restored.
    public struct PointInTime: Sendable {
        /// The folder of the cluster that was backed up, which keeps the backup and the archive.
        let source: URL
        /// The time by the cluster's clock, as PostgreSQL writes it.
        let time: String

        var settings: String {
            """
            archive_mode = off
            restore_command = 'cp "\(source.path)/archive/%f" "%p"'
            recovery_target_time = '\(time)'
            recovery_target_action = 'promote'
            """
        }
    }

    static func archiving(in folder: URL) -> String {
        """
        archive_mode = on
        archive_command = 'cp "%p" "\(folder.path)/archive/%f"'
        """
    }

    /// Makes a base backup, as `pg_basebackup` does while the database is in use.
    public func backUp() async throws {
        let (folder, port) = (folder, port)
        try await WorkerThread.run(name: "test.backup") {
            try Self.backUp(folder, port: port)
        }
    }

    private static func backUp(_ folder: URL, port: Int) throws {
        let process = Process()
        process.executableURL = URL(filePath: "\(programs!)/pg_basebackup")
        process.arguments = [
            "-h", folder.path, "-p", "\(port)", "-U", "mien", "-D",
            folder.appending(path: "backup").path,
            "-X", "none", "--checkpoint=fast", "--no-sync",
        ]
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Missing(description: "pg_basebackup failed")
        }
    }

    /// Returns the present moment, for a restore of the last backup. Call ``archiveAll()`` afterwards.
    public func now() async throws -> PointInTime {
        PointInTime(source: folder, time: try await sql("SELECT clock_timestamp()"))
    }

    /// Waits until the log is archived up to now.
    public func archiveAll() async throws {
        let file = try await sql("SELECT pg_walfile_name(pg_switch_wal())")
        let last = try await Patience.see {
            try await sql("SELECT last_archived_wal FROM pg_stat_archiver")
        } until: {
            $0 >= file
        }
        if last < file {
            throw Missing(description: "\(file) is not archived; the last file is \(last)")
        }
    }

    /// Whether a restore is still going on.
    public func isRecovering() async throws -> Bool {
        try await sql("SELECT pg_is_in_recovery()") == "t"
    }
}
