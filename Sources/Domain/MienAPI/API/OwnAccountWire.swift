public import MienCore

/// A sign-in of the user: one of `GET /v1/me/sign-ins`.
public struct OwnSignIn: Codable, Sendable, Hashable {
    public var id: String
    /// The app; `nil` for the sign-in of a browser itself, which opens apps and the account page.
    public var appID: String?
    /// The app's name; `nil` for the sign-in of a browser.
    public var appName: String?
    /// The methods used, as `amr` values.
    public var methods: [String]
    /// When the user last authenticated in this sign-in.
    public var signedInAt: Int64
    /// When its tokens were last renewed.
    public var usedAt: Int64
    /// The latest time at which it ends.
    public var expiresAt: Int64
    /// Whether the request was made with this sign-in.
    public var isCurrent: Bool

    public init(
        id: String, appID: String?, appName: String?, methods: [String], signedInAt: Int64,
        usedAt: Int64, expiresAt: Int64, isCurrent: Bool
    ) {
        (self.id, self.appID, self.appName, self.methods) = (id, appID, appName, methods)
        (self.signedInAt, self.usedAt, self.expiresAt, self.isCurrent) = (
            signedInAt, usedAt, expiresAt, isCurrent
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", appName = "app_name", methods, signedInAt = "signed_in_at",
            usedAt = "used_at", expiresAt = "expires_at", isCurrent = "is_current"
    }
}

/// A device on which the user has signed in: one of `GET /v1/me/devices`.
public struct OwnDevice: Codable, Sendable, Hashable {
    public var id: String
    public var appID: String
    /// The name that the user gave it.
    public var name: String?
    public var createdAt: Int64
    /// When the user last signed in on it.
    public var usedAt: Int64

    public init(id: String, appID: String, name: String?, createdAt: Int64, usedAt: Int64) {
        (self.id, self.appID, self.name, self.createdAt, self.usedAt) = (
            id, appID, name, createdAt, usedAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", name, createdAt = "created_at", usedAt = "used_at"
    }
}

/// A registered face of the user: one of `GET /v1/me/faces`.
public struct OwnFace: Codable, Sendable, Hashable {
    public var id: String
    /// The app that the face signs in to, or the group of apps that share it.
    public var appID: String
    /// The apps that share it, and that the person agreed to. `nil` for a face of one app.
    public var appIDs: [String]?
    public var createdAt: Int64

    public init(id: String, appID: String, appIDs: [String]? = nil, createdAt: Int64) {
        (self.id, self.appID, self.appIDs, self.createdAt) = (id, appID, appIDs, createdAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", appIDs = "app_ids", createdAt = "created_at"
    }
}

/// An entry about the user in the audit log: one of `GET /v1/me/activity`.
public struct OwnActivity: Codable, Sendable, Hashable {
    public var number: Int
    public var at: Int64
    public var event: String
    /// The one who acted: `user`, `journey`, `app`, `system`, or an administrator's ID.
    public var actor: String
    public var appID: String?
    public var detail: [String: JSONValue]

    public init(
        number: Int, at: Int64, event: String, actor: String, appID: String?,
        detail: [String: JSONValue]
    ) {
        (self.number, self.at, self.event, self.actor) = (number, at, event, actor)
        (self.appID, self.detail) = (appID, detail)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case number, at, event, actor, appID = "app_id", detail
    }
}
