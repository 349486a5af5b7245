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
