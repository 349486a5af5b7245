import Foundation
import MienCore
import MienVault

/// The admin credential at rest: one line in a regular file that only its owner can read.
enum CredentialFile {
    private static let maxBytes = 512

    /// - Throws: ``Failure``, which never says what is in the file.
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
                "is not there; --credential-file names a file with the admin credential")
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
                "has mode 0\(mode), so others than its owner can use the credential. Run: chmod 600 \(path)"
            )
        }
        guard found.bytes.count <= maxBytes,
            let text = String(validating: found.bytes, as: UTF8.self)
        else {
            throw refused(
                "credential.malformed",
                "holds no admin credential: one line is expected, as the server's first start printed it"
            )
        }
        return try credential(text, from: path)
    }

    /// What stands in `place`, if it can be a credential at all: a line of visible ASCII.
    static func credential(_ text: String, from place: String) throws -> Sensitive<String> {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.count <= maxBytes,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw Failure(
                .notSetUp, "credential.malformed",
                "\(place) holds no admin credential: one line is expected, as the server's first start printed it"
            )
        }
        return Sensitive(text)
    }
}
