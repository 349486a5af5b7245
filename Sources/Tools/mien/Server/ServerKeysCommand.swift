import ArgumentParser
import Foundation
import MienServer
import MienTools
import MienVault

/// `mien master-key …`
struct ServerKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master-key", abstract: "See and change what protects a server's master keys.",
        discussion: """
            The settings key.source and key.… say where the keys are and what wraps them: nothing, a \
            credential of systemd, or a key in a PKCS #11 token. “mien admin master-key” rotates them.

            EXAMPLE
              mien master-key check --config /etc/mien/mien.yaml
            """,
        subcommands: [Check.self, Create.self, Move.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Open the master keys, and say what protects them.",
            discussion: """
                Run it as the server's user. With credentials of systemd, run it in a unit that has \
                them: systemd-run --pipe --uid mien -p LoadCredentialEncrypted=mien.master-key …

                EXAMPLE
                  mien master-key check --config /etc/mien/mien.yaml
                """)

        @OptionGroup var settings: KeySettingsOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try ServerKeysReport(settings.configuration())
            guard !output.json else { return JSON.print(found) }
            print(found.words)
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make the key in the PKCS #11 token.",
            discussion: """
                Makes an AES key of 256 bits with the label key.pkcs11.key, which never leaves the \
                token. Tokens that have a backup procedure of their own need it: without this key, \
                the master keys and all data are lost.

                EXAMPLE
                  mien master-key create --config /etc/mien/mien.yaml
                """)

        @OptionGroup var settings: KeySettingsOptions
        @OptionGroup var output: OutputOptions

        /// The result in JSON.
        private struct Made: Encodable {
            /// The token's own words about its key.
            let token: String
        }

        func run() async throws {
            do {
                guard let key = try ServerKeys.tokenKey(of: settings.configuration()) else {
                    throw Failure(
                        .badInput, "config", "set key.source to pkcs11 and name the token first")
                }
                try key.create()
                let token = try key.described()
                guard !output.json else { return JSON.print(Made(token: token)) }
                print("Made \(token).")
            } catch let error as KeyWrapperError {
                throw Failure(.notSetUp, error.code, error.reason)
            }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Protect the master keys as the settings now say.",
            discussion: """
                Stop the server first. The keys stay the same; only their file changes. If they were \
                wrapped before, --from names the settings of that time. Make a backup before, and \
                rotate the keys afterward if they lay on a disk in clear.

                EXAMPLE
                  mien master-key move --config /etc/mien/mien.yaml
                  mien master-key move --config /etc/mien/mien.yaml --from /etc/mien/mien.yaml.old
                """)

        @OptionGroup var settings: KeySettingsOptions
        @Option(
            help: ArgumentHelp(
                "The settings as they were; by default, the keys are in clear at the same path.",
                valueName: "mien.yaml"), completion: .file())
        var from: String?
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let configuration = try settings.configuration()
            let new = try ServerKeys.file(of: configuration)
            let former = try from.map { try ServerSettings.load($0) }
            let old =
                try former.map { try ServerKeys.file(of: $0) } ?? KeyFile(path: new.path)
            let folders = [configuration.dataFolder, former?.dataFolder].compactMap {
                $0?.standardizedFileURL
            }
            _ = try ServerKeys.move(from: old, to: new, of: Set(folders))
            let found = try ServerKeysReport(configuration)
            guard !output.json else { return JSON.print(found) }
            print(found.words)
            if old.wrapper == nil {
                print(
                    "The keys lay on the disk in clear, where their bytes can remain: start the server, then run mien admin master-key rotate."
                )
            }
        }
    }
}

/// The settings of the server whose keys are meant.
struct KeySettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's file with settings.", valueName: "mien.yaml"),
        completion: .file()) var config: String?

    func configuration() throws -> ServerConfiguration { try ServerSettings.load(config) }
}

/// The findings about a server's master keys. Contains no secret.
struct ServerKeysReport: Encodable {
    let file: String
    /// `file`, `credential`, or `pkcs11`.
    let source: String
    /// The token's own words about its key.
    let token: String?
    let versions: [Int]

    /// Opens the keys.
    ///
    /// - Throws: ``KeyFileError``, ``Failure`` `key.missing`
    init(_ configuration: ServerConfiguration) throws {
        let keys = try ServerKeys.file(of: configuration)
        guard let ring = try keys.loadRing() else {
            throw Failure(
                .notSetUp, "key.missing",
                "there are no master keys at \(keys.path): the server makes them when it first starts"
            )
        }
        (file, source) = (keys.path, keys.wrapper?.kind ?? "file")
        versions = ring.keys.map { Int($0.version) }
        do { token = try ServerKeys.tokenKey(of: configuration)?.described() } catch {
            throw Failure(.notSetUp, error.code, error.reason)
        }
    }

    var words: String {
        let protection =
            switch source {
            case "file": "in clear, readable by their owner only"
            case "credential": "wrapped under a credential of systemd"
            default: "wrapped under \(token ?? "a key in a token")"
            }
        let count =
            versions.count == 1
            ? "One master key, version \(versions[0])"
            : "\(versions.count) master keys, versions \(versions.map { "\($0)" }.joined(separator: ", "))"
        return "\(count), in \(file): \(protection)."
    }
}
