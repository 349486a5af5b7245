package import MienAPI
package import MienCore
package import MienStore

/// A new setup code or invitation that is not stored yet.
package struct NewAdministratorOffer: Sendable {
    package let offer: AdministratorOffer
    /// 256 random bits in base64url. Only the hash is stored.
    package let code: Sensitive<String>
    package let hash: [UInt8]

    /// Makes a setup code for an administrator.
    ///
    /// - Parameters:
    ///   - author: The administrator who makes it; `nil` for the server itself.
    ///   - endsCredential: Whether the administrator's credential ends when the code is used.
    package init(
        settingUp admin: AdminRecord, by author: AdminID?, endsCredential: Bool = false,
        _ keys: StoreKeys, at now: Instant
    ) {
        self.init(
            .setup, admin.id, admin.name, admin.role, author, keys, now,
            endsCredential: endsCredential)
    }

    /// Invites a new administrator.
    package init(
        inviting name: String, as role: AdminRole, by author: AdminID, _ keys: StoreKeys,
        at now: Instant
    ) {
        var generator = SystemRandomNumberGenerator()
        self.init(.invitation, .random(using: &generator), name, role, author, keys, now)
    }

    private init(
        _ kind: AdministratorOffer.Kind, _ subject: AdminID, _ name: String, _ role: AdminRole,
        _ author: AdminID?, _ keys: StoreKeys, _ now: Instant, endsCredential: Bool = false
    ) {
        var generator = SystemRandomNumberGenerator()
        let secret = generator.bytes(32)
        offer = AdministratorOffer(
            id: .random(using: &generator), kind: kind, subject: subject, name: name, role: role,
            author: author, createdAt: now, endsCredential: endsCredential)
        code = Sensitive(Base64URL.encode(secret))
        hash = keys.hash(ofSecret: secret)
    }

    /// Stores it in place of the subject's earlier ones.
    package func store(in tables: Tables) throws {
        try tables.adminOffers.removeAll(of: offer.subject)
        try tables.adminOffers.insert(offer, codeHash: hash)
    }

    /// The link that opens the page of the portal. The code is in the fragment, which browsers do
    /// not send.
    package func link(at portal: String) -> Sensitive<String> {
        Sensitive(
            code.use {
                "\(portal)/admin/\(offer.kind == .setup ? "setup" : "invitation")#\($0)"
            })
    }
}
