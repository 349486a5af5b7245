import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienIdentity
import MienMedia
import Testing

/// A signed-in user who sends the requests of identity verification.
struct VerifyingUser: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue
        /// The error's identifier, without the common prefix.
        var error: String? {
            body["error_id"]?.stringValue.map {
                String($0.dropFirst(IdentityError.Code.prefix.count))
            }
        }
        var field: String? { body["errors"]?.arrayValue?.first?["field"]?.stringValue }
    }

    static let john: [String: JSONValue] = [
        "firstName": "JOHN", "lastName": "smith", "address": "222333 PEACHTREE PLACE",
        "postalCode": "30318", "country": "US", "dateOfBirth": "1975-02-28",
    ]

    let server: any ServerUnderTest
    let access: String

    /// Signs a user in who exists.
    static func signedIn(
        _ name: String = "ada", on server: any ServerUnderTest, app: String = "default_application",
        consents: Bool = true
    ) async throws -> VerifyingUser {
        let answer = try await TokenClient(server: server, app: app).signIn(name)
        let user = VerifyingUser(server: server, access: try #require(answer["access_token"]))
        if consents { try await user.consent() }
        return user
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String = "", _ body: [UInt8] = [],
        type: String = "application/json"
    ) async throws -> Answer {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.url("/v1/identity" + path),
                headers: ["content-type": type, "authorization": "Bearer \(access)"], body: body,
                timeout: .seconds(300)))
        return Answer(
            status: answer.status,
            body: answer.body.isEmpty ? .null : try JSONText.parse(answer.body))
    }

    func send(_ path: String, json: [String: JSONValue]) async throws -> Answer {
        try await send(.post, path, Array(JSONText.write(.object(json)).utf8))
    }

    func consent() async throws {
        let content = try await send(.get, "/consent/content")
        let version = try #require(content.body["version"])
        #expect(try await send("/consent", json: ["version": version]).status == 200)
    }

    /// Verifies personal data.
    func verify(_ changed: [String: JSONValue?] = [:]) async throws -> Answer {
        var input = Self.john
        for (name, value) in changed { input[name] = value }
        return try await send("/verify", json: input)
    }

    /// Sends a document. Parts that are `nil` are left out.
    func document(
        _ path: String = "/document", _ changed: [String: [UInt8]?] = [:]
    ) async throws -> Answer {
        var parts: [String: [UInt8]] = [
            "image": Self.picture, "backImage": Self.picture, "country": Array("US".utf8),
            "documentType": Array("driverLicense".utf8),
        ]
        for (name, value) in changed { parts[name] = value }
        return try await send(
            .post, path, Self.form(parts), type: "multipart/form-data; boundary=limit")
    }

    static func form(_ parts: [String: [UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, content) in parts.sorted(by: { $0.key < $1.key }) {
            body += Array(
                "--limit\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
            body += content + [0x0D, 0x0A]
        }
        return body + Array("--limit--\r\n".utf8)
    }

    /// A PNG of 2 × 2 pixels.
    static let picture = PNGEncoder.encode(RGBImage(width: 2, height: 2, filledWith: .white))
}
