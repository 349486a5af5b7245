import MienCore
import MienFace
import MienTesting
import Testing

@testable import MienServer

@Suite("What is kept and sent of galleries")
struct GalleryMessageTests {
    @Test("keys name their IDs, and are ordered as these")
    func keys() throws {
        var random = SeededGenerator(seed: 1)
        var ids = (0..<500).map { _ in AuthenticatorID.random(using: &random) }
        for id in ids {
            guard case .random = FaceKey(id) else {
                Issue.record("\(id) takes more memory than it needs")
                continue
            }
        }
        // Such as those of tests, and two that differ in the last bits only.
        let odd = [
            "aut_1", "aut_", "b", "aut_0c9JkYH2dTq4m8wXzR1aBh", "aut_0c9JkYH2dTq4m8wXzR1aBg",
            "aut_0c9JkYH2dTq4m8wXzR1aBw", "aut_.c9JkYH2dTq4m8wXzR1aBg", "-", "zzz",
            "aut_0c9JkYH2dTq4m8wXzR1aB", "aut_0c9JkYH2dTq4m8wXzR1aBgg",
            "aut_----------------------", "aut_zzzzzzzzzzzzzzzzzzzzzw",
        ]
        ids += try odd.map { try #require(AuthenticatorID($0)) }
        for id in ids { #expect(FaceKey(id).id == id) }
        #expect(Set(ids.map { FaceKey($0) }).count == ids.count)
        #expect(ids.sorted().map { FaceKey($0) } == ids.map { FaceKey($0) }.sorted())
        #expect(MemoryLayout<FaceKey>.stride == 24)
    }

    private static func query() throws -> (GalleryQuery, Set<GalleryPart>) {
        let matcher = try FaceMatcher.made(dimension: 20)
        var people = SyntheticPeople(seed: 5, dimension: 20)
        let probe = try matcher.reference(for: people.direction().map { Float($0) })
        return (
            GalleryQuery(
                app: AppID("app_shop")!, pack: try PackID("made-1"), probe: probe, limit: 14,
                threshold: MatchScore(48.5),
                except: [AuthenticatorID("aut_1")!, AuthenticatorID("aut_2")!]),
            [GalleryPart.all[0], GalleryPart.all[63], GalleryPart.all[7]]
        )
    }

    private static var answer: GalleryAnswer {
        var answer = GalleryAnswer()
        answer.candidates = [
            .init(face: AuthenticatorID("aut_1")!, normalizedScore: 7.25),
            .init(face: AuthenticatorID("aut_2")!, normalizedScore: -1),
        ]
        (answer.damaged, answer.parts) = (3, [GalleryPart.all[63], GalleryPart.all[1]])
        return answer
    }

    @Test("a query and an answer arrive as they were sent")
    func roundTrip() throws {
        let (query, parts) = try Self.query()
        let bytes = GalleryMessage.bytes(of: query, parts: parts)
        let (again, sameParts) = try #require(GalleryMessage.query(bytes))
        #expect(sameParts == parts && again.app == query.app && again.pack == query.pack)
        #expect(again.probe == query.probe && again.statistics == query.statistics)
        #expect(again.limit == 14 && again.threshold == MatchScore(48.5))
        #expect(again.exceptions == query.exceptions)
        let answer = Self.answer
        #expect(GalleryMessage.answer(GalleryMessage.bytes(of: answer)) == answer)
    }

    @Test("a query prints nothing of the face")
    func hidden() throws {
        let (query, _) = try Self.query()
        var dumped = ""
        dump(query, to: &dumped)
        #expect("\(query)" == "‹sensitive›" && !dumped.contains("probe"), "\(dumped)")
    }

    @Test("what is shorter, longer, or out of range is rejected, and nothing else is read into it")
    func malformed() throws {
        let (query, parts) = try Self.query()
        let asked = GalleryMessage.bytes(of: query, parts: parts)
        let answered = GalleryMessage.bytes(of: Self.answer)
        for length in 0..<asked.count {
            #expect(GalleryMessage.query(Array(asked.prefix(length))) == nil)
        }
        for length in 0..<answered.count {
            #expect(GalleryMessage.answer(Array(answered.prefix(length))) == nil)
        }
        #expect(GalleryMessage.query(asked + [0]) == nil)
        #expect(GalleryMessage.answer(answered + [0]) == nil)
        #expect(GalleryMessage.query(answered) == nil && GalleryMessage.answer(asked) == nil)
        // The limit, the threshold (not a number, and the zero with a sign), the mean, and the
        // deviation.
        for (offset, bytes) in [
            (12, [0]), (12, [65]), (13, Array(repeating: 255, count: 8)),
            (13, [0, 0, 0, 0, 0, 0, 0, 128]),
            (21, [0, 0, 192, 127]), (25, [0, 0, 0, 0]),
        ] as [(Int, [UInt8])] {
            var changed = asked
            changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            #expect(GalleryMessage.query(changed) == nil, "\(offset)")
        }
        // Any flipped bit is rejected or gives another message of the same form.
        for bit in 0..<asked.count * 8 {
            var changed = asked
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            if let again = GalleryMessage.rewritten(query: changed) { #expect(again == changed) }
        }
        for bit in 0..<answered.count * 8 {
            var changed = answered
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            if let again = GalleryMessage.rewritten(answer: changed) { #expect(again == changed) }
        }
    }

    @Test("the longest messages fit")
    func longest() throws {
        let long = AuthenticatorID(String(repeating: "x", count: 64))!
        let query = GalleryQuery(
            app: AppID(String(repeating: "x", count: 64))!,
            pack: try PackID(String(repeating: "x", count: 62) + "-1"),
            vector: Array(repeating: 0, count: 1024),
            statistics: .unnormalized, limit: GalleryQuery.maxLimit, threshold: MatchScore(0),
            except: Array(repeating: long, count: GalleryQuery.maxExceptions))
        let bytes = GalleryMessage.bytes(of: query, parts: Set(GalleryPart.all))
        #expect(bytes.count <= GalleryMessage.maxBytes)
        #expect(GalleryMessage.query(bytes)?.parts.count == GalleryPart.count)
        var answer = GalleryAnswer()
        answer.candidates = Array(
            repeating: .init(face: long, normalizedScore: 1), count: GalleryQuery.maxLimit)
        #expect(GalleryMessage.bytes(of: answer).count <= GalleryMessage.maxBytes)
        #expect(GalleryMessage.answer(GalleryMessage.bytes(of: answer)) == answer)
    }
}
