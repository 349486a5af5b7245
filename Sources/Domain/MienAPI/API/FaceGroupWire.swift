/// `POST /v1/face-groups` and `PUT /v1/face-groups/{group}`.
public struct FaceGroupRequest: Sendable, Hashable, Codable {
    /// The name for administrators.
    public var name: String
    /// The IDs of the apps that share faces.
    public var appIDs: [String]
    /// How old a sign-in with the face may be, in seconds, to sign in to another app of the group;
    /// 0 if each app looks for itself. `nil` for the default, or to leave it as it is.
    public var maxAge: Int?
    /// The version that the change is based on. If the apps have changed since, it is refused.
    public var version: Int?

    public init(name: String, appIDs: [String], maxAge: Int? = nil, version: Int? = nil) {
        (self.name, self.appIDs, self.maxAge) = (name, appIDs, maxAge)
        self.version = version
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case name, appIDs = "app_ids", maxAge = "max_age", version
    }
}

/// A group of apps that share faces.
public struct FaceGroupAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var appIDs: [String]
    public var maxAge: Int
    /// Grows with every change of the apps. Texts of consent have it.
    public var version: Int
    /// The number of people who share a face.
    public var people: Int
    public var createdAt: Int64

    public init(
        id: String, name: String, appIDs: [String], maxAge: Int, version: Int, people: Int,
        createdAt: Int64
    ) {
        (self.id, self.name, self.appIDs, self.maxAge) = (id, name, appIDs, maxAge)
        (self.version, self.people, self.createdAt) = (version, people, createdAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, appIDs = "app_ids", maxAge = "max_age", version, people,
            createdAt = "created_at"
    }
}
