import Foundation
import MienClient
import MienCore
import Testing

/// A browser without scripts: keeps cookies, and fills in the forms of the server's pages.
actor PageBrowser {
    struct Page: Sendable {
        /// The path and query of its address.
        let address: String
        let status: Int
        let location: String?
        let text: String
        let headers: [String: String]

        /// The parameters of the address that it redirects to.
        var parameters: [String: String] {
            let items = location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
            return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        }

        /// The value of a hidden field.
        func hidden(_ name: String) -> String? {
            text.firstMatch(
                of: try! Regex(
                    "name=\"\(name)\" value=\"([^\"]*)\"", as: (Substring, Substring).self)
            )
            .map { String($0.output.1) }
        }

        /// The page's complaint about the last form.
        var complaint: String? {
            text.firstMatch(of: /role="alert"><p>([^<]*)</).map { String($0.output.1) }
        }
    }

    let server: String
    private(set) var cookies: [String: String] = [:]
    /// The last `Set-Cookie` of each name, with its attributes.
    private(set) var setCookies: [String: String] = [:]

    init(_ server: String) { self.server = server }

    func setCookie(_ name: String, _ value: String?) { cookies[name] = value }

    func get(_ address: String) async throws -> Page { try await send(.get, address, nil) }

    func post(_ address: String, _ fields: [String: String], headers: [String: String] = [:])
        async throws -> Page
    {
        let body = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(PercentEncoding.encode(value))"
        }.joined(separator: "&")
        return try await send(.post, address, body, headers)
    }

    /// Sends what the script of a page sends.
    func post(_ address: String, json: JSONValue, csrf: String) async throws -> Page {
        try await send(
            .post, address, JSONText.write(json),
            ["content-type": "application/json", "x-mien-csrf": csrf])
    }

    private func send(
        _ method: HTTPTransportRequest.Method, _ address: String, _ body: String?,
        _ added: [String: String] = [:]
    ) async throws -> Page {
        var headers = added
        if body != nil, headers["content-type"] == nil {
            headers["content-type"] = "application/x-www-form-urlencoded"
        }
        if !cookies.isEmpty {
            headers["cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
                .joined(separator: "; ")
        }
        let url = address.hasPrefix("http") ? address : server + address
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: url, headers: headers, body: Array((body ?? "").utf8),
                timeout: .seconds(60)))
        for cookie in (answer.headers["set-cookie"] ?? "").split(separator: ", ") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard let name = pair.first.map(String.init) else { continue }
            setCookies[name] = String(cookie)
            cookies[name] =
                cookie.contains("Max-Age=0") || pair.count < 2 ? nil : String(pair[1])
        }
        return Page(
            address: address, status: answer.status, location: answer.headers["location"],
            text: String(decoding: answer.body, as: UTF8.self), headers: answer.headers)
    }

    /// Opens an address and follows redirects within the server.
    func open(_ address: String) async throws -> Page {
        var page = try await get(address)
        while let location = page.location, location.hasPrefix("/") {
            page = try await get(location)
        }
        return page
    }

    /// Sends a page's form.
    func submit(_ page: Page, _ fields: [String: String]) async throws -> Page {
        var fields = fields
        fields["csrf"] = page.hidden("csrf")
        fields["turn"] = page.hidden("turn")
        return try await post(page.address, fields)
    }

    /// Sends a form twice at once, as a double click does, and once more afterwards.
    func thrice(_ address: String, _ fields: [String: String]) async throws -> [Page] {
        let others = [PageBrowser(server), PageBrowser(server)]
        for other in others {
            for (name, value) in cookies { await other.setCookie(name, value) }
        }
        async let first = others[0].post(address, fields)
        async let second = others[1].post(address, fields)
        return try await [first, second, post(address, fields)]
    }

    /// Signs in with a name and a password at an address that leads to the sign-in page, and gives
    /// a third-party app the permission that it asks for.
    ///
    /// - Returns: The answer to the form: a redirect to the app, or the form again.
    func signIn(
        _ address: String, name: String = "ada", password: String = "a password nobody has"
    ) async throws -> Page {
        let page = try await open(address)
        guard page.status == 200, page.location == nil else { return page }
        let answer = try await submit(
            page, ["option": "password", "f_username": name, "f_password": password])
        guard let next = answer.location, next.hasPrefix("/signin/") else { return answer }
        return try await submit(try await get(next), ["action": "allow"])
    }
}
