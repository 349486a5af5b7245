import Foundation
import MienAPI
import MienCore
import MienStore
import MienTesting
import Testing

/// Kills a real process.
@Suite struct KilledWriterTests {
    @Test func `a process killed at any moment loses no acknowledged write`() async throws {
        var generator = TestSeed.generator(61)
        let folder = try ScratchFolder()
        var acknowledged: Set<String> = []
        for round in 0..<15 {
            // From before it opens the database until well into its work. How long it takes to open
            // it depends on the machine, so a third of the processes are killed after a write.
            let writes = round % 3 == 0
            let life = Duration.milliseconds(.random(in: 1...120, using: &generator))
            let ids = try await Self.write(
                into: folder("mien.sqlite").path, killedAfter: life, ofWriting: writes)
            #expect(!writes || !ids.isEmpty, "round \(round) wrote nothing")
            acknowledged.formUnion(ids)
            // Every other round, the next process recovers the database; otherwise this one does.
            if round % 2 == 1 { continue }
            let test = try await TestStore(.sqlite, in: folder)
            let stored = try await Set(test.rows("SELECT id FROM account").map { try $0.text(0) })
            #expect(acknowledged.isSubset(of: stored), "round \(round)")
            // Open the last few accounts.
            for id in ids.suffix(3) {
                #expect(
                    try await test.store.read {
                        try $0.accounts.find(identifier: id)?.profile.shown.username
                    } == id)
            }
            // Each account and its entry were one transaction, so there are equally many,
            // acknowledged or not.
            let accounts = try await test.count("account")
            guard case .whole(accounts, _) = try await test.store.read({ try $0.audit.verify() })
            else {
                Issue.record(
                    "round \(round): the audit log is broken or has not \(accounts) entries")
                return
            }
            #expect(try await test.rows("PRAGMA integrity_check")[0].text(0) == "ok")
            try test.kind.close(test.driver)
        }
    }

    /// - Parameter ofWriting: Whether the time begins with the first ID rather than with the process.
    /// - Returns: the IDs that the process printed.
    private static func write(
        into path: String, killedAfter life: Duration, ofWriting writes: Bool
    ) async throws -> [String] {
        let process = Process(), output = Pipe()
        process.executableURL = ProgramRun.builtProgram("mien-test-program")
        process.arguments = ["store-writer", path]
        process.standardOutput = output
        let ends = try process.started()
        let written = AsyncStream<Void>.makeStream()
        let text = Task.detached {
            try await WorkerThread.run(name: "test.output") {
                // The stream ends also if the process ended without writing.
                defer { written.continuation.finish() }
                // Our copy of the pipe's write end would keep the output from ending.
                try output.fileHandleForWriting.close()
                var bytes = Data()
                while true {
                    let more = output.fileHandleForReading.availableData
                    if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
                    bytes += more
                    written.continuation.yield()
                }
            }
        }
        if writes { for await _ in written.stream { break } }
        try await Task.sleep(for: life)
        kill(process.processIdentifier, SIGKILL)
        for await _ in ends {}
        #expect(
            process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
        return try await text.value.split(separator: "\n").map(String.init)
    }
}
