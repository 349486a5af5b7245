public import MienAPI
public import MienCore

// MARK: Groups

extension MienAdmin {
    /// Returns the groups that have users, by name: at most 1,000.
    public func groups() async throws -> [GroupsAnswer.Group] {
        try await (get("groups") as GroupsAnswer).groups
    }

    /// Returns the groups of a user.
    public func groups(of user: UserID) async throws -> [String] {
        try await (get("users", user.text, "groups") as UserGroups).groups
    }

    /// Replaces the groups of a user. Apps read them in the next tokens, and at the UserInfo
    /// endpoint at once.
    ///
    /// - Parameter groups: At most 64 names of 1 to 64 printable ASCII characters without commas,
    ///   quotes, and backslashes.
    /// - Returns: The groups, sorted.
    @discardableResult
    public func setGroups(_ groups: [String], of user: UserID) async throws -> [String] {
        try await
            (send(.put, "users", user.text, "groups", body: UserGroups(groups: groups))
            as UserGroups).groups
    }

    /// Returns at most 100 users of a group, the oldest first.
    ///
    /// - Parameter after: `next` of the previous page.
    public func users(in group: String, after: UserID? = nil) async throws -> Page<UserAnswer> {
        var query = [("group", group)]
        if let after { query.append(("after", after.text)) }
        return try await get("users", query: query)
    }
}
