import MienCore
import MienTesting
import Testing

@testable import MienFace

/// Compares the answers of compact galleries with those in full precision.
@Suite struct CompactGalleryTests {
    struct World {
        let matcher: FaceMatcher
        var exact: PartitionedGallery<Int>
        var compact: CompactGallery<Int>
        var references: [Int: Reference] = [:]
        var people: SyntheticPeople

        init(seed: UInt64, dimension: Int) throws {
            matcher = try FaceMatcher.made(dimension: dimension)
            exact = PartitionedGallery(matcher: matcher, parts: 1) { UInt64($0) }
            compact = CompactGallery(matcher: matcher, products: .portable)
            people = SyntheticPeople(seed: seed, dimension: dimension)
        }

        mutating func vector() -> [Float] { people.direction().map { Float($0) } }

        mutating func insert(_ vector: [Float], id: Int) throws {
            let reference = try matcher.reference(for: vector)
            references[id] = reference
            exact.insert(reference, id: id)
            compact.insert(CompactVector(vector), reference.statistics, id: id)
        }

        /// Whether both had it.
        mutating func remove(_ id: Int) -> Bool {
            references[id] = nil
            let existed = [exact.remove(id), compact.remove(id)]
            return existed == [true, true]
        }

        /// The answers of both, and the number of comparisons in full precision.
        func answers(_ probe: [Float], limit: Int, threshold: MatchScore?) async throws -> (
            exact: [Gallery<Int>.Candidate], compact: [Gallery<Int>.Candidate], compared: Int
        ) {
            let reference = try matcher.reference(for: probe)
            let candidates = compact.candidates(
                for: reference, limit: limit, threshold: threshold)
            var search = ExactSearch(
                reference, candidates, matcher, limit: limit, threshold: threshold)
            var compared = 0
            while case let ids = search.wanted(atMost: 7), !ids.isEmpty {
                compared += ids.count
                for id in ids { search.compare(references[id], id: id) }
            }
            return (
                await exact.identify(reference, limit: limit, threshold: threshold), search.best,
                compared
            )
        }

        func agrees(_ probe: [Float]) async throws -> Bool {
            for limit in [1, 2, 10, 1000] {
                for threshold in [nil, MatchScore(0), MatchScore(24), MatchScore(48)] {
                    let (exact, compact, _) = try await answers(
                        probe, limit: limit, threshold: threshold)
                    guard exact.map(\.id) == compact.map(\.id),
                        zip(exact, compact).allSatisfy({
                            abs($0.normalizedScore - $1.normalizedScore) < 1e-3
                        })
                    else { return false }
                }
            }
            return true
        }
    }

    @Test(
        "random galleries: the answer is that of full precision",
        arguments: [(0, 20), (1, 20), (3, 1), (100, 64), (1025, 20), (1500, 128), (300, 130)])
    func random(count: Int, dimension: Int) async throws {
        var world = try World(seed: UInt64(count + dimension), dimension: dimension)
        for id in 0..<count { try world.insert(world.vector(), id: id) }
        for _ in 0..<5 {
            let probe = world.vector()
            #expect(try await world.agrees(probe))
        }
    }

    @Test("the same face many times, and faces that bytes cannot tell apart")
    func crowded() async throws {
        var world = try World(seed: 5, dimension: 40)
        let face = world.vector()
        for id in 0..<50 { try world.insert(face, id: 99 - id) }
        for id in 100..<400 {
            var near = face
            for k in near.indices {
                near[k] += Float.random(in: -1e-4...1e-4, using: &world.people.generator)
            }
            try world.insert(Self.unit(near), id: id)
        }
        for id in 400..<700 { try world.insert(world.vector(), id: id) }
        #expect(try await world.agrees(face))
        #expect(try await world.agrees(world.vector()))
    }

    @Test("one large element, and elements that bytes round to zero")
    func uneven() async throws {
        var world = try World(seed: 6, dimension: 33)
        for id in 0..<200 {
            var vector = world.vector().map { $0 * 1e-3 }
            vector[id % 33] = id % 2 == 0 ? 1 : -1
            try world.insert(Self.unit(vector), id: id)
        }
        for place in 0..<3 {
            var probe = world.vector().map { $0 * 1e-3 }
            probe[place] = 1
            #expect(try await world.agrees(Self.unit(probe)))
        }
    }

    @Test("few entries are compared in full precision")
    func few() async throws {
        var world = try World(seed: 7, dimension: 128)
        for id in 0..<3000 { try world.insert(world.vector(), id: id) }
        let known = try #require(world.references[17]).vector
        let found = try await world.answers(known, limit: 1, threshold: MatchScore(48))
        #expect(found.compact.first?.id == 17 && found.compared == 1)
    }

    @Test("answers stay right after insertions, replacements, and removals")
    func changes() async throws {
        var world = try World(seed: 8, dimension: 24)
        for step in 0..<400 {
            let id = world.people.generator.index(below: 60)
            if step % 3 == 0 {
                let isIn = world.references[id] != nil
                #expect(world.remove(id) == isIn)
            } else {
                try world.insert(world.vector(), id: id)
            }
            #expect(world.compact.count == world.references.count)
        }
        for id in 0..<60 { #expect(world.compact.contains(id) == (world.references[id] != nil)) }
        #expect(try await world.agrees(world.vector()))
        world.compact.removeAll()
        #expect(world.compact.isEmpty && !world.compact.contains(1))
    }

    @Test("the difference to a compact vector is never more than it says")
    func errors() {
        var people = SyntheticPeople(seed: 9, dimension: 64)
        for _ in 0..<200 {
            let vector = people.direction().map { Float($0) }, compact = CompactVector(vector)
            let squares = zip(vector, compact.bytes).reduce(0.0) {
                let difference = Double($1.0) - Double($1.1) * Double(compact.scale)
                return $0 + difference * difference
            }
            #expect(squares.squareRoot() <= Double(compact.error))
            #expect(compact.error < 0.03)
        }
        #expect("\(CompactVector([1, 0]))" == "‹sensitive›")
    }

    private static func unit(_ vector: [Float]) -> [Float] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / length }
    }
}
