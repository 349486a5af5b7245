import MienCore
import MienFace
import MienTesting
import Testing

/// Compares the gallery with a scan of all pairs through the matcher.
@Suite struct GalleryTests {
    struct World {
        let matcher: FaceMatcher
        var gallery: Gallery<String>
        var references: [String: Reference] = [:]
        var people: SyntheticPeople

        init(count: Int, dimension: Int = 20) throws {
            matcher = try FaceMatcher.made(dimension: dimension)
            gallery = Gallery(matcher: matcher)
            people = SyntheticPeople(seed: UInt64(count), dimension: dimension)
            for i in 0..<count { try insert("entry \(i)") }
        }

        mutating func reference() throws -> Reference {
            try matcher.reference(for: people.direction().map { Float($0) })
        }

        mutating func insert(_ id: String) throws {
            references[id] = try reference()
            gallery.insert(references[id]!, id: id)
        }

        mutating func remove(_ id: String) -> Bool {
            references[id] = nil
            return gallery.remove(id)
        }

        func byHand(_ probe: Reference, limit: Int) -> [(id: String, score: Float)] {
            let all = references.map {
                (id: $0.key, score: matcher.normalizedScore(probe, $0.value))
            }
            return Array(all.sorted { $0.score > $1.score }.prefix(limit))
        }

        func agrees(_ probe: Reference, limit: Int) -> Bool {
            let found = gallery.identify(probe, limit: limit),
                expected = byHand(probe, limit: limit)
            return found.map(\.id) == expected.map(\.id)
                && zip(found, expected).allSatisfy { abs($0.normalizedScore - $1.score) < 1e-3 }
        }
    }

    @Test(
        "identification finds the same best entries as a full scan",
        arguments: [0, 1, 2, 3, 100, 1024, 1500])
    func bruteForce(count: Int) throws {
        var world = try World(count: count)
        for limit in [1, 3, 10, 2000] {
            let probe = try world.reference()
            #expect(world.agrees(probe, limit: limit))
        }
    }

    @Test("dimensions that fill no block give the same results", arguments: [1, 15, 16, 17, 33])
    func dimensions(dimension: Int) throws {
        var world = try World(count: 50, dimension: dimension)
        let probe = try world.reference()
        let found = world.gallery.identify(probe, limit: 50).map(\.normalizedScore)
        #expect(
            zip(found, world.byHand(probe, limit: 50)).allSatisfy { abs($0 - $1.score) < 1e-2 }
                && found.count == 50)
    }

    @Test("results stay right after random insertions, replacements, and removals")
    func changes() throws {
        var world = try World(count: 20)
        for step in 0..<200 {
            let id = "entry \(world.people.generator.index(below: 30))",
                isIn = world.references[id] != nil
            if step % 3 == 0 {
                #expect(world.remove(id) == isIn)
            } else {
                try world.insert(id)
            }
            #expect(
                world.gallery.count == world.references.count
                    && world.gallery.contains(id) == (world.references[id] != nil))
            if step % 10 == 0 {
                let probe = try world.reference()
                #expect(world.agrees(probe, limit: 5))
            }
        }
    }

    @Test("a threshold accepts exactly the entries that reach it")
    func threshold() throws {
        var world = try World(count: 300)
        let probe = try world.reference()
        let all = world.gallery.identify(probe, limit: 300)
        for rank in [0, 5, 50] {
            let threshold = all[rank].score
            #expect(
                world.gallery.identify(probe, limit: 300, threshold: threshold)
                    == all.filter { $0.score >= threshold })
        }
        #expect(
            world.gallery.identify(probe, limit: 300, threshold: MatchScore(72))
                == all.filter { $0.score >= MatchScore(72) })
    }

    @Test("a gallery is a value")
    func value() throws {
        var world = try World(count: 3)
        let copy = world.gallery
        _ = world.remove("entry 1")
        #expect(copy.count == 3 && copy.contains("entry 1") && !world.gallery.contains("entry 1"))
    }
}
