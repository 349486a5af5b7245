import ArgumentParser
import Foundation
import MienCore
import MienStore
import MienTools
import MienVault

/// Where the passphrase of a backup comes from. It is never an argument, because every user of the
/// machine can read arguments.
struct PassphraseOptions: ParsableArguments {
    private static let maxBytes = 4096

    @Flag(help: "Read the passphrase from standard input: one line.") var passphraseStdin = false
    @Option(
        help: ArgumentHelp(
            "A file with the passphrase in one line, which only its owner can read (default: ask on the terminal).",
            valueName: "file"), completion: .file())
    var passphraseFile: String?

    func validate() throws {
        guard !passphraseStdin || passphraseFile == nil else {
            throw ValidationError("use either --passphrase-stdin or --passphrase-file")
        }
    }

    /// - Parameter isNew: whether to ask twice on a terminal, because a mistyped passphrase would
    ///   make the backup useless.
    func passphrase(isNew: Bool) throws -> BackupPassphrase {
        guard let passphrase = BackupPassphrase(try text(isNew: isNew)) else {
            throw Failure(
                .badInput, "backup.short-passphrase",
                "the passphrase must have at least \(BackupPassphrase.minCharacters) characters, because anyone who gets the backup can try passphrases without limit"
            )
        }
        return passphrase
    }

    private func text(isNew: Bool) throws -> Sensitive<String> {
        if let passphraseFile { return try Self.read(passphraseFile) }
        var input = SecretInput()
        guard passphraseStdin || input.isTerminal else {
            throw Failure(
                .badInput, "secret.missing",
                "the passphrase is missing: run this on a terminal, or use --passphrase-stdin or --passphrase-file"
            )
        }
        return try isNew
            ? input.new("passphrase of the backup") : input.next("passphrase of the backup")
    }

    private static func read(_ path: String) throws -> Sensitive<String> {
        let files = POSIXFileSystem()
        let found: FileContents?
        do { found = try files.read(path, atMost: maxBytes + 1) } catch { throw Failure(error) }
        func refused(_ reason: String) -> Failure {
            Failure(.badInput, "backup.passphrase-file", "\(path) \(reason)")
        }
        guard let found, found.isRegular else { throw refused("is not a file") }
        guard found.owner == files.currentUser else {
            throw refused("belongs to another user than the one who runs this program")
        }
        guard found.mode & 0o077 == 0 else {
            throw refused("can be read by other users. Run: chmod 600 \(path)")
        }
        guard found.bytes.count <= maxBytes,
            let text = String(validating: found.bytes, as: UTF8.self),
            case let lines = text.split(whereSeparator: \.isNewline), lines.count == 1
        else { throw refused("must contain the passphrase in one line") }
        return Sensitive(String(lines[0]).trimmingCharacters(in: .whitespaces))
    }
}
