import MienCore
import MienFace
import MienServerTesting
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// Servers on one PostgreSQL that divide the faces of an app.
@Suite(
    "Galleries that servers divide", .enabled(if: PostgresCluster.isInstalled),
    .timeLimit(.minutes(10)))
struct GalleryServersTests {
    private struct Servers {
        let world: GalleryWorld
        let workers: [GalleryWorker]
        let peers: [LocalPeers]
        let searches: [GallerySearch]
        let dead = Locked<Set<String>>([]), slow = Locked<Set<String>>([])

        init(_ count: Int, patience: Duration = .seconds(10)) async throws {
            world = try await GalleryWorld(servers: count)
            var workers: [GalleryWorker] = [], named: [String: GalleryWorker] = [:]
            for index in 0..<count {
                let worker = world.worker(index, threads: 1)
                workers.append(worker)
                named[Self.name(index)] = worker
            }
            self.workers = workers
            let all = Locked(named), dead = dead, slow = slow
            peers = (0..<count).map {
                LocalPeers(Self.name($0), all, dead: dead, slow: slow)
            }
            let (world, peers) = (world, peers)
            searches = (0..<count).map {
                world.search(workers[$0], peers[$0], patience: patience, store: $0)
            }
        }

        static func name(_ index: Int) -> String { "srv_\(index)" }

        /// Runs the servers while `body` does.
        func run(_ body: () async throws -> Void) async throws {
            let tasks = searches.map { search in Task { try await search.run() } }
            let result = await Result { try await body() }
            for task in tasks {
                task.cancel()
                _ = try? await task.value
            }
            try result.get()
        }

        var faces: Int { workers.reduce(0) { $0 + $1.load.faces } }

        /// Searches until the servers have all faces in memory.
        func warm() async throws {
            let query = try world.query(world.template())
            #expect(
                try await eventually {
                    _ = try await searches[0].search(query)
                    return faces == world.faces.count
                }, "\(faces) of \(world.faces.count)")
        }

        func compare(_ query: GalleryQuery, on server: Int = 0) async throws {
            let expected = try await world.expected(query)
            #expect(try await searches[server].search(query) == expected)
        }
    }

    @Test("each face is in the memory of one server, and every server finds all")
    func divided() async throws {
        let servers = try await Servers(3)
        try await servers.run {
            let world = servers.world
            var templates: [FaceTemplate] = []
            for _ in 0..<150 {
                templates.append(try world.template())
                try await world.register(templates[templates.count - 1])
            }
            try await servers.warm()
            #expect(servers.workers.allSatisfy { $0.load.faces > 20 })
            for (index, template) in templates.prefix(30).enumerated() {
                if index % 5 == 0 { try await world.register(world.template()) }
                if index % 7 == 0 { try await world.remove(at: 100) }
                let query = try world.query(template, limit: 8)
                for server in 0..<3 { try await servers.compare(query, on: server) }
            }
            #expect(servers.faces == world.faces.count, "and nowhere twice")
            // Erased on one server, gone on all.
            for _ in 0..<20 { try await world.erase(at: 0) }
            #expect(try await eventually { servers.faces == world.faces.count })
        }
    }

    @Test("a server that dies, or does not answer in time, is missed by no search")
    func failing() async throws {
        let servers = try await Servers(3, patience: .milliseconds(200))
        try await servers.run {
            let world = servers.world
            for _ in 0..<80 { try await world.register(world.template()) }
            try await servers.warm()
            let probe = try world.template()
            servers.slow.withLock { _ = $0.insert("srv_1") }
            let began = ContinuousClock.now
            try await servers.compare(world.query(probe))
            #expect(ContinuousClock.now - began >= .milliseconds(200), "it was asked")
            let asked = servers.peers[0].asked.withLock { $0["srv_1"] }
            try await servers.compare(world.query(probe))
            #expect(
                servers.peers[0].asked.withLock { $0["srv_1"] } == asked,
                "it is not waited for again")
            servers.dead.withLock { _ = $0.insert("srv_2") }
            try await servers.compare(world.query(probe))
            // The living one has taken the parts of both.
            try await servers.compare(world.query(probe))
            #expect(servers.workers[0].load.faces == 80)
            try await world.register(world.template())
            try await servers.compare(world.query(probe))
        }
    }

    @Test("a server answers from memory only, and asks no other one")
    func once() async throws {
        let servers = try await Servers(2)
        let world = servers.world
        for _ in 0..<30 { try await world.register(world.template()) }
        let query = try world.query(world.template())
        let bytes = GalleryMessage.bytes(of: query, parts: Set(GalleryPart.all))
        let answer = try await servers.peers[0].searchGallery(
            bytes, on: "srv_1", within: .seconds(1))
        // It has nothing in memory yet, and nobody loads it, because it does not run.
        #expect(GalleryMessage.answer(answer) == GalleryAnswer())
        #expect(servers.peers[1].asked.withLock { $0.isEmpty })
        try await servers.compare(query)
    }

    @Test("when servers come, they take their parts, and the others release them")
    func moving() async throws {
        let servers = try await Servers(2)
        let world = servers.world, alone = world.search(servers.workers[0])
        for _ in 0..<60 { try await world.register(world.template()) }
        let query = try world.query(world.template())
        _ = try await alone.search(query)
        #expect(servers.workers[0].load.faces == 60)
        let own = Set(
            GalleryPart.all.filter {
                $0.holder(app: .shop, among: ["srv_0", "srv_1"]) == "srv_0"
            })
        // Not at once, because the other one may still have to load them.
        await servers.workers[0].keep(own, of: .shop)
        #expect(servers.workers[0].load.faces == 60)
        await servers.workers[0].keep(own, of: .shop, unaskedFor: .zero)
        let kept = world.faces.count { own.contains(GalleryPart(of: $0.id)) }
        #expect(servers.workers[0].load.faces == kept)
        try await servers.compare(query)
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
