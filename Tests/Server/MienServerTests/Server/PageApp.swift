import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

/// An app that signs people in on the server's pages.
struct PageApp: Sendable {
    static let redirect = "https://app.example.org/back"
    static let verifier = String(repeating: "v", count: 43)
    static let challenge = Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))

    let server: TestServer
    let id: String
    let secret: String?

    /// Creates the app, confidential and first-party by default.
    static func create(
        _ server: TestServer, id: String = "web", type: AppType = .confidential,
        isFirstParty: Bool = true, _ settings: [String: JSONValue] = [:]
    ) async throws -> PageApp {
        let base: [String: JSONValue] = [
            "redirect_uris": [.string(redirect)], "sign_in_page": true,
        ]
        let made = try await server.admin.createApp(
            AppRequest(
                id: id, name: "Web", type: type, isFirstParty: isFirstParty,
                settings: .object(base.merging(settings) { $1 })))
        return PageApp(server: server, id: id, secret: made.clientSecret)
    }

    var client: TokenClient { TokenClient(server: server, app: id, secret: secret) }

    /// An authorization request; `nil` leaves a parameter out.
    func query(_ changed: [String: String?] = [:]) -> String {
        var all: [String: String?] = [
            "response_type": "code", "client_id": id, "redirect_uri": Self.redirect,
            "scope": "openid", "state": "s-1", "nonce": "n-1", "code_challenge": Self.challenge,
            "code_challenge_method": "S256",
        ]
        all.merge(changed) { $1 }
        return Self.form(all)
    }

    static func form(_ fields: [String: String?]) -> String {
        fields.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
            .sorted().joined(separator: "&")
    }

    /// Signs in on the page, and returns the answer that leads back to the app.
    func visit(
        _ changed: [String: String?] = [:], in browser: PageBrowser? = nil, as name: String = "ada"
    ) async throws -> PageBrowser.Page {
        try await (browser ?? PageBrowser(server.address)).signIn(
            "/oauth2/authorize?\(query(changed))", name: name)
    }

    /// The parameters that a request without PKCE leaves out.
    static let withoutPKCE: [String: String?] = [
        "code_challenge": nil, "code_challenge_method": nil,
    ]

    func redeem(_ code: String?, _ changed: [String: String?] = [:]) async throws
        -> TokenClient.Answer
    {
        var fields: [String: String?] = [
            "code": code ?? "", "redirect_uri": Self.redirect, "code_verifier": Self.verifier,
        ]
        fields.merge(changed) { $1 }
        return try await client.token(
            "authorization_code", fields.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Signs in, and redeems the code.
    func tokens(_ changed: [String: String?] = [:], in browser: PageBrowser? = nil)
        async throws -> TokenClient.Answer
    {
        let page = try await visit(changed, in: browser)
        let code = try #require(page.parameters["code"], "\(page.status) \(page.location ?? "")")
        let answer = try await redeem(code)
        try #require(answer.status == 200, "\(answer.body)")
        return answer
    }
}
