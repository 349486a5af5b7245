import ArgumentParser
import Foundation
import MienStore
import MienTools

/// `mien store status`
struct StoreStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where the records are, and the state of their schema.",
        discussion: """
            Changes nothing, and works while servers run. Exits with 3 if this version cannot use \
            the database.

            EXAMPLE
              mien store status --config /etc/mien/mien.yaml
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    private struct Output: Encodable {
        let place, product: String
        let schema: String?
        let missing, newer, tooNew: [String]
        let users, auditNumber: Int
        /// Whether the database's settings keep what it commits through a power loss.
        let durable: Bool
        let copyUnfinished: Bool
    }

    func run() async throws {
        let configuration = try ServerSettings.load(options.config), found: Output
        if let settings = try StoreOptions.postgres(configuration) {
            found = try await Failure.translating(settings) { driver in
                let isFinished: Bool
                do {
                    try await StoreCopy.requireFinished(driver)
                    isFinished = true
                } catch let error as StoreError where error.code == .incomplete {
                    isFinished = false
                }
                return Self.output(
                    settings.place, try await StoreStatus.of(driver, product: driver.product()),
                    durable: driver.isDurable, copyUnfinished: !isFinished)
            }
        } else {
            let path = try StoreOptions.file(of: configuration)
            do {
                found = Self.output(
                    path, try StoreStatus.of(file: path), durable: true, copyUnfinished: false)
            } catch { throw Failure(error, at: nil) }
        }
        if output.json { JSON.print(found) } else { report(found) }
        if !found.tooNew.isEmpty { throw Outcome.notSetUp }
    }

    private static func output(
        _ place: String, _ status: StoreStatus, durable: Bool, copyUnfinished: Bool
    ) -> Output {
        Output(
            place: place, product: status.product, schema: status.schema, missing: status.missing,
            newer: status.newer, tooNew: status.tooNew, users: status.accounts,
            auditNumber: status.auditNumber, durable: durable, copyUnfinished: copyUnfinished)
    }

    private func report(_ found: Output) {
        print("\(found.place): \(found.product)")
        guard let schema = found.schema else {
            return print("  empty: the first server that starts creates the schema")
        }
        print("  schema: \(schema)")
        if !found.missing.isEmpty {
            print(
                "  missing steps: \(found.missing.joined(separator: ", ")). The next server of this version adds them, or mien store migrate does"
            )
        }
        if !found.newer.isEmpty {
            print(
                "  steps of a newer version, beside which this one works: \(found.newer.joined(separator: ", "))"
            )
        }
        if !found.tooNew.isEmpty {
            print(
                "  steps of a newer version, which this one cannot use: \(found.tooNew.joined(separator: ", ")). Use a newer version"
            )
        }
        print("  \(found.users.grouped) users, audit log up to entry \(found.auditNumber)")
        if !found.durable {
            print("  fsync or full_page_writes is off: a power loss destroys what was committed")
        }
        if found.copyUnfinished {
            print("  a copy of a database file is not finished: mien store copy --finish")
        }
    }
}

/// `mien store migrate`
struct StoreMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the schema of a PostgreSQL database up to date.",
        discussion: """
            Servers do this when they start. Run it before an upgrade of several servers, to see \
            that it succeeds: servers of the version before go on beside the new schema, unless the \
            release notes say otherwise.

            EXAMPLE
              mien store migrate --config /etc/mien/mien.yaml
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    private struct Output: Encodable {
        let place: String
        let added: [String]
    }

    func run() async throws {
        let configuration = try ServerSettings.load(options.config)
        guard let settings = try StoreOptions.postgres(configuration) else {
            throw Failure(
                .badInput, "store.file",
                "store.url is not set: the records are in \(StoreOptions.path(of: configuration)), whose server migrates it when it starts"
            )
        }
        let added = try await Failure.translating(settings) { driver in
            try await StoreCopy.requireFinished(driver)
            let status = try await StoreStatus.of(driver, product: driver.product())
            return try await Store.migrate(driver, from: status)
        }
        if output.json { return JSON.print(Output(place: settings.place, added: added)) }
        print(
            added.isEmpty
                ? "\(settings.place) is up to date."
                : "Added to \(settings.place): \(added.joined(separator: ", ")).")
    }
}
