import Foundation
import MienClient

/// A person in a browser who signs in on the server's page with a password. Runs no scripts.
struct PageVisitor: Sendable {
    let user, password: String
    private let transport = AsyncHTTPTransport()

    /// Goes to a page, fills in its form, and follows the pages until one has the app's scheme.
    func visit(_ page: URL, until scheme: String) async throws -> URL {
        var cookies: [String: String] = [:], address = page.absoluteString
        var form: String?
        for _ in 0..<10 {
            if address.hasPrefix(scheme + ":") { return try require(URL(string: address)) }
            var headers = [
                "cookie": cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
                "accept": "text/html",
            ]
            if form != nil {
                headers["content-type"] = "application/x-www-form-urlencoded"
                headers["origin"] = String(
                    address.prefix(address.count - (URL(string: address)?.path.count ?? 0)))
            }
            let response = try await transport.send(
                HTTPTransportRequest(
                    method: form == nil ? .get : .post, url: address, headers: headers,
                    body: Array((form ?? "").utf8)))
            for match in (response.headers["set-cookie"] ?? "").matches(
                of: /(?:^|, )([A-Za-z_-]+)=([^;,]*)/)
            { cookies[String(match.1)] = String(match.2) }
            form = nil
            if let location = response.headers["location"] {
                address =
                    URL(string: location, relativeTo: URL(string: address))?.absoluteString
                    ?? location
                continue
            }
            let text = String(decoding: response.body, as: UTF8.self)
            guard let step = text.firstRange(of: "id=\"step-form\"") else {
                throw Failure(
                    description: "no form on the page: \(response.status) \(text.suffix(1500))")
            }
            var fields = [("f_username", user), ("f_password", password)]
            for match in text[step.upperBound...].prefix(while: { $0 != "\u{0}" }).prefix(1500)
                .matches(
                    of: /type="hidden" name="([a-z]+)" value="([^"]*)"/)
            where !fields.contains(where: { $0.0 == String(match.1) }) {
                fields.append((String(match.1), String(match.2)))
            }
            form = fields.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        }
        throw Failure(description: "the pages did not end")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
