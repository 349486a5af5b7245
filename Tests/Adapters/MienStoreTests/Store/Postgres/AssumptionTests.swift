import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

/// Two servers on one database.
@Suite(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"))
struct AssumptionTests {
    private let test: TestStore
    private let other: Store

    init() async throws {
        test = try await TestStore(.postgres)
        other = try await Store(
            PostgresTestDatabases.driver(for: test.folder), keys: TestStore.keys)
        try await store.write { tables in
            try tables.apps.insert(Self.app)
            try tables.runs.insert(Self.run)
        }
    }

    private var store: Store { test.store }

    private static let app = AppRecord(
        id: .shop, name: "Shop", type: .public, settings: AppSettings(), createdAt: .start)
    private static let run = JourneyRunRecord(
        id: InstanceID("run_1")!, app: .shop, journey: JourneyID("login")!, tokenHash: [1],
        state: Sensitive([1]), expiresAt: .start + .seconds(60))

    /// Changes an app from outside the request.
    private func changeApp() async throws {
        try await Task.detached { [other] in
            _ = try await other.write { try $0.apps.update(Self.app, at: .start) }
        }.value
    }

    private func put(_ id: String, _ durability: Durability = .process) async throws {
        try await store.write(durability) { try $0.codes.put(id, hash: [1], expiresAt: .start) }
    }

    private func codes() async throws -> [String] {
        try await test.rows("SELECT id FROM one_time_code ORDER BY id").map { try $0.text(0) }
    }

    /// The version that the server keeps.
    private func known() async throws -> Int64 { try await store.changeVersion(of: .apps) }

    @Test(arguments: [Durability.always, .process])
    func `a write on what still holds is made, and nothing is asked before`(durability: Durability)
        async throws
    {
        let version = try await known()
        let result: Int?? = try await store.assuming {
            #expect(try await store.changeVersion(of: .apps, known: version) == version)
            try await put("a", durability)
            return 7
        }
        #expect(result == 7)
        #expect(try await codes() == ["a"])
    }

    @Test(arguments: [Durability.always, .process])
    func `a write on what another server has changed is not made`(durability: Durability)
        async throws
    {
        let version = try await known()
        try await changeApp()
        let result: Void? = try await store.assuming {
            #expect(try await store.changeVersion(of: .apps, known: version) == version)
            try await put("a", durability)
        }
        #expect(result == nil)
        let swallowed: Void? = try await store.assuming {
            _ = try await store.changeVersion(of: .apps, known: version)
            try await store.write(durability) { tables in
                for id in ["b", "c"] { try? tables.codes.put(id, hash: [1], expiresAt: .start) }
            }
        }
        #expect(swallowed != nil, "the body saw no error")
        #expect(try await codes() == [])
        #expect(try await known() > version)
    }

    @Test func `a change between the first look and the write counts`() async throws {
        let version = try await known()
        let result: Void? = try await store.assuming {
            _ = try await store.changeVersion(of: .apps, known: version)
            try await changeApp()
            try await put("a")
        }
        #expect(result == nil)
        #expect(try await codes() == [])
    }

    @Test func `a refusal rests on what holds`() async throws {
        struct Refused: Error {}
        let version = try await known()
        func refused() async throws -> Void? {
            try await store.assuming {
                _ = try await store.changeVersion(of: .apps, known: version)
                throw Refused()
            }
        }
        await #expect(throws: Refused.self) { _ = try await refused() }
        try await changeApp()
        #expect(try await refused() == nil)
    }

    @Test func `a request that has written something is not repeated`() async throws {
        struct Refused: Error {}
        let version = try await known()
        await #expect(throws: Refused.self) {
            let _: Void? = try await store.assuming {
                _ = try await store.changeVersion(of: .apps, known: version)
                try await put("a")
                try await changeApp()
                try await put("b")
                #expect(try await store.changeVersion(of: .apps, known: version) == version)
                #expect(try await store.changeVersion(of: .journeys, known: 99) < 99)
                throw Refused()
            }
        }
        #expect(try await codes() == ["a", "b"])
    }

    @Test func `what was confirmed is not asked again, and a change before it ends the request`()
        async throws
    {
        let version = try await known()
        let result: Void? = try await store.assuming {
            _ = try await store.changeVersion(of: .apps, known: version)
            try await store.confirmAssumptions()
            // Another request's change may come before or after this one.
            try await changeApp()
            try await store.confirmAssumptions()
            #expect(try await store.changeVersion(of: .apps, known: version) == version)
            try await put("a")
        }
        #expect(result != nil)
        let outdated: Void? = try await store.assuming {
            _ = try await store.changeVersion(of: .apps, known: version)
            try await store.confirmAssumptions()
            Issue.record("the effects must not begin")
        }
        #expect(outdated == nil)
        #expect(try await codes() == ["a"])
    }

    @Test(arguments: [0, 1, 2])
    func `the run of a request is compared before effects`(place: Int) async throws {
        let run = Assumptions.Run(Self.run.id, revision: 0)
        if place == 1 {
            try await other.write { try $0.runs.advance(Self.run, from: 0) }
        } else if place == 2 {
            #expect(try await test.sql("DELETE FROM journey_run") == 1)
        }
        let result: Void? = try await store.assuming(run) { try await store.confirmAssumptions() }
        #expect((result != nil) == (place == 0))
    }

    @Test func `a task that outlives its request assumes nothing`() async throws {
        let version = try await known()
        let task = try #require(
            try await store.assuming {
                _ = try await store.changeVersion(of: .apps, known: version)
                return Task {
                    while Assumptions.current != nil { await Task.yield() }
                    try await changeApp()
                    try await put("late")
                    return try await store.changeVersion(of: .apps, known: version)
                }
            })
        #expect(try await task.value > version)
        #expect(try await codes() == ["late"])
    }

    @Test func `a server alone on its database asks nothing`() async throws {
        let alone = try await TestStore(.sqlite)
        let result = try await alone.store.assuming { Assumptions.current == nil }
        #expect(result == true)
    }
}
