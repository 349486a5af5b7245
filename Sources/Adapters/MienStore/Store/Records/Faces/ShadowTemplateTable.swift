public import MienCore

/// The template that a second model pack made of a registered face, to compare the packs.
public struct ShadowTemplateRecord: Sendable {
    /// The face; its deletion deletes this record.
    public let authenticator: AuthenticatorID
    public let pack: PackID
    /// A face template in its binary format.
    public let template: Sensitive<[UInt8]>

    public init(authenticator: AuthenticatorID, pack: PackID, template: [UInt8]) {
        (self.authenticator, self.pack) = (authenticator, pack)
        self.template = Sensitive(template)
    }
}

/// The templates of the pack in shadow mode, at most one for each registered face.
public struct ShadowTemplateTable {
    let connection: any SQLConnection

    /// Inserts the template of a face of `account`, or replaces it.
    ///
    /// - Throws: ``StoreError`` `.stale` if the face no longer exists.
    public func put(_ record: ShadowTemplateRecord, of account: AccountRecord)
        throws(StoreError)
    {
        connection.leaveNoTrace()
        let sealed = record.template.use {
            account.key.seal($0, .shadowTemplate, for: record.authenticator.text)
        }
        try connection.execute(
            """
            INSERT INTO shadow_template (authenticator_id, pack_id, template_sealed) VALUES (?, ?, ?)
            ON CONFLICT (authenticator_id) DO UPDATE SET pack_id = excluded.pack_id, template_sealed = excluded.template_sealed
            """, .id(record.authenticator), .text(record.pack.text), .blob(sealed))
    }

    /// Returns the template of a face of `account`, if it was made by `pack`.
    public func find(_ authenticator: AuthenticatorID, of account: AccountRecord, pack: PackID)
        throws(StoreError) -> ShadowTemplateRecord?
    {
        try connection.row(
            "SELECT template_sealed FROM shadow_template WHERE authenticator_id = ? AND pack_id = ?",
            .id(authenticator), .text(pack.text)
        ).map { row throws(StoreError) in
            ShadowTemplateRecord(
                authenticator: authenticator, pack: pack,
                template: try account.key.open(
                    row.blob(0), .shadowTemplate, for: authenticator.text))
        }
    }

    /// Deletes all templates except those of `pack`.
    ///
    /// - Returns: The number of deleted templates.
    @discardableResult public func deleteAll(except pack: PackID?) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM shadow_template WHERE pack_id <> ?", .text(pack?.text ?? ""))
    }
}
