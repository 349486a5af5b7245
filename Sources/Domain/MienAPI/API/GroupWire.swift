/// `GET` and `PUT /v1/users/{user}/groups`.
public struct UserGroups: Sendable, Hashable, Codable {
    /// Names of groups, at most 64.
    public var groups: [String]

    public init(groups: [String]) { self.groups = groups }

    public enum CodingKeys: String, CodingKey, CaseIterable { case groups }
}

/// `GET /v1/groups`: the groups that have users, by name.
public struct GroupsAnswer: Sendable, Hashable, Codable {
    public struct Group: Sendable, Hashable, Codable {
        public var name: String
        /// The number of its users.
        public var users: Int

        public init(name: String, users: Int) { (self.name, self.users) = (name, users) }
    }

    /// At most 1,000.
    public var groups: [Group]

    public init(groups: [Group]) { self.groups = groups }
}
