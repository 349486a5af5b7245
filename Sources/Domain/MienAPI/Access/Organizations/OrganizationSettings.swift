/// Whether users sign in to an app through an organization, and which organizations may use it.
public struct OrganizationSettings: Sendable, Hashable, Codable {
    public enum Use: String, Sendable, Hashable, Codable, CaseIterable {
        /// Users sign in as themselves.
        case off
        /// A member of an organization signs in through it; others sign in as themselves.
        case allow
        /// Every user signs in through an organization.
        case require
    }

    public enum Access: String, Sendable, Hashable, Codable, CaseIterable {
        /// Every organization may use the app.
        case all
        /// Only organizations that were allowed the app may use it.
        case listed
    }

    public var use: Use
    public var access: Access

    public init(use: Use = .off, access: Access = .all) {
        (self.use, self.access) = (use, access)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case use, access }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            use: try values.decodeIfPresent(Use.self, forKey: .use) ?? .off,
            access: try values.decodeIfPresent(Access.self, forKey: .access) ?? .all)
    }
}
