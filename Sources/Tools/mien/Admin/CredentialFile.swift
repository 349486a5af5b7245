import Foundation
import MienCore
import MienTools
import MienVault

/// The admin credential at rest: one line in a regular file that only its owner can read.
enum CredentialFile {
    private static let maxBytes = 512

    /// - Throws: ``Failure``, which never contains the file's contents.
    static func read(_ path: String, files: any FileSystem = POSIXFileSystem()) throws -> Sensitive<
        String
    > {
        func refused(_ code: String, _ reason: String) -> Failure {
            Failure(.notSetUp, code, "\(path) \(reason)")
        }
        let found: FileContents?
        do { found = try files.read(path, atMost: maxBytes + 1) } catch { throw Failure(error) }
        guard let found else {
            throw refused(
                "credential.missing",
                "does not exist; --credential-file must name a file with the admin credential")
        }
        guard found.isRegular else {
            throw refused("credential.not-regular", "is not a regular file")
        }
        guard found.owner == files.currentUser else {
            throw refused(
                "credential.owner",
                "belongs to user \(found.owner), but this program runs as user \(files.currentUser)"
            )
        }
        guard found.mode & 0o077 == 0 else {
            let mode = String(found.mode, radix: 8)
            throw refused(
                "credential.mode",
                "has mode 0\(mode), so other users can use the credential. Run: chmod 600 \(path)"
            )
        }
        guard found.bytes.count <= maxBytes,
            let text = String(validating: found.bytes, as: UTF8.self)
        else {
            throw refused(
                "credential.malformed",
                "does not contain an admin credential: expected one line, as printed by the server's first start"
            )
        }
        return try credential(text, from: path)
    }

    /// Returns the text from `source` if it is a possible credential: one line of visible ASCII.
    static func credential(_ text: String, from source: String) throws -> Sensitive<String> {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.count <= maxBytes,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw Failure(
                .notSetUp, "credential.malformed",
                "\(source) does not contain an admin credential: expected one line, as printed by the server's first start"
            )
        }
        return Sensitive(text)
    }
}
