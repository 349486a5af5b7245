import ArgumentParser
import Foundation
import MienServer
import MienStore
import MienTools

/// `mien store`
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Look after the database of a server's records.",
        discussion: """
            A server keeps its records in a file of its data folder, or in PostgreSQL (store.url).

            EXAMPLE
              mien store status --config /etc/mien/mien.yaml
            """,
        subcommands: [
            StoreStatusCommand.self, StoreMigrateCommand.self, StoreCopyCommand.self,
        ])
}

/// The database that a command is about.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's file with settings.", valueName: "mien.yaml"),
        completion: .file()) var config: String?

    /// The PostgreSQL database that the settings name; `nil` if they name none.
    ///
    /// - Throws: ``Failure`` if its address is malformed or not protected.
    static func postgres(_ configuration: ServerConfiguration) throws -> PostgresSettings? {
        guard let url = configuration.storeURL else { return nil }
        return try settings(url, passwordFile: configuration.storePasswordFile)
    }

    static func settings(_ url: String, passwordFile: String?) throws -> PostgresSettings {
        do {
            return try PostgresSettings(url, passwordFile: passwordFile, connections: 3)
        } catch { throw Failure(error, at: nil) }
    }

    static func path(of configuration: ServerConfiguration) -> String {
        configuration.dataFolder.appending(path: "mien.sqlite").path
    }

    /// The database file that the settings lead to.
    ///
    /// - Throws: ``Failure`` `store.file` if there is none.
    static func file(of configuration: ServerConfiguration) throws -> String {
        let path = path(of: configuration)
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                .badInput, "store.file",
                "\(path) does not exist. Name the data folder with MIEN_DATA or --config")
        }
        return path
    }
}

extension Failure {
    /// - Parameter place: what to call the database.
    init(_ error: StoreError, at place: String?) {
        self.init(.notSetUp, error.code.rawValue, (place.map { "\($0): " } ?? "") + error.reason)
    }

    /// Runs `body` on a PostgreSQL database.
    static func translating<Output>(
        _ settings: PostgresSettings, _ body: (PostgresDriver) async throws -> Output
    ) async throws -> Output {
        do {
            let driver = try await PostgresDriver(settings)
            defer { driver.close() }
            return try await body(driver)
        } catch let error as StoreError { throw Failure(error, at: settings.place) }
    }
}
