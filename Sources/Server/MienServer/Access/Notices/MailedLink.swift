internal import MienAPI
package import MienCore
package import MienStore

/// A link for an account's owner, not yet stored: 256 random bits in a URL.
///
/// Create the link before the transaction, store it within, and mail it after the commit. Then the
/// link exists exactly if the change that it reports does.
package struct MailedLink: Sendable {
    /// The path of all links, relative to the public URL.
    package static let path = "notices"

    package let url: Sensitive<String>
    private let hash: [UInt8]

    package init(_ keys: StoreKeys, publicURL: String) {
        var generator = SystemRandomNumberGenerator()
        let code = Base64URL.encode(generator.bytes(32))
        hash = Self.hash(code, keys)
        url = Sensitive("\(publicURL)/\(Self.path)?code=\(code)")
    }

    package func store(
        _ purpose: MailedLinkRecord.Purpose, _ subject: String, of account: UserID,
        until expiry: Instant, in tables: Tables, at now: Instant
    )
        throws
    {
        try tables.mailedLinks.insert(
            MailedLinkRecord(
                purpose: purpose, subject: subject, account: account, createdAt: now,
                expiresAt: expiry), hash: hash)
    }

    /// Returns the hash under which a link's code is stored.
    package static func hash(_ code: String, _ keys: StoreKeys) -> [UInt8] {
        keys.hash(ofSecret: Array("mailed-link \(code)".utf8))
    }
}

extension AccountRecord {
    /// The address for mail about this account; `nil` if the account has none. Only verified
    /// addresses are attached to accounts.
    package var noticeAddress: Sensitive<String>? { profile.use { $0.email }.map { Sensitive($0) } }
}
