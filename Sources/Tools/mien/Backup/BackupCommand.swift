import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienServer
import MienStore
import MienTools

/// `mien backup`
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back up a server's data, also while it runs.",
        discussion: """
            Writes the database, the master key, and the configuration with the files that it names \
            to a new folder, sealed with a passphrase. Keep the passphrase elsewhere: without it, \
            nothing can be restored. Model packs, the private key of the certificate, and mails in \
            the outbox are not part of a backup. While it runs, the data folder needs space for a \
            copy of the database.

            EXAMPLE
              mien backup /backup/mien-monday
              mien backup /backup/mien-monday --config /etc/mien/mien.yaml --passphrase-file /root/backup.pass
            """)

    @Argument(help: "The folder to create.", completion: .directory) var folder: String
    @Option(
        help: ArgumentHelp("The server's file with settings.", valueName: "mien.yaml"),
        completion: .file()) var config: String?
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try ServerSettings.load(config)
        guard configuration.storeURL == nil else {
            throw Failure(
                .notSetUp, "backup.postgres",
                "The records are in PostgreSQL (store.url), which has its own tools for backups: docs/operate-many.md says how. Also keep copies of \(configuration.dataFolder.appending(path: "master.key").path) and the settings, elsewhere than the backups of the database"
            )
        }
        let settings = try Self.settings(config, configuration)
        let manifest: BackupManifest
        do {
            manifest = try BackupWriter(
                data: configuration.dataFolder, keyFile: ServerKeys.file(of: configuration),
                settings: settings,
                program: MienCommand.configuration.version
            ).write(
                to: URL(filePath: folder), passphrase: passphrase.passphrase(isNew: true),
                at: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        } catch let error as BackupError { throw Failure(error) }
        let bytes = manifest.files.reduce(0) { $0 + $1.size }
        guard !output.json else {
            return JSON.print(
                Output(
                    folder: folder, bytes: bytes, files: manifest.files.map(\.name),
                    audit: .init(
                        number: Int(manifest.auditNumber),
                        hash: Base64URL.encode(manifest.auditHash))))
        }
        print(
            "Backed up \(configuration.dataFolder.path) to \(folder): \(bytes.grouped) bytes in \(manifest.files.count) files, audit log up to entry \(manifest.auditNumber), hash \(Base64URL.encode(manifest.auditHash))."
        )
    }

    /// The configuration's file, and the files that its settings name. Private keys of certificates
    /// are renewed elsewhere, and the other paths are folders.
    private static func settings(_ config: String?, _ configuration: ServerConfiguration) throws
        -> [BackupWriter.Setting]
    {
        var settings = config.map { [BackupWriter.Setting(key: nil, path: $0)] } ?? []
        for (key, path) in configuration.namedFiles where key != "tls.key" {
            settings.append(.init(key: key, path: path))
        }
        return settings
    }

    private struct Output: Encodable {
        struct Position: Encodable {
            let number: Int
            let hash: String
        }
        let folder: String
        let bytes: Int
        let files: [String]
        let audit: Position
    }
}
