import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@Suite("One name, one person", .enabled(if: Installed.isThere, Installed.reason))
struct IdentifierTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "a name that is taken as another kind of name is refused with the same words as one of the same kind"
    )
    func conflict() async throws {
        try await TestServer.run(in: scratch) { server in
            let headers = [
                "authorization": server.credential.use { "Bearer \($0)" },
                "content-type": "application/json",
            ]
            func create(_ body: String) async throws -> String {
                let answer = try await server.send(.post, "/v1/users", headers: headers, body)
                return answer.status == 201
                    ? "created" : "\(answer.status) \(JSONText.write(answer.body))"
            }
            #expect(
                try await create(
                    #"{"username": "ada", "email": "ada@example.org", "external_id": "CRM-1"}"#)
                    == "created")
            #expect(try await create(#"{"username": "bea"}"#) == "created")
            let plain = try await create(#"{"username": "ada"}"#)
            #expect(plain.hasPrefix("409"))
            for body in [
                #"{"external_id": "Ada"}"#, #"{"external_id": "ADA@example.org"}"#,
                #"{"username": "crm-1"}"#, #"{"email": "ada@example.org"}"#,
                #"{"username": "eve", "external_id": "ada"}"#,
            ] { #expect(try await create(body) == plain, "\(body)") }
            let bea = try #require(try await server.admin.findUser("bea"))
            for body in [#"{"external_id": "ada"}"#, #"{"username": "crm-1"}"#] {
                let answer = try await server.send(
                    .patch, "/v1/users/\(bea.id)", headers: headers, body)
                #expect(answer.status == 409)
            }
            #expect(try await server.admin.findUser("CRM-1")?.username == "ada")
            #expect(try await server.admin.findUser("bea")?.id == bea.id)
        }
    }

    @Test("each person signs in with every spelling of their name, and nobody else can take one")
    func spellings() async throws {
        try await TestServer.run(in: scratch) { server in
            let headers = [
                "authorization": server.credential.use { "Bearer \($0)" },
                "content-type": "application/json",
            ]
            func create(_ body: [String: JSONValue]) async throws -> Int {
                try await server.send(
                    .post, "/v1/users", headers: headers, JSONText.write(.object(body))
                ).status
            }
            let client = TokenClient(server: server)
            for (name, spellings) in [
                ("Οδυσσεύς", ["ΟΔΥΣΣΕΎΣ", "οδυσσεύσ"]), ("weiß", ["WEISS", "WEIẞ", "ｗｅｉｓｓ"]),
                ("İbrahim", ["ibrahim", "IBRAHIM", "İBRAHİM"]),
                ("maria", ["ma\u{200B}ria", "\u{202A}maria\u{202C}", "ma\u{AD}ria"]),
            ] {
                let password: JSONValue = "a password nobody has"
                #expect(try await create(["username": .string(name), "password": password]) == 201)
                for spelling in spellings {
                    #expect(try await client.signIn(spelling).status == 200, "\(spelling)")
                    let status = try await create([
                        "username": .string(spelling), "password": password,
                    ])
                    #expect(status == (spelling.contains("\u{202A}") ? 400 : 409), "\(spelling)")
                }
            }
            #expect(
                try await create([
                    "username": "jo", "email": "jo@bücher.example",
                    "password": "a password nobody has",
                ]) == 201)
            for spelling in ["jo@xn--bcher-kva.example", "JO@BÜCHER。EXAMPLE"] {
                #expect(try await create(["email": .string(spelling)]) == 409, "\(spelling)")
                #expect(try await client.signIn(spelling).status == 200, "\(spelling)")
            }
            #expect(
                try await create(["external_id": "jo@xn--bcher-kva.example"]) == 409,
                "as another kind of name")
            for name in ["m\u{430}ria", "evil\u{202E}", "\u{200B}", "a\u{2800}b"] {
                #expect(try await create(["username": .string(name)]) == 400, "\(name)")
            }
        }
    }

    @Test(
        "signing up with a taken external ID looks like signing up with a taken or free name"
    )
    func signUp() async throws {
        try await TestServer.run(in: scratch) { server in
            _ = try await server.admin.createUser(
                UserRequest(externalID: "CRM-1", username: "ada", email: "ada@example.org"))
            var ends: Set<String> = []
            for name in ["ada", "crm-1", "CRM-1", "bruno"] {
                let journey = try await server.client().start("sign-up")
                let answer = try await journey.respond(
                    "account",
                    [
                        "username": .string(name), "email": "eve@example.org",
                        "password": "a password nobody has",
                    ])
                ends.insert(
                    "\(answer.journeyStepId?.rawValue ?? "") "
                        + JSONText.write([answer.data ?? .null, answer.errorData ?? .null]))
            }
            #expect(ends.count == 1, "\(ends)")
        }
    }
}
