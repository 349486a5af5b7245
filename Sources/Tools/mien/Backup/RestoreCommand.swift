import ArgumentParser
import Foundation
import MienCore
import MienServer
import MienStore
import MienTools
import MienVault

/// `mien restore`
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup to a new data folder, or check it.",
        discussion: """
            Everything is checked before the folder appears: every byte, that the keys open the \
            database, and the audit log. The configuration is in the folder configuration in it; \
            put its files where the server reads them. Then start the server with MIEN_DATA or the \
            setting data.

            EXAMPLE
              mien restore /backup/mien-monday --to /var/lib/mien/data
              mien restore /backup/mien-monday --check --passphrase-file /root/backup.pass
            """)

    @Argument(help: "The folder of the backup.", completion: .directory) var folder: String
    @Option(help: ArgumentHelp("The data folder to create.", valueName: "folder"))
    var to: String?
    @Flag(help: "Check the backup and leave nothing behind. Needs space for it in TMPDIR.")
    var check = false
    @Option(
        help: ArgumentHelp(
            "The server's file with settings, if they say that something wraps the master keys.",
            valueName: "mien.yaml"),
        completion: .file()) var config: String?
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard check != (to != nil) else {
            throw ValidationError("name the folder to create with --to, or use --check")
        }
    }

    func run() async throws {
        do {
            let target =
                to.map { URL(filePath: $0) }
                ?? FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            guard !FileManager.default.fileExists(atPath: target.path) else {
                throw Failure(
                    .badInput, "backup.exists",
                    "\(target.path) exists. Name a folder that does not exist yet.")
            }
            let backup = try BackupReader(URL(filePath: folder))
            let wrapper = try config.map {
                try ServerKeys.file(of: ServerSettings.load($0)).wrapper
            }
            let accounts = try backup.restore(
                to: target, passphrase: passphrase.passphrase(isNew: false),
                wrapper: wrapper ?? nil, keeps: !check)
            let manifest = backup.manifest
            let hash = Base64URL.encode(manifest.auditHash)
            guard !output.json else {
                return JSON.print(
                    Output(
                        folder: to, accounts: accounts, auditNumber: Int(manifest.auditNumber),
                        auditHash: hash))
            }
            print(
                "\(check ? "The backup is intact" : "Restored \(target.path)"): \(accounts.grouped) \(accounts == 1 ? "user" : "users"), made \(AdminOutput.time(manifest.createdAt)) by \(manifest.program), audit log up to entry \(manifest.auditNumber), hash \(hash)."
            )
        } catch let error as BackupError { throw Failure(error) }
    }

    private struct Output: Encodable {
        let folder: String?
        let accounts, auditNumber: Int
        let auditHash: String
    }
}
