import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@Suite("Administrators", .enabled(if: Installed.isThere, Installed.reason))
struct AdministratorTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("an administrator creates another one, who is listed, works, and is removed at once")
    func administrators() async throws {
        try await TestServer.run(in: scratch) { server in
            let first = try #require(try await server.admin.administrators().first)
            #expect(first.isCaller && first.credential == nil)
            let grace = try await server.admin.createAdministrator("Grace")
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
                    try await server.admin.createAdministrator(name)
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
                let grace = try await server.admin.createAdministrator("Grace")
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

    private static func removes(_ id: String, _ admin: MienAdmin) async -> Bool {
        do { try await admin.removeAdministrator(id) } catch { return false }
        return true
    }
}
