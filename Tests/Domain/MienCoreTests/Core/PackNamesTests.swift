import MienCore
import Testing

@Suite("Names of packs") struct PackNamesTests {
    @Test("a former name equals the present one and keeps its text")
    func formerName() throws {
        let former = try PackID("mien-default-1"), now = try PackID("mien-basic-1")
        #expect(former == now && Set([former, now]).count == 1)
        #expect(former.text == "mien-default-1" && former.current.text == "mien-basic-1")
        #expect(former.allNames == ["mien-basic-1", "mien-default-1"])
        #expect(try former != PackID("mien-default-2") && now != PackID("mien-basic-2"))
        let other = try PackID("other-1")
        #expect(other.current.text == "other-1" && other.allNames == ["other-1"])
    }
}
