import Foundation
import MienTesting
import Testing

/// The emails that a server without a relay has written to its outbox.
struct Outbox: Sendable {
    let folder: URL

    /// - Parameter data: The server's data folder.
    init(data: URL) { folder = data.appending(path: "outbox") }

    /// The emails as they are in their files, oldest first.
    ///
    /// A server whose clock stands still names them all after the same millisecond.
    func raw() throws -> [String] {
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.contentModificationDateKey])) ?? []
        return try files.filter { $0.pathExtension == "eml" }.map { file in
            let stamp = Int(file.lastPathComponent.prefix { $0 != "-" }) ?? 0
            let date = try file.resourceValues(forKeys: [.contentModificationDateKey])
                .contentModificationDate
            return (
                stamp, date ?? .distantPast,
                String(decoding: try Data(contentsOf: file), as: UTF8.self)
            )
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// The subject and text of each email, oldest first.
    func mails() throws -> [(subject: String, text: String)] {
        try raw().map { mail in
            let raw = mail.replacing("\r\n", with: "\n")
            let parts = raw.split(separator: "\n\n", maxSplits: 1).map(String.init)
            let subject = parts[0].split(separator: "\n").first { $0.hasPrefix("Subject: ") }?
                .dropFirst(9)
            return (String(subject ?? ""), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// Waits for an email with `words` in its subject or text, and returns its text.
    ///
    /// - Parameter number: The index among the matching emails, from 0.
    func mail(with words: String, _ number: Int = 0) async throws -> String {
        let seen = try await Patience.see(mails) { mails in
            mails.count { Self.contains(words, $0) } > number
        }
        let found = seen.filter { Self.contains(words, $0) }
        return try #require(
            found.count > number ? found[number].text : nil,
            "\(found.count) emails contain “\(words)”; there are \(seen.map(\.subject))")
    }

    private static func contains(_ words: String, _ mail: (subject: String, text: String)) -> Bool {
        mail.subject.contains(words) || mail.text.contains(words)
    }

    /// Returns the code of the link in an email.
    static func code(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /\/notices\?code=([A-Za-z0-9_-]+)/)).1)
    }

    /// Decodes quoted-printable text.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = [], rest = Substring(text.replacing("=\n", with: ""))
        while let character = rest.first {
            if character == "=", let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes += Array(String(character).utf8)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
