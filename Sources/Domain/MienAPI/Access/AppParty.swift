/// The party that runs an app.
public enum AppParty: String, Sendable, Hashable, Codable, CaseIterable {
    /// The operator. Its users manage their authenticators through it.
    case first
    /// Another party. The app signs users in, and gets their identity and its own data.
    case third
}
