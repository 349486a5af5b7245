/// A sign-in of a user, for administrators.
public struct UserSignInAnswer: Codable, Sendable, Hashable {
    public var id: String
    /// The app; `nil` for the sign-in of a browser itself, which opens apps and the account page.
    public var appID: String?
    /// The app's name; `nil` for the sign-in of a browser.
    public var appName: String?
    /// The methods used, as `amr` values.
    public var methods: [String]
    /// When the user last authenticated in this sign-in.
    public var signedInAt: Int64
    /// When it was last used.
    public var usedAt: Int64
    /// The latest time at which it ends.
    public var expiresAt: Int64

    public init(
        id: String, appID: String?, appName: String?, methods: [String], signedInAt: Int64,
        usedAt: Int64, expiresAt: Int64
    ) {
        (self.id, self.appID, self.appName, self.methods) = (id, appID, appName, methods)
        (self.signedInAt, self.usedAt, self.expiresAt) = (signedInAt, usedAt, expiresAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", appName = "app_name", methods, signedInAt = "signed_in_at",
            usedAt = "used_at", expiresAt = "expires_at"
    }
}

/// The records that deleting a user erases, as numbers by kind, such as `devices`.
public struct ErasurePreviewAnswer: Codable, Sendable, Hashable {
    public var erased: [String: Int]
    /// Entries of the audit log, which has neither names nor secrets.
    public var kept: [String: Int]

    public init(erased: [String: Int], kept: [String: Int]) {
        (self.erased, self.kept) = (erased, kept)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case erased, kept }
}
