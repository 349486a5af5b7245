internal import Foundation

/// The target of a call in one normalized spelling: the same text is compared with the list,
/// resolved, and connected to.
struct WebhookTarget: Sendable, Equatable {
    /// The lowercase host, without the brackets of an IPv6 address.
    let host: String
    let isEncrypted: Bool
    let port: Int
    let url: String

    /// - Returns: `nil` if the scheme is not http or https, if the URL contains user information,
    ///   or if two parsers disagree about the host.
    init?(_ text: String) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["https", "http"].contains(scheme),
            parts.user == nil, parts.password == nil, let host = parts.host, !host.isEmpty
        else { return nil }
        parts.scheme = scheme
        parts.host = host.lowercased()
        parts.fragment = nil
        guard let url = parts.string, let read = URL(string: url)?.host else { return nil }
        self.host = Self.bare(host.lowercased())
        guard Self.bare(read) == self.host else { return nil }
        isEncrypted = scheme == "https"
        port = parts.port ?? (isEncrypted ? 443 : 80)
        self.url = url
    }

    static func bare(_ host: String) -> String { host.trimmingCharacters(in: ["[", "]"]) }
}
