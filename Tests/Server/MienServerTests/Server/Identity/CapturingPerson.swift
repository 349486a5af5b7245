import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// A person who captures a verification session with its start token.
struct CapturingPerson: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let bytes: [UInt8]
        let body: JSONValue

        var code: String? { body["code"]?.stringValue }
        var missing: [String] {
            body["missing_images"]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
    }

    let server: any ServerUnderTest
    let token: String
    var headers: [String: String] = [:]

    static func send(
        _ method: HTTPTransportRequest.Method, _ url: String, token: String?,
        _ body: [UInt8] = [], type: String = "application/json",
        headers more: [String: String] = [:]
    ) async throws -> Answer {
        var headers = ["content-type": type].merging(more) { $1 }
        if let token { headers["authorization"] = "Bearer \(token)" }
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: url, headers: headers, body: body, timeout: .seconds(300)))
        return Answer(
            status: answer.status, headers: answer.headers, bytes: answer.body,
            body: (try? JSONText.parse(
                answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))) ?? .null)
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: [UInt8] = [],
        type: String = "application/json"
    ) async throws -> Answer {
        try await Self.send(
            method, server.url("/v1/verification" + path), token: token, body, type: type,
            headers: headers)
    }

    func send(_ path: String, json: JSONValue) async throws -> Answer {
        try await send(.post, path, Array(JSONText.write(json).utf8))
    }

    func session() async throws -> Answer { try await send(.get, "/session") }

    func consent() async throws {
        let version = try #require(try await session().body["consent"]?["version"])
        let answer = try await send("/consent", json: ["version": version])
        #expect(answer.status == 200 && answer.body["consent"] == nil, "\(answer.body)")
    }

    func choose(_ type: String = "idCard", country: String = "DE") async throws -> Answer {
        try await send(
            "/document", json: ["country": .string(country), "document_type": .string(type)])
    }

    /// Sends a picture in which no document is found, until it is taken.
    ///
    /// - Parameter refusals: How often it is refused. Over a whole session, each side is refused twice.
    func photograph(
        _ side: String, _ picture: [UInt8] = VerifyingUser.picture, refusals: Int = 2
    ) async throws {
        for isLast in Array(repeating: false, count: refusals) + [true] {
            let answer = try await put(side, picture)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.body["accepted"] == .bool(isLast), "\(answer.body)")
            guard !isLast else { continue }
            #expect(answer.body["recapture"]?["reasons"] == ["imageMissing"])
            #expect(answer.body["recapture"]?["hint"] == "no_document")
        }
    }

    func put(_ side: String, _ picture: [UInt8], type: String = "image/png") async throws
        -> Answer
    {
        try await send(.put, "/images/\(side)", picture, type: type)
    }

    /// Takes a selfie with a photo, where the app allows it.
    func selfie(_ photo: String = "obama") async throws {
        let opened = try await send(.post, "/selfie")
        let token = try #require(opened.body["start_token"]?.stringValue, "\(opened.body)")
        let taken = try await Self.send(
            .post, server.url("/v1/capture/frames"), token: token, Installed.photo(photo),
            type: "image/jpeg")
        #expect(taken.body["status"] == "passed", "\(taken.body)")
        // The session stores the picture, and the person is told before.
        #expect(taken.body["keeps_picture"] == true, "\(taken.body)")
    }

    /// Polls until the status is another one than `processing`.
    func judged() async throws -> Answer {
        try await Patience.see {
            try await session()
        } until: {
            $0.body["status"] != "processing"
        }
    }
}

/// An app that has people's identities verified.
struct RelyingParty: Sendable {
    let server: any ServerUnderTest
    let id: String
    private let client: TokenClient
    private(set) var access: String

    init(
        _ server: TestServer, _ id: String = "bank", settings: [String: JSONValue] = [:]
    ) async throws {
        try await self.init(server, by: server.admin, id, settings: settings)
    }

    init(
        _ server: any ServerUnderTest, by admin: MienAdmin, _ id: String = "bank",
        settings: [String: JSONValue] = [:]
    ) async throws {
        let made = try await admin.createApp(
            AppRequest(
                id: id, name: "The Bank", type: .confidential,
                settings: ["identity": .object(settings)]))
        let client = TokenClient(server: server, app: made.id, secret: made.clientSecret)
        (self.server, self.id, self.client) = (server, made.id, client)
        access = try #require(try await client.token("client_credentials")["access_token"])
    }

    /// Returns the app with another access token.
    func renewed() async throws -> Self {
        var result = self
        result.access = try #require(
            try await client.token("client_credentials")["access_token"])
        return result
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String = "", _ body: JSONValue? = nil
    ) async throws -> CapturingPerson.Answer {
        try await CapturingPerson.send(
            method, server.url("/verify/api/v1/verification" + path), token: access,
            body.map { Array(JSONText.write($0).utf8) } ?? [])
    }

    /// Creates a session and returns its ID, and the person who captures it.
    func begin(_ body: JSONValue = [:]) async throws -> (String, CapturingPerson) {
        let made = try await send(.post, "", body)
        let id = try #require(made.body["session_id"]?.stringValue, "\(made.body)")
        let token = try #require(made.body["start_token"]?.stringValue)
        #expect(made.status == 201)
        return (id, CapturingPerson(server: server, token: token))
    }
}
