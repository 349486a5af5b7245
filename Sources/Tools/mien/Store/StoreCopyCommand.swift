import ArgumentParser
import Foundation
import MienServer
import MienStore
import MienTools
import MienVault

/// `mien store copy`
struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy the records of a database file to PostgreSQL.",
        discussion: """
            Run it first while the server runs: it copies a snapshot, and the server goes on with \
            the file. Run it again as often as you like; each run carries over what has changed. Then \
            stop the server, run it once more with --finish, which is short, set store.url, and start \
            the server. Each run compares every table by the number of its rows and a hash of their \
            content, and is one transaction: it succeeds as a whole or changes nothing. A database \
            with other content is refused. The file stays, marked so that no server starts on it by \
            mistake.

            EXAMPLE
              mien store copy --to postgresql://mien@db.example/mien
              systemctl stop mien
              mien store copy --to postgresql://mien@db.example/mien --finish
            """)

    private static let snapshotPrefix = ".copy-"

    @OptionGroup var options: StoreOptions
    @Option(
        help: ArgumentHelp(
            "The empty PostgreSQL database; store.url of the settings if not given.",
            valueName: "url")) var to: String?
    @Option(
        help: ArgumentHelp(
            "A file with its password; store.password_file of the settings if not given.",
            valueName: "file"), completion: .file()) var passwordFile: String?
    @Flag(help: "Finish the copy. The server must be stopped.") var finish = false
    @OptionGroup var output: OutputOptions

    private struct Output: Encodable {
        struct Table: Encodable {
            let name: String
            let rows: Int
            let sha256: String
        }
        let place: String
        let finished: Bool
        let rows, inserted, updated, deleted: Int
        let tables: [Table]
    }

    func run() async throws {
        let configuration = try ServerSettings.load(options.config)
        guard let url = to ?? configuration.storeURL else {
            throw Failure(
                .badInput, "store.url",
                "Name the PostgreSQL database with --to, or with store.url in the settings")
        }
        let settings = try StoreOptions.settings(
            url, passwordFile: passwordFile ?? configuration.storePasswordFile)
        let file = try StoreOptions.file(of: configuration)
        let lock = finish ? try stoppedServer(configuration) : nil
        defer { lock?.release() }
        let report = try await copy(file, to: settings, configuration)
        if finish {
            do { try StoreCopy.markFile(file, as: .moved) } catch { throw Failure(error, at: file) }
        }
        guard let report else {
            guard !output.json else {
                return JSON.print(
                    Output(
                        place: settings.place, finished: true, rows: 0, inserted: 0, updated: 0,
                        deleted: 0, tables: []))
            }
            return print(
                "\(settings.place) has all of \(file) already, and the file is marked as moved. Set store.url and start the server."
            )
        }
        tell(report, settings, file)
    }

    /// Takes the lock that a running server holds.
    private func stoppedServer(_ configuration: ServerConfiguration) throws -> ProcessLock {
        let path = configuration.dataFolder.appending(path: "server.lock").path
        do { return try ProcessLock(path) } catch let error as ProcessLock.Held {
            let holder = error.holder.map { " (process \($0))" } ?? ""
            throw Failure(
                .notSetUp, "server.in-use",
                "\(configuration.dataFolder.path) is in use by a server\(holder). Stop it first, or copy without --finish"
            )
        }
    }

    private func copy(
        _ file: String, to settings: PostgresSettings, _ configuration: ServerConfiguration
    ) async throws -> StoreCopy.Report? {
        let folder = configuration.dataFolder
        // An interrupted copy would keep what is erased later. One copy runs at a time.
        let lock: ProcessLock
        do { lock = try ProcessLock(folder.appending(path: "copy.lock").path) } catch is ProcessLock
            .Held
        {
            throw Failure(.notSetUp, "store.busy", "another copy of \(file) is being made")
        }
        defer { lock.release() }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix(Self.snapshotPrefix) {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        let snapshot = folder.appending(path: Self.snapshotPrefix + UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: snapshot) }
        do throws(StoreError) {
            try DatabaseCopy.make(of: file, at: snapshot, isForMove: true)
        } catch {
            guard finish, error.code == .moved else { throw Failure(error, at: file) }
            try await requireFinished(file, snapshot, settings)
            return nil
        }
        let bar = ProgressBar("Copying", total: nil)
        defer { bar.finish() }
        return try await Failure.translating(settings) { driver in
            let copy = try StoreCopy(of: snapshot, to: driver)
            // The open file is enough, and goes with this process.
            try? FileManager.default.removeItem(atPath: snapshot)
            if finish {
                if try await copy.isFinished() { return nil }
                try StoreCopy.markFile(file, as: .moving)
            }
            do {
                return try await copy.run(isLast: finish) { done, all in bar.update(done, of: all) }
            } catch let error as StoreError where finish && Self.isRefusal(error) {
                try StoreCopy.markFile(file, as: .unused)
                throw error
            }
        }
    }

    /// Whether a copy failed for a reason of its own. Otherwise, PostgreSQL may have committed it.
    private static func isRefusal(_ error: StoreError) -> Bool {
        ![.unreachable, .uncertain, .busy].contains(error.code)
    }

    /// Repeats a run that has finished the copy already, such as one whose answer was lost.
    ///
    /// - Throws: ``Failure`` `store.moved` if the file was copied to another database.
    private func requireFinished(_ file: String, _ snapshot: String, _ settings: PostgresSettings)
        async throws
    {
        do throws(StoreError) { try DatabaseCopy.make(of: file, at: snapshot) } catch {
            throw Failure(error, at: file)
        }
        let isHere = try await Failure.translating(settings) {
            try await StoreCopy(of: snapshot, to: $0).isFinished()
        }
        guard isHere else {
            throw Failure(
                .notSetUp, StoreError.Code.moved.rawValue,
                "\(file) was copied to PostgreSQL before, but not to \(settings.place), which was not changed. Name the database that it was copied to"
            )
        }
    }

    private func tell(_ report: StoreCopy.Report, _ settings: PostgresSettings, _ file: String) {
        guard !output.json else {
            return JSON.print(
                Output(
                    place: settings.place, finished: finish, rows: report.rows,
                    inserted: report.inserted, updated: report.updated, deleted: report.deleted,
                    tables: report.tables.map {
                        .init(
                            name: $0.name, rows: $0.rows,
                            sha256: $0.sha256.map { String($0, radix: 16).leftPadded(2) }.joined())
                    }))
        }
        print(
            "Copied \(file) to \(settings.place): \(report.rows.grouped) rows in \(report.tables.count) tables, all equal (\(report.inserted.grouped) inserted, \(report.updated.grouped) updated, \(report.deleted.grouped) deleted)."
        )
        print(
            finish
                ? "Finished. Set store.url and start the server. The file stays as it is; keep it until you are sure, then delete it."
                : "The server goes on with the file. To move: stop it, run this command with --finish, set store.url, and start it."
        )
    }
}

extension String {
    fileprivate func leftPadded(_ count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}
