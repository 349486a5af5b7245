import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

@Suite("Rate limits", .enabled(if: Installed.isThere, Installed.reason))
struct RateLimitTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "requests and starts are limited by address, by the forwarded one behind a trusted proxy, and by IPv6 /64"
    )
    func addresses() async throws {
        let settings = ["MIEN_LIMIT_STARTS_PER_MINUTE": "2", "MIEN_TRUST_PROXY": "true"]
        try await TestServer.run(in: scratch, settings: settings) { server in
            let connection = try await RawConnection.open(server.address)
            func start(_ forwarded: String) async throws -> RawAnswer {
                try await connection.post(
                    "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#,
                    ["x-forwarded-for": forwarded])
            }
            for _ in 1...2 { #expect(try await start("192.0.2.1").status == 200) }
            let limited = try await start("192.0.2.1")
            try limited.expect(.tooManyRequests)
            #expect(
                limited.headers["retry-after"] == "31",
                "one more after half a minute, plus a second of margin")
            // The client's own value precedes the one that the proxy added.
            try await start("198.51.100.7, 192.0.2.1").expect(.tooManyRequests)
            #expect(try await start("192.0.2.1, 198.51.100.7").status == 200)
            try await start("::ffff:192.0.2.1").expect(.tooManyRequests)

            #expect(try await start("2001:db8:1:2::1").status == 200)
            #expect(try await start("2001:DB8:1:2:ffff:1:2:3").status == 200)
            try await start("2001:db8:1:2:a::").expect(.tooManyRequests)
            #expect(
                try await start("2001:db8:1:3::1").status == 200,
                "the neighboring network counts separately")
            server.time.advance(.seconds(31))
            #expect(try await start("192.0.2.1").status == 200)
            try await start("192.0.2.1").expect(.tooManyRequests)

            // Malformed addresses are ignored: these requests count for the connection's own
            // address.
            for junk in ["unknown", "a.b.c.d"] { #expect(try await start(junk).status == 200) }
            for junk in [
                "1.2.3", "1.2.3.4.5", "1.2.3.256", "::g", "1::2::3", "1:2:3:4:5:6:7", "::1.2.3.4:5",
                String(repeating: "1", count: 60), "_hidden",
            ] {
                try await start(junk).expect(.tooManyRequests)
            }
        }
    }

    @Test(
        "wrong admin credentials count by the client's address, not the proxy's; the right one always passes"
    )
    func adminGuesses() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_ADMIN_TRUST_PROXY": "true"]) {
            server in
            let connection = try await RawConnection.open(server.adminAddress)
            func guess(_ credential: String, from address: String) async throws -> RawAnswer {
                try await connection.request(
                    "GET", "/v1/apps",
                    ["authorization": "Bearer \(credential)", "x-forwarded-for": address])
            }
            for _ in 1...10 {
                try await guess("adm_x.y", from: "192.0.2.1").expect(.invalidCredentials)
            }
            let limited = try await guess("adm_x.y", from: "192.0.2.1")
            try limited.expect(.tooManyRequests)
            #expect(limited.headers["retry-after"] != nil)
            try await guess("adm_x.y", from: "192.0.2.2").expect(.invalidCredentials)
            let right = server.credential.use { $0 }
            #expect(try await guess(right, from: "192.0.2.1").status == 200)
        }
    }

    @Test("without a trusted proxy, forwarded addresses are ignored")
    func untrusted() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_STARTS_PER_MINUTE": "3"]) {
            server in
            let connection = try await RawConnection.open(server.address)
            var statuses: [Int] = []
            for i in 1...5 {
                statuses.append(
                    try await connection.post(
                        "/v1/journeys/password-login/start",
                        #"{"client_id": "default_application"}"#,
                        ["x-forwarded-for": "192.0.2.\(i)"]
                    ).status)
            }
            #expect(statuses == [200, 200, 200, 429, 429])
        }
    }

    @Test(
        "guesses at one account count together from all addresses; unknown names count the same way"
    )
    func accounts() async throws {
        try await TestServer.run(
            in: scratch,
            settings: ["MIEN_LIMIT_GUESSES_PER_MINUTE": "3", "MIEN_TRUST_PROXY": "true"]
        ) { server in
            try await server.makeUser("ada", password: "a password nobody has")
            try await server.makeUser("eve", password: "a password nobody has")
            let connection = try await RawConnection.open(server.address)
            func logIn(_ name: String, _ password: String, from address: Int) async throws
                -> JSONValue?
            {
                let headers = ["x-forwarded-for": "192.0.2.\(address)"]
                let start = try await connection.post(
                    "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#,
                    headers)
                let body: JSONValue = [
                    "state": try start.json["state"] ?? .null, "option": "password",
                    "data": ["username": .string(name), "password": .string(password)],
                ]
                return try await connection.post(
                    "/v1/journeys/respond", JSONText.write(body), headers
                ).json["journey_step_id"]
            }
            for i in 1...3 {
                #expect(try await logIn("ada", "wrong password", from: i) != "success")
            }
            #expect(
                try await logIn("ada", "a password nobody has", from: 4) != "success",
                "not evaluated: too many guesses")
            #expect(
                try await logIn("eve", "a password nobody has", from: 4) == "success",
                "other accounts are not affected")
            server.time.advance(.seconds(61))
            #expect(try await logIn("ada", "a password nobody has", from: 5) == "success")
        }
    }
}
