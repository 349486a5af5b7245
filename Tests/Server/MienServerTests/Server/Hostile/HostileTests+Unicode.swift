import Foundation
import MienAPI
import MienCore
import MienTesting
import Synchronization
import Testing

/// Comparing, hashing, or normalizing n unordered combining marks takes on the order of n² steps:
/// 11.7 s for 64 KB of them.
extension HostileTests {
    /// Alternates marks of two classes, so that all of them have to be sorted.
    private static func marks(bytes: Int) -> String {
        String(repeating: "\u{301}\u{316}", count: bytes / 4)
    }

    @Test(
        "a stranger stops the server with text of combining marks that takes seconds to compare"
    )
    func combiningMarks() async throws {
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
                "MIEN_LIMIT_STARTS_PER_MINUTE": "1000000",
            ])
        let admin = try server.admin(try #require(server.credential))
        _ = try await admin.createUser(
            UserRequest(
                username: "ada", email: "ada@example.org", password: "a password nobody has"))
        let (marks, encoded) = (
            Self.marks(bytes: 60_000), String(repeating: "%CC%81%CC%96", count: 5_000)
        )
        let start = #"{"client_id": "default_application"}"#, json = "application/json",
            form = "application/x-www-form-urlencoded"
        let begun = try await RawConnection.open(server.address).post(
            "/v1/journeys/password-login/start", start)
        let state = try #require(try begun.json["state"]?.stringValue)
        let attacks: [(name: String, path: String, type: String, body: String)] = [
            ("key", "/v1/journeys/password-login/start", json, "{\"\(marks)\": 1}"),
            (
                "nested keys", "/v1/journeys/password-login/start", json,
                "{\"client_id\": {\"\(marks)\": 1}}"
            ),
            (
                "client_id", "/v1/journeys/password-login/start", json,
                "{\"client_id\": \"\(marks)\"}"
            ),
            (
                "option", "/v1/journeys/respond", json,
                "{\"state\": \"\(state)\", \"option\": \"\(marks)\"}"
            ),
            (
                "user name", "/v1/journeys/respond", json,
                "{\"state\": \"\(state)\", \"option\": \"password\", \"data\": {\"username\": \"\(marks)\", \"password\": \"\(marks)\"}}"
            ),
            ("form name", "/oauth2/token", form, "\(marks)=1"),
            ("encoded form name", "/oauth2/token", form, "\(encoded)=1"),
            ("form value", "/oauth2/token", form, "grant_type=\(marks)"),
            ("client", "/oauth2/token", form, "client_id=\(encoded)"),
        ]
        let probe = Probe()
        let clock = ContinuousClock()
        let attacked = try await withThrowingTaskGroup(of: Duration?.self) { tasks in
            tasks.addTask {
                let connection = try await RawConnection.open(server.address)
                while !probe.isOver.withLock({ $0 }) {
                    let began = clock.now
                    #expect(try await connection.request("GET", "/healthz").status == 200)
                    probe.slowest.withLock { [took = clock.now - began] in $0 = max($0, took) }
                    try await Task.sleep(for: .milliseconds(5))
                }
                return nil
            }
            tasks.addTask {
                let began = clock.now
                try await withThrowingTaskGroup(of: Void.self) { attackers in
                    for attack in attacks {
                        attackers.addTask {
                            let connection = try await RawConnection.open(server.address)
                            for _ in 0..<2 {
                                let answer = try await connection.request(
                                    "POST", attack.path, ["content-type": attack.type],
                                    Array(attack.body.utf8))
                                #expect(
                                    (400..<500).contains(answer.status),
                                    "\(attack.name): \(answer.status)")
                            }
                        }
                    }
                    try await attackers.waitForAll()
                }
                probe.isOver.withLock { $0 = true }
                return clock.now - began
            }
            return try await tasks.reduce(nil) { $0 ?? $1 }
        }
        // Each of the 18 requests took up to 11.7 s before the fix. Shared machines stall now and
        // then, but not for that long.
        #expect(try #require(attacked) < .seconds(15))
        #expect(
            probe.slowest.withLock { $0 } < .seconds(3),
            "a probe waited \(probe.slowest.withLock { $0 })")
        // The attacked sign-in continues.
        let body: JSONValue = [
            "state": .string(state), "option": "password",
            "data": ["username": "ada", "password": "a password nobody has"],
        ]
        let answer = try await RawConnection.open(server.address).post(
            "/v1/journeys/respond", JSONText.write(body))
        #expect(try answer.json["token"] != nil)
        #expect(await server.stop() == 0)
    }

    @Test("a stranger stops the server by putting such text into a URL or a header field")
    func combiningMarksInHead() async throws {
        let server = try await ServeProcess.start(in: scratch), marks = Self.marks(bytes: 15_000)
        for head in [
            "GET /oauth2/authorize?\(marks)=1 HTTP/1.1\r\nhost: a\r\n",
            "GET /\(marks) HTTP/1.1\r\nhost: a\r\n",
            "GET /healthz HTTP/1.1\r\nhost: \(marks)\r\n",
            "POST /oauth2/token HTTP/1.1\r\nhost: a\r\ncontent-type: \(marks)\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\nauthorization: \(marks)\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\ncookie: \(marks)\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\nx-anything: \(marks)\r\n",
        ] {
            let connection = try await RawConnection.open(server.address)
            try await connection.send(head + "\r\n")
            try #require(await connection.answer()).expect(.invalidRequest, String(head.prefix(20)))
            try await connection.closed()
        }
        // Proxies send city names, so moderate non-ASCII text must work.
        let connection = try await RawConnection.open(server.address)
        #expect(
            try await connection.request("GET", "/healthz", ["cf-ipcity": "São Paulo, Hà Nội, 東京"])
                .status == 200)
        #expect(await server.stop() == 0)
    }

    @Test("a stranger hides a parameter behind one that is equal in Unicode but not in bytes")
    func equivalentNames() async throws {
        let server = try await ServeProcess.start(in: scratch),
            connection = try await RawConnection.open(server.address)
        // Swift considers KELVIN SIGN and the letter K equal.
        #expect("\u{212A}" == "K")
        for body in [
            #"{"client_id": "default_application", "additional_params": {"caf\#u{e9}": 1, "cafe\#u{301}": 2}}"#,
            #"{"client_id": "default_application", "additional_params": {"\#u{212A}": 1}}"#,
        ] {
            try await connection.post("/v1/journeys/password-login/start", body).expect(
                .invalidRequest)
        }
        #expect(await server.stop() == 0)
    }
}

/// State shared by a prober and the attack.
private final class Probe: Sendable {
    let slowest = Mutex(Duration.zero)
    let isOver = Mutex(false)
}
