internal import MienCore

/// The number of faces that one model pack created.
public struct FacePackCount: Sendable, Hashable {
    /// The name as it is stored; not a valid name if it is unknown.
    public let pack: String
    public let faces: Int
    /// The number of accounts that have these faces.
    public let people: Int
}

extension AuthenticatorTable {
    /// The pack of a face that does not say which pack created it.
    static let unknownPack = "-"

    /// Returns how many faces each model pack created, by pack.
    public func facesByPack() throws(StoreError) -> [FacePackCount] {
        try connection.rows(
            "SELECT pack, COUNT(*), COUNT(DISTINCT account_id) FROM authenticator WHERE type = ? GROUP BY pack ORDER BY pack",
            .text(AuthenticatorType.face.rawValue)
        ).map { row throws(StoreError) in
            FacePackCount(
                pack: try row.text(0), faces: Int(try row.integer(1)),
                people: Int(try row.integer(2)))
        }
    }

    /// Returns the number of accounts that have faces of other packs.
    public func people(withFacesOtherThan pack: String) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT COUNT(DISTINCT account_id) FROM authenticator WHERE type = ? AND pack <> ?",
            .text(AuthenticatorType.face.rawValue), .text(pack))
        return Int(try rows.first?.integer(0) ?? 0)
    }

    /// Returns the pack that created a face, or an empty text for other authenticators.
    static func pack(of record: AuthenticatorRecord) -> String {
        if record.type == .password { return record.info["imported"]?.stringValue ?? "" }
        guard record.type == .face else { return "" }
        return record.info["pack"]?.stringValue ?? unknownPack
    }
}
