import MienAPI
import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

@Suite("Searches of galleries", .timeLimit(.minutes(10)))
struct GallerySearchTests {
    /// Memory, by the number of faces that it has room for.
    private static func memory(for faces: Int) -> Int {
        Gallery<FaceKey>.bytes(forEntries: faces, dimension: GalleryWorld.dimension)
    }

    /// Changes faces at random, and compares each search with one of the store.
    @Test(
        "memory gives the answer of the database, whatever is registered, replaced, and removed",
        arguments: [1, 2, 3, 4] as [UInt64])
    func exact(seed: UInt64) async throws {
        let world = try await GalleryWorld(seed: seed)
        let worker = world.worker(threads: Int(seed)), search = world.search(worker)
        // Room for a few parts only, so that most are read from the store.
        let small = world.search(world.worker(memoryBytes: Self.memory(for: 18) * 9, threads: 1))
        var templates: [FaceTemplate] = [], hits = 0
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 0...6, using: &world.random) {
                try await Self.change(world, &templates)
            }
            // Of somebody in the gallery, or of a stranger.
            let known =
                Bool.random(using: &world.random)
                ? templates.randomElement(using: &world.random) : nil
            let probe = try known ?? world.template()
            let own = world.faces.randomElement(using: &world.random)?.id
            let query = try world.query(
                probe, limit: [1, 3, 14, 64].randomElement(using: &world.random)!,
                threshold: [MatchScore(0), MatchScore(30), MatchScore(60)].randomElement(
                    using: &world.random)!, except: own.map { [$0] } ?? [])
            let expected = try await world.expected(query)
            let found = try await search.search(query)
            #expect(found == expected, "round \(round)")
            #expect(found.parts.count == GalleryPart.count)
            #expect(try await small.search(query) == expected, "round \(round)")
            hits += found.candidates.count
        }
        #expect(hits > 20 && worker.load.faces > 20)
        #expect((1..<worker.load.faces).contains(small.worker.load.faces))
    }

    private static func change(_ world: GalleryWorld, _ templates: inout [FaceTemplate])
        async throws
    {
        let index = world.faces.indices.randomElement(using: &world.random)
        switch Int.random(in: 0..<14, using: &world.random) {
        case 0: if let index { try await world.remove(at: index) }
        case 1: if let index { try await world.erase(at: index) }
        case 2:
            if let index { try await world.replace(at: index, with: world.template()) }
        case 3:
            // Away from the pack in use, and to it.
            if let index {
                try await world.replace(
                    at: index, with: world.template(pack: GalleryWorld.otherPack),
                    pack: GalleryWorld.otherPack)
            }
        case 4:
            try await world.register(
                world.template(pack: GalleryWorld.otherPack), pack: GalleryWorld.otherPack)
        case 5:
            try await world.register(world.template(), of: world.account(isTest: true))
        case 6: try await world.register(world.template(), app: .bank)
        case 7: try await world.register(world.template(), bytes: [1, 2, 3])
        case 8:
            // Somebody who looks exactly like another one.
            let twin = templates.randomElement(using: &world.random)
            try await world.register(world.template(twinOf: twin))
        default:
            let template = try world.template()
            templates.append(template)
            try await world.register(template)
        }
    }

    @Test("faces whose changes are no longer kept are read again")
    func pruned() async throws {
        let world = try await GalleryWorld()
        let worker = world.worker(), search = world.search(worker)
        let template = try world.template()
        try await world.register(template)
        let query = try world.query(template, limit: 64)
        #expect(try await search.search(query).candidates.count == 1)
        let account = try await world.account()
        let id = AuthenticatorID("aut_x")!,
            record = AuthenticatorRecord(
                id: id, account: account.id, type: .face, app: .shop, content: template.bytes,
                info: ["pack": .string(GalleryWorld.pack.text)], createdAt: .start)
        for _ in 0..<GalleryTable.keptChanges / 2 + 1 {
            try await world.store.write { tables in
                try tables.authenticators.insert(record, of: account)
                _ = try tables.authenticators.delete(id, of: account.id)
            }
        }
        try await world.store.write { try $0.authenticators.insert(record, of: account) }
        #expect(try await search.search(query).candidates.count == 2)
        #expect(worker.load.faces == 2)
        #expect(try await search.search(query) == world.expected(query))
    }

    @Test("a database that was set back is not taken for the one before")
    func setBack() async throws {
        let world = try await GalleryWorld()
        let search = world.search(world.worker())
        let first = try world.template(), second = try world.template()
        try await world.register(first)
        #expect(
            try await search.search(world.query(first, threshold: MatchScore(24))).candidates.count
                == 1)
        // The same number of changes, but others.
        _ = try await world.drivers[0].write(.always) { connection in
            for table in ["gallery_part", "gallery_change", "authenticator"] {
                _ = try connection.execute("DELETE FROM \(table)", [])
            }
        }
        let account = try await world.account()
        let record = AuthenticatorRecord(
            id: world.faces[0].id, account: account.id, type: .face, app: .shop,
            content: second.bytes, info: ["pack": .string(GalleryWorld.pack.text)],
            createdAt: .start)
        try await world.store.write { try $0.authenticators.insert(record, of: account) }
        for template in [first, second] {
            let query = try world.query(template, threshold: MatchScore(24))
            let found = try await search.search(query)
            let isThere = template == second
            #expect(found.candidates.isEmpty != isThere)
            #expect(try await found == world.expected(query))
        }
    }

    @Test("removed faces leave memory within seconds, without another search")
    func removed() async throws {
        let world = try await GalleryWorld()
        let worker = world.worker(), search = world.search(worker)
        for _ in 0..<20 { try await world.register(world.template()) }
        _ = try await search.search(world.query(world.template()))
        #expect(worker.load.faces == 20)
        let task = Task { try await search.run() }
        try await world.erase(at: 3)
        try await world.remove(at: 4)
        #expect(try await eventually { worker.load.faces == 18 })
        try await world.store.write { try $0.authenticators.deleteAll(ofApp: .shop) }
        #expect(try await eventually { worker.load.faces == 0 })
        task.cancel()
        _ = try? await task.value
        #expect(worker.load == GalleryWorker.Load(), "everything is released at the end")
    }

    @Test("memory is bounded, also while faces are registered, and idle apps make room")
    func bounded() async throws {
        let world = try await GalleryWorld()
        let bound = Self.memory(for: 20) * 12
        let worker = world.worker(memoryBytes: bound), search = world.search(worker)
        var templates: [FaceTemplate] = []
        for count in [30, 200, 300] {
            for _ in 0..<count {
                templates.append(try world.template())
                try await world.register(templates[templates.count - 1])
            }
            let query = try world.query(templates[0], limit: 5)
            #expect(try await search.search(query) == world.expected(query))
            #expect(worker.load.bytes <= bound && worker.load.faces > 0)
            // Parts of an app do not take turns in memory, which would read all of them each time.
            let held = worker.load
            _ = try await search.search(query)
            #expect(worker.load.faces >= held.faces && worker.load.bytes <= bound)
        }
        #expect(worker.load.faces < 200)
        // An app that was searched just now keeps its memory.
        try await world.register(templates[0], app: .bank)
        let query = try world.query(templates[0], app: .bank)
        let before = worker.load.faces
        #expect(try await search.search(query) == world.expected(query))
        #expect(worker.load.faces >= before)
        #expect(worker.load.bytes <= bound)
    }

    @Test("memory is accounted for, also if a part is dropped while it grows")
    func accounted() async throws {
        let world = try await GalleryWorld(), part = GalleryPart(7)!
        // One app has the part that grows, and two others the memory that it takes for that.
        let apps = [AppID.shop, .bank, AppID("app_more")!]
        let worker = world.worker(
            memoryBytes: Self.memory(for: 4) * 3, idleTime: .zero)
        let queries = try apps.map { try world.query(world.template(), app: $0) }
        for round in 0..<60 {
            for query in queries {
                // Begin each round with empty parts, so that their rooms are the smallest.
                while !world.faces.isEmpty { try await world.remove(at: 0) }
                _ = try await worker.search(query, in: [part], loading: .first)
            }
            for _ in 0..<6 {
                try await world.register(world.template(), app: apps[0], part: part)
            }
            // The part has room for four, so it takes that of another app, one after the other, while
            // everything is dropped.
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    _ = try await worker.search(queries[0], in: [part], loading: .first)
                }
                tasks.addTask {
                    for _ in 0..<200 {
                        if round % 2 == 0 { await worker.clear() }
                        await worker.keep([], of: apps[0], unaskedFor: .zero)
                        await Task.yield()
                    }
                }
                try await tasks.waitForAll()
            }
            await worker.clear()
            #expect(worker.load == GalleryWorker.Load(), "round \(round)")
        }
    }

    @Test("a probe of another pack, or of another cohort, finds nothing in memory")
    func otherPack() async throws {
        let world = try await GalleryWorld(), worker = world.worker()
        let template = try world.template()
        try await world.register(template)
        let parts = Set(GalleryPart.all), probe = try world.matcher.reference(for: template)
        func answer(_ pack: PackID, _ probe: Reference) async throws -> GalleryAnswer {
            try await worker.search(
                GalleryQuery(
                    app: .shop, pack: pack, probe: probe, limit: 1, threshold: MatchScore(0)),
                in: parts, loading: .first)
        }
        #expect(try await answer(GalleryWorld.otherPack, probe) == GalleryAnswer())
        #expect(worker.load.faces == 0)
        #expect(try await answer(GalleryWorld.pack, probe).parts == parts)
        let plain = FaceMatcher(
            dimension: GalleryWorld.dimension,
            calibration: try .made([(-2, -1), (12, -6)], normalization: .none))
        #expect(
            try await answer(GalleryWorld.pack, plain.reference(for: template)) == GalleryAnswer())
        let other = try FaceMatcher.made(dimension: 24)
        var people = SyntheticPeople(seed: 9, dimension: 24)
        let longer = try other.reference(for: people.direction().map { Float($0) })
        #expect(try await answer(GalleryWorld.pack, longer) == GalleryAnswer())
    }

    @Test(
        "a face that is committed before a search begins is seen by it, however busy the store is")
    func committed() async throws {
        let world = try await GalleryWorld(), search = world.search(world.worker())
        let store = world.store
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<12 {
                var accounts: [(AccountRecord, FaceTemplate, AuthenticatorID)] = []
                for _ in 0..<8 {
                    accounts.append(
                        (
                            try await world.account(), try world.template(),
                            .random(using: &world.random)
                        ))
                }
                let own = accounts, matcher = world.matcher
                tasks.addTask {
                    for (account, template, id) in own {
                        let record = AuthenticatorRecord(
                            id: id, account: account.id, type: .face, app: .shop,
                            content: template.bytes,
                            info: ["pack": .string(GalleryWorld.pack.text)], createdAt: .start)
                        try await store.write {
                            try $0.authenticators.insert(record, of: account)
                        }
                        let query = GalleryQuery(
                            app: .shop, pack: GalleryWorld.pack,
                            probe: try matcher.reference(for: template), limit: 1,
                            threshold: MatchScore(0))
                        #expect(try await search.search(query).candidates.first?.face == id)
                        _ = try await store.write {
                            try $0.authenticators.delete(id, of: account.id)
                        }
                        let after = try await search.search(query)
                        #expect(!after.candidates.contains { $0.face == id })
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}
