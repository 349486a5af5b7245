/// A source of personal data, as the setting `identity.sources` names it.
package enum IdentitySourceName: String, Sendable, CaseIterable {
    /// The reference registry in the server's store.
    case registry
    /// A service, asked over HTTP.
    case http
    /// Knows one invented person.
    case simulator
}
