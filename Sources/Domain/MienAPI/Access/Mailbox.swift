internal import Foundation

/// The mailbox that an email address names.
///
/// Only the server of a domain knows which spellings of the text before “@” are one mailbox (RFC 5321
/// §2.4), so that it counts as it was written. The domain is compared as A-labels. ``LoginName`` treats
/// more spellings as the same, so that no two people sign in with addresses that look alike.
public struct Mailbox: Sendable, Hashable {
    /// UTF-8, because `String` treats canonically equivalent texts as equal.
    public let bytes: [UInt8]

    public init(_ address: String) {
        let address = address.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let end = address.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            bytes = Array(address.utf8)
            return
        }
        let domain = String(decoding: address.utf8[end...].dropFirst(), as: UTF8.self)
        bytes = Array(address.utf8[...end]) + Array(EmailDomain.normal(domain).utf8)
    }
}
