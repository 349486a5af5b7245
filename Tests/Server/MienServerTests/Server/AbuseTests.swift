import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

/// Sends malicious and malformed requests over a real socket. Each gets a problem document, and the
/// server keeps running.
@Suite("Abuse: requests", .enabled(if: Installed.isThere, Installed.reason))
struct AbuseTests {
    private let scratch: ScratchFolder
    private static let json = ["content-type": "application/json"]
    private static let start = "/v1/journeys/password-login/start"

    init() throws { scratch = try ScratchFolder() }

    private static func expectHealth(
        _ server: TestServer, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let connection = try await RawConnection.open(server.address)
        let health = try await connection.request("GET", "/healthz")
        #expect(
            try health.status == 200 && health.json == ["status": "alive"], sourceLocation: location
        )
        let ready = try await connection.request("GET", "/readyz")
        #expect(ready.status == 200, sourceLocation: location)
    }

    @Test(
        "bodies that are too large, of the wrong type, too deep, with duplicate keys, or not UTF-8 are rejected"
    )
    func bodies() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_BODY_BYTES": "2000"]) {
            server in
            let connection = try await RawConnection.open(server.address)
            let exact =
                #"{"client_id": "default_application", "flow_id": ""#
                + String(repeating: "x", count: 200) + #""}"#
            let padded = exact + String(repeating: " ", count: 2000 - exact.utf8.count)
            #expect(
                try await connection.post(Self.start, padded).status == 200,
                "2,000 bytes are accepted"
            )
            try await connection.post(Self.start, padded + " ").expect(.payloadTooLarge)
            // Without a content-length header.
            try await connection.send(
                "POST \(Self.start) HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            for _ in 0..<30 {
                try await connection.send("64\r\n\(String(repeating: " ", count: 100))\r\n")
            }
            try await connection.send("0\r\n\r\n")
            try #require(await connection.answer()).expect(.payloadTooLarge)

            for type in [
                "text/plain", "application/x-www-form-urlencoded", "application/jsonp",
                "multipart/form-data; boundary=x",
            ] {
                try await connection.request(
                    "POST", Self.start, ["content-type": type], Array("{}".utf8)
                ).expect(.unsupportedMediaType)
            }
            try await connection.request("POST", Self.start, [:], Array("{}".utf8)).expect(
                .unsupportedMediaType)
            #expect(
                try await connection.post(
                    Self.start, exact, ["content-type": "Application/JSON; charset=utf-8"]
                ).status == 200)

            func nested(_ depth: Int) -> String {
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            }
            for body in [
                nested(25), nested(900), String(repeating: "[", count: 1900),
                String(repeating: #"{"a":"#, count: 300), "", "{", "nul", "[]", "\"\"",
                "1e999",
                #"{"client_id": "default_application", "client_id": "default_application"}"#,
                "\u{FEFF}{}", #"{"client_id": "\ud800"}"#, "{} {}",
                "// {}\n{}",
            ] { try await connection.post(Self.start, body).expect(.invalidRequest) }
            for bytes in [
                [0xFF], [0x7B, 0x22, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D],
                [0x7B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x3A, 0x31, 0x7D], [0],
            ]
                as [[UInt8]]
            {
                try await connection.request("POST", Self.start, Self.json, bytes).expect(
                    .invalidRequest)
            }
            let unknown = try await connection.post(
                Self.start,
                #"{"client_id": "default_application", "clientId": 1, "b\r\nset-cookie: x": 2}"#)
            let fields = try unknown.expect(.invalidRequest).errors?.map(\.field) ?? []
            #expect(
                fields.contains("clientId")
                    && fields.allSatisfy { !$0.contains("\n") && !$0.contains("\r") }
                    && fields.count == 2, "\(fields)")
            try await Self.expectHealth(server)
        }
    }

    @Test(
        "used, foreign, truncated, overlong, and invented tokens are rejected, and so are expired sessions"
    )
    func tokens() async throws {
        try await TestServer.run(in: scratch) { server in
            let connection = try await RawConnection.open(server.address)
            func begin() async throws -> String {
                let answer = try await connection.post(
                    "/v1/journeys/face-login/start", #"{"client_id": "default_application"}"#)
                return try #require(answer.json["state"]?.stringValue)
            }
            func respond(_ state: String, _ option: String = "face") async throws -> RawAnswer {
                let body: JSONValue = [
                    "state": .string(state), "option": .string(option),
                    "data": ["user_identifier": "ada"],
                ]
                return try await connection.post("/v1/journeys/respond", JSONText.write(body))
            }
            let first = try await begin(), second = try await begin()
            let opened = try await respond(first)
            let startToken = try #require(
                opened.json["data"]?["start_token"]?.stringValue, "\(opened)")
            // Repeating a response gets the same answer; a different response is rejected.
            #expect(try await respond(first).json == opened.json)
            try await respond(first, "password").expect(.invalidState)
            let halves = (first.split(separator: "."), second.split(separator: "."))
            let credential = server.credential.use { $0 }
            for foreign in [
                "\(halves.0[0]).\(halves.1[1])", "\(halves.1[0]).\(halves.0[1])",
                String(second.dropLast()), second + "A", "",
                ".", "..",
                String(repeating: "a", count: 5000), "\(halves.1[0]).", "%00", "ünïcödé.ünïcödé",
            ] { try await respond(foreign).expect(.invalidState) }
            // Well-formed, but without a run.
            for other in [startToken, credential] {
                try await respond(other).expect(.noActiveJourney)
            }
            let admin = try await RawConnection.open(server.adminAddress)
            // No token works in place of another: a capture's token at the admin API, or an
            // administrator's at the capture.
            for token in [startToken, first, "adm_x.\(halves.0[1])", "", "Bearer"] {
                let answer = try await admin.request(
                    "GET", "/v1/users", ["authorization": "Bearer \(token)"])
                #expect(answer.headers["www-authenticate"] == "Bearer")
                try answer.expect(.invalidCredentials)
            }
            for token in [
                credential, second, String(startToken.dropLast()), "cap_x.\(halves.0[1])",
            ] {
                try await connection.request(
                    "GET", "/v1/capture", ["authorization": "Bearer \(token)"]
                ).expect(.invalidCredentials)
                try await connection.request(
                    "POST", "/v1/capture/frames",
                    ["authorization": "Bearer \(token)", "content-type": "image/jpeg"], [1]
                ).expect(.invalidCredentials)
            }
            #expect(
                try await connection.request(
                    "GET", "/v1/capture", ["authorization": "Bearer \(startToken)"]
                ).status == 200)
            // The capture expires first, then the run.
            server.time.advance(.seconds(121))
            try await connection.request(
                "GET", "/v1/capture", ["authorization": "Bearer \(startToken)"]
            ).expect(.captureClosed)
            try await connection.request(
                "POST", "/v1/capture/frames",
                ["authorization": "Bearer \(startToken)", "content-type": "image/jpeg"], [1]
            ).expect(.captureClosed)
            server.time.advance(.seconds(3600))
            try await respond(second).expect(.noActiveJourney)
            await server.server.sweep()
            try await respond(second).expect(.noActiveJourney)
            try await Self.expectHealth(server)
        }
    }

    @Test(
        "addresses with percent signs, dots, NULs, and great length are rejected, and so are unknown methods"
    )
    func addresses() async throws {
        try await TestServer.run(in: scratch) { server in
            let credential = server.credential.use { $0 },
                bearer = ["authorization": "Bearer \(credential)"]
            let connection = try await RawConnection.open(server.address),
                admin = try await RawConnection.open(server.adminAddress)
            for path in [
                "/v1/journeys/%/start", "/v1/journeys/%2/start", "/v1/journeys/%zz/start",
                "/v1/journeys/%00/start", "/v1/journeys/%ff%fe/start",
                "/v1/journeys/%c0%ae%c0%ae/start", "/v1/journeys/%2e%2e%2f%2e%2e/start",
                "/v1/journeys/" + String(repeating: "a", count: 4000) + "/start",
                "/v1/journeys/password-login%20/start",
                "/v1/journeys/%0d%0aset-cookie:%20a=b/start",
            ] {
                let answer = try await connection.post(
                    path, #"{"client_id": "default_application"}"#)
                #expect(answer.headers["set-cookie"] == nil)
                try answer.expect(.notFound)
            }
            for path in [
                "/v1/users/%", "/v1/users/%00", "/v1/users/%ff", "/v1/users/..%2fapps",
                "/v1/users/" + String(repeating: "a", count: 65),
            ] {
                try await admin.request("GET", path, bearer).expect(.invalidRequest)
            }
            for path in [
                "/v1/users?after=%ff", "/v1/audit?after=-1", "/v1/audit?after=99999999999999999999",
                "/v1/audit?user=%00", "/v1/users?after=",
            ] {
                try await admin.request("GET", path, bearer).expect(.invalidRequest)
            }
            for path in [
                "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//healthz/..", "/v1", "/v1/",
                "/HEALTHZ", "/healthz%00", "/.well-known/",
            ] {
                try await connection.request("GET", path).expect(.notFound)
            }
            // The absolute form of an address, as sent to proxies, is resolved on this server or
            // rejected, but never fetched.
            let absolute = try await admin.request("GET", "http://elsewhere.example/v1/users")
            #expect([400, 401, 404].contains(absolute.status))

            for method in ["OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "PROPFIND"] {
                let answer = try await connection.request(
                    method, "/healthz", method == "PUT" || method == "PATCH" ? Self.json : [:])
                try answer.expect(.methodNotAllowed)
                #expect(answer.headers["allow"] == "GET, HEAD")
                #expect(
                    !String(decoding: answer.body, as: UTF8.self).contains("localhost"),
                    "TRACE echoes nothing")
            }
            let head = try await connection.request("HEAD", "/healthz")
            #expect(
                head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "18")
            let headless = try await connection.request("HEAD", "/nowhere")
            #expect(headless.status == 404 && headless.body.isEmpty)
            #expect(
                try await connection.request("GET", "/healthz").status == 200,
                "responses to HEAD have no body")
            try await Self.expectHealth(server)
        }
    }

    /// Sends each request on its own connection. The server responds with 400 and closes the
    /// connection.
    @Test("ambiguous and malformed HTTP is rejected")
    func smuggling() async throws {
        try await TestServer.run(in: scratch) { server in
            let body = #"{"client_id": "default_application"}"#,
                head =
                    "POST \(Self.start) HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
            let hidden = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"
            let many = (0..<101).map { "x-\($0): a\r\n" }.joined()
            let long = String(repeating: "a", count: 400),
                together = (0..<50).map { "x-\($0): \(long)\r\n" }.joined()
            let requests: [String: String] = [
                "two lengths":
                    "\(head)content-length: \(body.utf8.count)\r\ncontent-length: 0\r\n\r\n\(body)",
                "two lengths in one": "\(head)content-length: \(body.utf8.count), 0\r\n\r\n\(body)",
                "length and chunks":
                    "\(head)content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)",
                "chunks and length":
                    "\(head)transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n\(hidden)",
                "chunked but not last":
                    "\(head)transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n\(hidden)",
                "another coding": "\(head)transfer-encoding: xchunked\r\n\r\n0\r\n\r\n\(hidden)",
                "negative length": "\(head)content-length: -1\r\n\r\n\(body)",
                "signed length": "\(head)content-length: +\(body.utf8.count)\r\n\r\n\(body)",
                "overlong length": "\(head)content-length: 99999999999999999999999\r\n\r\n\(body)",
                "length with a space": "\(head)content-length : \(body.utf8.count)\r\n\r\n\(body)",
                "chunk without size": "\(head)transfer-encoding: chunked\r\n\r\nzz\r\n",
                "chunk too large":
                    "\(head)transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
                "folded header": "\(head)x-a: b\r\n c: d\r\ncontent-length: 0\r\n\r\n",
                "header without name": "\(head): b\r\ncontent-length: 0\r\n\r\n",
                "NUL in a header": "\(head)x-a: b\0c\r\ncontent-length: 0\r\n\r\n",
                "bare CR in a header": "\(head)x-a: b\rc: d\r\ncontent-length: 0\r\n\r\n",
                "another version": "GET /healthz HTTP/3.7\r\nhost: a\r\n\r\n",
                "no method": "MAKE-COFFEE / HTTP/1.1\r\nhost: a\r\n\r\n",
                "not HTTP":
                    "\u{16}\u{03}\u{01}\u{02}\0\u{01}\0\u{01}\u{FC}\u{03}\u{03} is what TLS begins with\r\n\r\n",
                "a space in the address": "GET /health z HTTP/1.1\r\nhost: a\r\n\r\n",
                "one header too large":
                    "GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: \(String(repeating: "a", count: 20_000))\r\n\r\n",
                "headers too large together": "GET /healthz HTTP/1.1\r\nhost: a\r\n\(together)\r\n",
                "too many headers": "GET /healthz HTTP/1.1\r\nhost: a\r\n\(many)\r\n",
                "address too large":
                    "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nhost: a\r\n\r\n",
            ]
            for (name, request) in requests.sorted(by: { $0.key < $1.key }) {
                let connection = try await RawConnection.open(server.address)
                try await connection.send(request)
                let answer = try #require(try await connection.answer(), "\(name): no response")
                #expect(answer.headers["connection"] == "close" || answer.status == 400, "\(name)")
                try answer.expect(.invalidRequest, name)
                #expect(
                    try await connection.answer() == nil,
                    "\(name): one response, then the connection closes")
            }
            // Allowed requests, up to the limit.
            let connection = try await RawConnection.open(server.address)
            try await connection.send(
                "GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: \(String(repeating: "a", count: 12_000))\r\n\r\n"
            )
            #expect(try await connection.answer()?.status == 200)
            try await connection.send(hidden + hidden + hidden)
            for _ in 0..<3 {
                #expect(
                    try await connection.answer()?.status == 200,
                    "several requests on one connection")
            }
            try await Self.expectHealth(server)
        }
    }

    @Test("a well-formed request ID of a client is kept, and a malformed one is replaced")
    func requestIDs() async throws {
        try await TestServer.run(in: scratch) { server in
            let connection = try await RawConnection.open(server.address)
            for id in ["a", "3f2b-77_x.Z", String(repeating: "a", count: 64)] {
                #expect(
                    try await connection.request("GET", "/healthz", ["x-request-id": id]).headers[
                        "x-request-id"] == id)
                #expect(
                    try await connection.request("GET", "/nowhere", ["x-request-id": id]).headers[
                        "x-request-id"] == id)
            }
            var made: Set<String> = []
            for id in [
                "", "a b", String(repeating: "a", count: 65), "ä", "a\u{1B}[31m", "a,b", "\"x\"",
            ] {
                // A control character makes this malformed HTTP, which closes the connection. The
                // response still has an ID.
                let connection = try await RawConnection.open(server.address)
                let given = try #require(
                    try await connection.request("GET", "/healthz", ["x-request-id": id]).headers[
                        "x-request-id"])
                #expect(given != id && !given.isEmpty)
                made.insert(given)
            }
            #expect(made.count == 7, "each request has its own ID")
        }
    }
}
