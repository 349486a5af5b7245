import MienAPI
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// Searches for duplicate faces that two whole servers divide between them.
@Suite(
    "Searches for duplicate faces divided between servers", .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason),
    .enabled(if: OpenSSL.isThere, OpenSSL.reason))
struct PassedSearchTests {
    private static let warning = "could not be searched there"

    private static func register(_ name: String, _ photo: String, at server: TestServer)
        async throws
    {
        try await server.makeUser(name)
        guard case .success = try await server.registerFace(name, photo: photo) else {
            Issue.record("\(name) was not registered")
            return
        }
        let store = server.server.parts.store
        try await eventually {
            try await store.read { try $0.duplicateSearches.count() } == 0
        }
        if try await store.read({ try $0.duplicateSearches.count() }) > 0 {
            Issue.record(
                "the search for \(name) waits; the log ends: \(server.logs.text.suffix(2000))")
        }
    }

    private static func pairs(_ server: TestServer) async throws -> Set<Set<String>> {
        var names: [String: String] = [:]
        for name in ["ada", "bob", "eve", "joe"] {
            guard let user = try await server.admin.findUser(name) else { continue }
            names[user.id] = name
        }
        return try await Set(
            server.admin.duplicateCases().items.map {
                [names[$0.user] ?? "?", names[$0.otherUser] ?? "?"]
            })
    }

    @Test(
        "each holds a part, both find what the other holds, and one left alone finds everything at once"
    )
    func divided() async throws {
        try await WholeServers().run { first, second in
            _ = try await first.admin.updateApp(
                AppID("default_application")!,
                AppRequest(name: "Shop", settings: ["duplicate_faces": ["min_score": 48]]))
            try await Self.register("ada", "obama", at: first)
            try await Self.register("bob", "biden", at: second)
            try await Self.register("eve", "obama2", at: first)
            try await #expect(Self.pairs(second) == [["ada", "eve"]])
            // Each face is in the memory of one server.
            let workers = [first, second].map { $0.server.parts.galleries.worker }
            try await eventually { workers.reduce(0) { $0 + $1.load.faces } == 3 }
            for server in [first, second] { #expect(!server.logs.text.contains(Self.warning)) }
            // Either server has searched last. From here on, the second one has the lease.
            let name = DuplicateFaceSearch.lease, store = second.server.parts.store
            let holders = [first, second].map { $0.server.parts.duplicateSearch.holder }
            try await store.write { try $0.leases.release(name, of: holders[0]) }
            let lease = try await store.takeLease(
                name, for: holders[1], at: second.time.now, lasting: .seconds(600))
            #expect(lease != nil)
        } afterwards: { first in
            // The clock stands still, so the lease has not ended by itself.
            try await Self.register("joe", "obama3", at: first)
            try await #expect(
                Self.pairs(first) == [["ada", "eve"], ["ada", "joe"], ["eve", "joe"]])
            let worker = first.server.parts.galleries.worker
            try await eventually { worker.load.faces == 4 }
        }
    }
}
