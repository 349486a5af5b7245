import MienTesting
import Testing

@testable import MienCore

@Suite("Parts of galleries")
struct GalleryPartTests {
    private static let app = AppID("app_shop")!

    private static func ids(_ count: Int, seed: UInt64 = 3) -> [AuthenticatorID] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in .random(using: &random) }
    }

    @Test("each ID is in one part, whose span has it")
    func spans() {
        let odd = [
            "aut_", "aut_0", "aut_00", "aut_A", "aut_-", "aut_.", "aut__", "aut_z", "aut_zz", "b",
            "-", "zzz", "A", "aut", "aut_1",
        ].map { AuthenticatorID($0)! }
        for id in Self.ids(2000) + odd {
            let parts = GalleryPart.all.filter {
                $0.span.after < id.text && id.text <= $0.span.through
            }
            #expect(parts == [GalleryPart(of: id)], "\(id)")
        }
        #expect(GalleryPart(-1) == nil && GalleryPart(64) == nil && GalleryPart(63) != nil)
    }

    @Test("neighboring parts are read together")
    func joined() throws {
        let parts = GalleryPart.all
        #expect(GalleryPart.spans(of: parts) == [.init(after: "", through: "~")])
        #expect(GalleryPart.spans(of: []).isEmpty)
        let spans = GalleryPart.spans(of: [parts[9], parts[1], parts[63], parts[2], parts[8]])
        #expect(
            spans == [
                .init(after: parts[1].span.after, through: parts[2].span.through),
                .init(after: parts[8].span.after, through: parts[9].span.through),
                parts[63].span,
            ])
    }

    @Test("parts are equally large")
    func even() {
        var counts = [Int](repeating: 0, count: GalleryPart.count)
        for id in Self.ids(64_000) { counts[GalleryPart(of: id).number] += 1 }
        // The deviation of each is 31.
        #expect(counts.allSatisfy { (820...1180).contains($0) }, "\(counts)")
    }

    @Test("servers of every version divide in the same way")
    func known() {
        let servers = ["srv_a", "srv_b", "srv_c"]
        let text = GalleryPart.all.map {
            String($0.holder(app: Self.app, among: servers)!.last!)
        }.joined()
        #expect(text == "ccbcbaacbbbaabaabbbbaabbcabbbaccbbbcbbabaabbccabbccccabaacacaccb")
        #expect(GalleryPart(of: AuthenticatorID("aut_0c9JkYH2dTq4m8wXzR1aBg")!).number == 1)
        #expect(GalleryPart(of: AuthenticatorID("aut_z")!).number == 62)
    }

    @Test("when a server comes or goes, only its own parts move, and each has its share")
    func moving() throws {
        var random = SeededGenerator(seed: 8)
        let names = (0..<8).map { _ in
            "srv_" + Base64URL.encode(random.bytes(12))
        }
        var shares: [String: Int] = [:]
        for number in 0..<40 {
            let app = AppID("app_\(number)")!
            for part in GalleryPart.all {
                let holder = try #require(part.holder(app: app, among: names))
                shares[holder, default: 0] += 1
                #expect(part.holder(app: app, among: names.reversed()) == holder)
                for gone in names where gone != holder {
                    #expect(
                        part.holder(app: app, among: names.filter { $0 != gone }) == holder)
                }
                let next = part.holder(app: app, among: names.filter { $0 != holder })
                #expect(next != nil && next != holder)
            }
        }
        #expect(shares.values.allSatisfy { (240...400).contains($0) }, "\(shares)")
        #expect(GalleryPart.all[0].holder(app: Self.app, among: []) == nil)
    }
}
