public import MienAPI
public import MienCore

/// Setup codes and invitations of administrators, by the hash of their code.
public struct AdminOfferTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    private static let columns =
        "id, kind, subject, name, role, author, created_at, ends_credential"

    public func insert(_ offer: AdministratorOffer, codeHash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "INSERT INTO admin_offer (\(Self.columns), code_hash, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(offer.id), .text(offer.kind.rawValue), .id(offer.subject), .text(offer.name),
            .text(offer.role.rawValue), .id(offer.author), .time(offer.createdAt),
            .flag(offer.endsCredential),
            .blob(codeHash), .time(offer.expiresAt))
    }

    /// Returns the offer whose code may still be used.
    public func open(codeHash: [UInt8], at now: Instant) throws(StoreError) -> AdministratorOffer? {
        let found = try connection.row(
            "SELECT \(Self.columns) FROM admin_offer WHERE code_hash = ?", .blob(codeHash)
        ).map(Self.offer)
        guard let found, found.isOpen(at: now, authorRole: try role(of: found.author)) else {
            return nil
        }
        return found
    }

    /// Returns the codes of a kind that may still be used, the oldest first.
    public func open(_ kind: AdministratorOffer.Kind, at now: Instant) throws(StoreError)
        -> [AdministratorOffer]
    {
        let all = try connection.rows(
            "SELECT \(Self.columns) FROM admin_offer WHERE kind = ? ORDER BY created_at, id",
            .text(kind.rawValue)
        ).map(Self.offer)
        var open: [AdministratorOffer] = []
        for offer in all where offer.isOpen(at: now, authorRole: try role(of: offer.author)) {
            open.append(offer)
        }
        return open
    }

    /// Keeps the secret that the person who has the code is shown, in place of an earlier one.
    ///
    /// - Returns: `false` if the offer is gone.
    public func setSecret(_ secret: Sensitive<[UInt8]>, of id: AdministratorOfferID)
        throws(StoreError) -> Bool
    {
        try connection.execute(
            "UPDATE admin_offer SET secret_sealed = ? WHERE id = ?",
            .blob(secret.use { keys.seal($0, .adminOffer, for: id.text) }), .id(id)) == 1
    }

    public func secret(of id: AdministratorOfferID) throws(StoreError) -> Sensitive<[UInt8]>? {
        guard
            let sealed = try connection.row(
                "SELECT secret_sealed FROM admin_offer WHERE id = ?", .id(id))?.optionalBlob(0)
        else { return nil }
        return Sensitive(try keys.open(sealed, .adminOffer, for: id.text))
    }

    /// - Returns: `false` if the offer is gone: of two uses of a code, one removes it.
    public func remove(_ id: AdministratorOfferID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        return try connection.execute("DELETE FROM admin_offer WHERE id = ?", .id(id)) == 1
    }

    /// - Returns: `false` if there is no such invitation.
    public func removeInvitation(_ id: AdministratorOfferID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM admin_offer WHERE id = ? AND kind = ?", .id(id),
            .text(AdministratorOffer.Kind.invitation.rawValue)) == 1
    }

    /// Removes the setup codes of an administrator.
    ///
    /// - Returns: the number of removed codes.
    @discardableResult
    public func removeAll(of subject: AdminID) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute("DELETE FROM admin_offer WHERE subject = ?", .id(subject))
    }

    /// Removes the setup codes and invitations that an administrator made, who may make none any
    /// longer.
    public func removeAll(by author: AdminID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM admin_offer WHERE author = ?", .id(author))
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM admin_offer WHERE id IN (SELECT id FROM admin_offer WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    private func role(of author: AdminID?) throws(StoreError) -> AdminRole? {
        guard let author else { return nil }
        return try AdminTable(connection: connection).find(author)?.role
    }

    private static func offer(_ row: SQLRow) throws(StoreError) -> AdministratorOffer {
        AdministratorOffer(
            id: try row.identifier(0), kind: try row.word(1), subject: try row.identifier(2),
            name: try row.text(3), role: try row.word(4), author: try row.optionalIdentifier(5),
            createdAt: try row.instant(6), endsCredential: try row.integer(7) != 0)
    }
}
