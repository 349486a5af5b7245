import MienCore
import MienFace
import MienTesting
import Testing

@Suite("Galleries in parts")
struct PartitionedGalleryTests {
    private static func hash(_ id: Int) -> UInt64 {
        var bits = UInt64(truncatingIfNeeded: id) &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    @Test(
        "any number of parts gives the result of one, also for people who score the same",
        arguments: [1, 2, 3, 7])
    func exact(parts: Int) async throws {
        let matcher = try FaceMatcher.made(dimension: 20)
        var people = SyntheticPeople(seed: 21, dimension: 20)
        var divided = PartitionedGallery<Int>(matcher: matcher, parts: parts, hash: Self.hash)
        var whole = PartitionedGallery<Int>(matcher: matcher, parts: 1, hash: Self.hash)
        func reference() throws -> Reference {
            try matcher.reference(for: people.direction().map { Float($0) })
        }
        var random = SeededGenerator(seed: 4), twins: [Reference] = []
        for id in 0..<3000 {
            // One in ten has the face of somebody before, so scores are equal.
            let face =
                id % 10 == 9 ? try #require(twins.randomElement(using: &random)) : try reference()
            if id % 7 == 0 { twins.append(face) }
            divided.insert(face, id: id)
            whole.insert(face, id: id)
        }
        for id in stride(from: 0, to: 3000, by: 11) {
            #expect(divided.remove(id) && whole.remove(id) && !divided.contains(id))
        }
        #expect(divided.count == whole.count && divided.count == 2727)
        for limit in [1, 2, 5, 100, 5000] {
            for round in 0..<8 {
                let probe = round % 2 == 0 ? try reference() : twins[round]
                let expected = await whole.identify(probe, limit: limit)
                let found = await divided.identify(probe, limit: limit)
                #expect(found == expected, "\(parts) parts, limit \(limit)")
                #expect(found.count == min(limit, 2727))
                for threshold in [MatchScore(20), MatchScore(60)] {
                    let expected = await whole.identify(probe, limit: limit, threshold: threshold)
                    let found = await divided.identify(probe, limit: limit, threshold: threshold)
                    #expect(found == expected && found.allSatisfy { $0.score >= threshold })
                }
            }
        }
    }

    @Test("entries are spread evenly, replaced in place, and found in the part that has them")
    func parts() async throws {
        let matcher = try FaceMatcher.made(dimension: 20)
        var people = SyntheticPeople(seed: 22, dimension: 20)
        var gallery = PartitionedGallery<Int>(matcher: matcher, parts: 4, hash: Self.hash)
        #expect(gallery.isEmpty)
        for id in 0..<100 {
            for _ in 0..<2 {
                gallery.insert(
                    try matcher.reference(for: people.direction().map { Float($0) }), id: id)
            }
        }
        #expect(gallery.count == 100 && gallery.contains(99) && !gallery.contains(100))
        let sizes = (0..<4).map { part in (0..<100).count { Self.hash($0) % 4 == UInt64(part) } }
        #expect(sizes.allSatisfy { $0 > 10 })
        let probe = try matcher.reference(for: people.direction().map { Float($0) })
        #expect(await gallery.identify(probe, limit: 200).count == 100)
    }
}
