import Foundation
import MienTesting
import Testing

/// Two servers on one data folder. Each keeps capture sessions, rate limits, and caches in its own
/// memory.
extension HostileTests {
    @Test("an operator's second server corrupts captures by opening the folder of a running one")
    func secondServer() async throws {
        let first = try await ServeProcess.start(in: scratch),
            credential = try #require(first.credential)
        let second = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch)
        }
        #expect(
            second.status == 3
                && second.err.contains("in use by the server with process id \(first.processID)"),
            "\(second.err)")
        #expect(second.out.isEmpty, "it neither prints nor renews a credential: \(second.out)")
        // Another name for the same folder must not bypass the lock.
        try FileManager.default.createSymbolicLink(
            at: scratch("alias"), withDestinationURL: scratch.url)
        let alias = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(
                in: scratch, ["MIEN_DATA": scratch("alias/data").path],
                arguments: ["--renew-admin-credential"])
        }
        #expect(
            alias.status == 3 && alias.err.contains("process id \(first.processID)"), "\(alias.err)"
        )
        #expect(
            try await first.admin(credential).apps().count == 1,
            "the first server continues, and its credential still works")

        // The lock does not apply to backups.
        try await Self.backUp(scratch("data/mien.sqlite"), to: scratch("copy/mien.sqlite"))
        try FileManager.default.copyItem(
            at: scratch("data/master.key"), to: scratch("copy/master.key"))
        // The copy comes from SQLite and not from mien backup, so the server cannot know that it is
        // complete.
        let restored = try await ServeProcess.start(
            in: scratch, ["MIEN_DATA": scratch("copy").path],
            arguments: ["--accept-lost-writes"])
        #expect(
            try await restored.admin(credential).apps().count == 1,
            "a server on the backup runs next to the original")
        #expect(await restored.stop() == 0)

        // A crash leaves the file with its process ID, but no lock.
        first.signal(SIGKILL)
        #expect(await first.ended() == -SIGKILL)
        #expect(
            try String(contentsOf: scratch("data/server.lock"), encoding: .utf8)
                == "\(first.processID)\n")
        let third = try await ServeProcess.start(in: scratch)
        let fourth = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch)
        }
        #expect(fourth.err.contains("process id \(third.processID)"), "\(fourth.err)")
        #expect(await third.stop() == 0)
        #expect(try Data(contentsOf: scratch("data/server.lock")).isEmpty)
    }

    /// Runs SQLite's own online backup in a separate process.
    private static func backUp(_ database: URL, to copy: URL) async throws {
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try await ProgramRun.output(
            of: "python3",
            [
                "-c",
                "import sqlite3, sys; sqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2]))",
                database.path, copy.path,
            ])
    }
}
