/// A request of `pam_mien`: one line, `mien-desktop/1 VERB USER`. A connection carries one.
package struct DesktopRequest: Sendable, Equatable {
    package enum Verb: String, Sendable, CaseIterable {
        /// Can this person be asked for their face now? Opens no camera.
        case ready
        /// Looks into the camera, and judges.
        case check
        /// The person signed in otherwise, so a locked face is unlocked. From root only.
        case authenticated
    }

    /// The longest line, without its end.
    package static let maxBytes = 255
    package static let version = "mien-desktop/1"

    package let verb: Verb
    /// The name of a Linux account: 1...32 of A–Z, a–z, 0–9, and `._-@`.
    package let user: String

    /// Parses a line without its end; `nil` if it is not a request.
    package init?(line: [UInt8]) {
        guard line.count <= Self.maxBytes else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == Self.version,
            let verb = Verb(rawValue: String(words[1]))
        else { return nil }
        let name = words[2].utf8
        guard (1...32).contains(name.count), name.first != UInt8(ascii: "-"),
            name.allSatisfy(Self.isAllowed)
        else { return nil }
        (self.verb, user) = (verb, String(words[2]))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "._-@".utf8.contains(byte)
        }
    }
}
