internal import HTTPTypes
package import Hummingbird
internal import MienAPI

/// Refuses requests to a name that is not the listener's own.
///
/// A page of another site can let its own name resolve to this machine once it is loaded (DNS
/// rebinding). Its browser then takes this server for that site, and lets the page read what needs
/// no sign-in, such as metrics. The name is what gives it away: browsers send it with every request,
/// and pages cannot change it. IP addresses and `localhost` resolve to nothing else, so they are
/// always accepted.
package struct HostMiddleware: RouterMiddleware {
    /// Further lines of the header; the first one is the request's authority.
    private static let host = HTTPField.Name("host")!

    private let names: Set<String>

    /// - Parameter names: Host names besides `localhost`, without ports.
    package init(names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        // Programs disagree about which of several names counts; RFC 9112 §3.2 refuses such requests.
        guard request.headers[values: Self.host].isEmpty else {
            throw Problem(.invalidRequest, "The request has more than one host line.")
        }
        // Programs that speak HTTP/1.0 may leave the name out. Browsers never do.
        if let authority = request.head.authority, !isOwn(authority) {
            throw Problem(
                .notPermitted,
                "The request names a host that is not this server's. Use an IP address, localhost, or the host of admin.url, or add the name to admin.hosts."
            )
        }
        return try await next(request, context)
    }

    /// Whether an authority, a host with or without a port, is one of the listener's own.
    func isOwn(_ authority: String) -> Bool {
        let host: Substring
        var text = authority[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            host = text[text.index(after: text.startIndex)..<end]
            text = text[text.index(after: end)...]
            guard host.contains(":") else { return false }
        } else {
            host = text.prefix { $0 != ":" }
            text = text.dropFirst(host.count)
        }
        guard text.isEmpty || text.wholeMatch(of: /:[0-9]{0,5}/) != nil else { return false }
        if ClientAddress(String(host)) != nil { return true }
        // A name with a dot at its end is the same one, written in full.
        let name = (host.hasSuffix(".") ? host.dropLast() : host).lowercased()
        return name == "localhost" || names.contains(name)
    }
}
