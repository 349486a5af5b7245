import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

@Suite("Administrators", .enabled(if: Installed.isThere, Installed.reason))
struct AdministratorTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("an administrator creates another one, who is listed, works, and is removed at once")
    func administrators() async throws {
        try await TestServer.run(in: scratch) { server in
            let first = try #require(try await server.admin.administrators().first)
            #expect(first.isCaller && first.credential == nil)
            let grace = try await server.admin.createAdministrator("Grace", as: .owner)
            #expect(grace.name == "Grace" && !grace.isCaller && grace.id != first.id)
            let credential = Sensitive(try #require(grace.credential))
            let second = try MienAdmin(
                MienOptions(serverPath: server.adminAddress, retry: RetryPolicy(attempts: 1)),
                credential: credential)
            let listed = try await second.administrators()
            #expect(Set(listed.map(\.id)) == [first.id, grace.id])
            #expect(
                listed.allSatisfy { $0.credential == nil && $0.isCaller == ($0.id == grace.id) })
            _ = try await second.apps()

            let own = await #expect(throws: MienError.self) {
                try await second.removeAdministrator(grace.id)
            }
            #expect(own?.problem?.code == .conflict)
            try await server.admin.removeAdministrator(grace.id)
            let refused = await #expect(throws: MienError.self) { try await second.apps() }
            #expect(refused?.problem?.code == .invalidCredentials)
            let again = await #expect(throws: MienError.self) {
                try await server.admin.removeAdministrator(grace.id)
            }
            #expect(again?.problem?.code == .notFound)
            for name in ["", "a\nb", String(repeating: "a", count: 101)] {
                let error = await #expect(throws: MienError.self) {
                    try await server.admin.createAdministrator(name, as: .auditor)
                }
                #expect(error?.problem?.errors?.first?.field == "name")
            }
            #expect(try await server.admin.administrators().map(\.id) == [first.id])
            let events = try await server.admin.audit().items.filter {
                $0.event.hasPrefix("administrator.")
            }
            #expect(
                events.map(\.event) == ["administrator.created", "administrator.removed"]
                    && events.allSatisfy { $0.actor == first.id })
            #expect(!server.logs.text.contains(credential.use { $0.suffix(43) }))
        }
    }

    @Test("administrators who remove each other at the same moment leave one")
    func mutualRemoval() async throws {
        try await TestServer.run(in: scratch) { server in
            let first = try #require(try await server.admin.administrators().first)
            for _ in 0..<8 {
                let grace = try await server.admin.createAdministrator("Grace", as: .owner)
                let second = try MienAdmin(
                    MienOptions(serverPath: server.adminAddress, retry: RetryPolicy(attempts: 1)),
                    credential: Sensitive(try #require(grace.credential)))
                async let one = Self.removes(grace.id, server.admin)
                async let two = Self.removes(first.id, second)
                let (removedSecond, removedFirst) = await (one, two)
                #expect(removedSecond != removedFirst)
                guard removedSecond else { return }
            }
        }
    }

    @Test(
        "each role may send exactly the requests that its permissions name, and others change nothing"
    )
    func everyCell() async throws {
        try await TestServer.run(in: scratch) { server in
            for role in AdminRole.allCases {
                let created = try await server.admin.createAdministrator(role.rawValue, as: role)
                let credential = try #require(created.credential)
                for (name, needed) in AdminOperations.all.sorted(by: { $0.key < $1.key }) {
                    let permission = needed.permission
                    let answer = try await Self.send(name, to: server, with: credential)
                    #expect(
                        (answer.status == 403) != role.permissions.contains(permission),
                        "\(role) \(name): \(answer.status)")
                    // Nobody changes sign-in methods with a credential.
                    let needsSession =
                        try answer.status == 401
                        && JSONText.parse(answer.body)["code"]
                            == "insufficient_user_authentication"
                    #expect(
                        needsSession == (needed.signIn == .freshSession), "\(role) \(name)")
                    #expect(
                        answer.status < 500 && (answer.status != 401 || needsSession),
                        "\(role) \(name)")
                    if answer.status == 403 {
                        let problem = try JSONText.parse(answer.body)
                        #expect(problem["code"] == "not_permitted")
                        #expect(
                            problem["detail"]?.stringValue?.contains("“\(role.rawValue)”") == true)
                    }
                }
            }
            // Refused requests changed nothing.
            #expect(try await server.admin.administrators().count == 1 + AdminRole.allCases.count)
        }
    }

    /// Sends a request that names nothing that exists and has an empty body, so that whatever it
    /// would change stays.
    private static func send(_ name: String, to server: TestServer, with credential: String)
        async throws -> HTTPTransportResponse
    {
        let (method, path) = try #require(
            name.split(separator: " ").map(String.init).pair, "\(name)")
        let address = path.replacing(/\{[a-z]+\}/, with: "none")
        return try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: try #require(HTTPTransportRequest.Method(rawValue: method)),
                url: server.adminAddress + address,
                headers: [
                    "authorization": "Bearer \(credential)", "content-type": "application/json",
                ], body: Array("{}".utf8)))
    }

    @Test("a changed role applies from the next request on, and owners keep their own")
    func changedRole() async throws {
        try await TestServer.run(in: scratch) { server in
            let first = try #require(try await server.admin.administrators().first)
            let grace = try await server.admin.createAdministrator("Grace", as: .operator)
            let second = try MienAdmin(
                MienOptions(serverPath: server.adminAddress, retry: RetryPolicy(attempts: 1)),
                credential: Sensitive(try #require(grace.credential)))
            _ = try await second.apps()
            #expect(try await second.administrator().role == .known(.operator))
            let changed = try await server.admin.changeAdministrator(grace.id, to: .reviewer)
            #expect(changed.role == .known(.reviewer) && changed.id == grace.id)
            let refused = await #expect(throws: MienError.self) { try await second.apps() }
            #expect(refused?.problem?.code == .notPermitted)
            let promoted = await #expect(throws: MienError.self) {
                try await second.changeAdministrator(grace.id, to: .owner)
            }
            #expect(promoted?.problem?.code == .notPermitted)
            let own = await #expect(throws: MienError.self) {
                try await server.admin.changeAdministrator(first.id, to: .auditor)
            }
            #expect(own?.problem?.code == .conflict)
            let unknown = await #expect(throws: MienError.self) {
                try await server.admin.changeAdministrator(
                    "adm_0c9JkYH2dTq4m8wXzR1aBg", to: .auditor)
            }
            #expect(unknown?.problem?.code == .notFound)
            let events = try await server.admin.audit().items.filter {
                $0.event == "administrator.changed"
            }
            #expect(events.count == 1 && events.first?.actor == first.id)
        }
    }

    private static func removes(_ id: String, _ admin: MienAdmin) async -> Bool {
        do { try await admin.removeAdministrator(id) } catch { return false }
        return true
    }
}

extension [String] {
    /// The two elements; `nil` unless there are exactly two.
    fileprivate var pair: (String, String)? { count == 2 ? (self[0], self[1]) : nil }
}
