import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import Testing

/// An app that has keys of its own: it authenticates with them, pushes requests, and signs them.
struct KeyedApp: Sendable {
    let page: PageApp
    let signer: SoftwareSigner
    /// The key to which the app's tokens are bound.
    var proofKey: SoftwareSigner?
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    var server: TestServer { page.server }

    static func keySet(_ signer: SoftwareSigner, id: String = "k1") -> JSONValue {
        [
            "keys": [
                .object(
                    (signer.publicKey.jwk.objectValue ?? [:]).merging(["kid": .string(id)]) { $1 })
            ]
        ]
    }

    static func create(
        _ server: TestServer, id: String = "bank",
        _ settings: [String: JSONValue] = ["token_endpoint_auth_method": "private_key_jwt"],
        algorithm: DeviceKeyAlgorithm = .es256
    ) async throws -> KeyedApp {
        let signer = try SoftwareSigner.generate(algorithm)
        let page = try await PageApp.create(
            server, id: id, settings.merging(["jwks": keySet(signer)]) { $1 })
        return KeyedApp(page: page, signer: signer)
    }

    /// A message that the app signs; `nil` leaves a claim out.
    func signed(
        _ claims: [String: JSONValue?], header: [String: JSONValue] = ["kid": "k1"],
        by signer: SoftwareSigner? = nil
    ) async throws -> String {
        try await JWS.sign(
            header: header,
            payload: Array(JSONText.write(.object(claims.compactMapValues { $0 })).utf8),
            with: signer ?? self.signer)
    }

    func assertion(
        _ changed: [String: JSONValue?] = [:], header: [String: JSONValue] = ["kid": "k1"],
        by signer: SoftwareSigner? = nil
    ) async throws -> String {
        let now = Double(server.time.now.seconds)
        let claims: [String: JSONValue?] = [
            "iss": .string(page.id), "sub": .string(page.id), "aud": .string(server.address),
            "jti": .string(UUID().uuidString), "iat": .number(now), "exp": .number(now + 60),
        ]
        return try await signed(claims.merging(changed) { $1 }, header: header, by: signer)
    }

    /// Sends a form as the app, with an assertion of its own unless one is given.
    func post(
        _ path: String, _ fields: [String: String?], assertion: String? = nil, proof: String? = nil
    ) async throws -> TokenClient.Answer {
        let assertion = try await assertion.orElse { try await self.assertion() }
        var all: [String: String?] = [
            "client_assertion_type": Self.assertionType, "client_assertion": assertion,
        ]
        all.merge(fields) { $1 }
        var client = page.client
        client.key = proofKey
        return try await client.post(
            path, all.compactMap { name, value in value.map { (name, $0) } },
            headers: proof.map { ["dpop": $0] } ?? [:])
    }

    /// Pushes an authorization request.
    func push(_ changed: [String: String?] = [:], proof: String? = nil) async throws
        -> TokenClient.Answer
    {
        let fields = try FormFields(parsing: page.query(changed)).pairs.map { ($0.name, $0.value) }
        return try await post(
            "/oauth2/par", Dictionary(fields.map { ($0.0, Optional($0.1)) }) { $1 }, proof: proof)
    }

    /// The address at which a browser goes on with a pushed request.
    func address(of pushed: TokenClient.Answer) throws -> String {
        let uri = try #require(pushed["request_uri"], "\(pushed.body)")
        return "/oauth2/authorize?" + PageApp.form(["client_id": page.id, "request_uri": uri])
    }

    func redeem(_ code: String?, _ changed: [String: String?] = [:], proof: String? = nil)
        async throws -> TokenClient.Answer
    {
        var fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code ?? "",
            "redirect_uri": PageApp.redirect, "code_verifier": PageApp.verifier,
        ]
        fields.merge(changed) { $1 }
        return try await post("/oauth2/token", fields, proof: proof)
    }
}
