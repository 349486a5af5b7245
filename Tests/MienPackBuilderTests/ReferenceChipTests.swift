import Testing

@testable import MienPackBuilder

@Suite struct ReferenceChipTests {
    @Test("every chip is 150×150×3 bytes and no two are alike")
    func size() {
        for chip in ReferenceChip.allCases { #expect(chip.pixels.count == 150 * 150 * 3) }
        #expect(Set(ReferenceChip.allCases.map(\.pixels)).count == 3)
    }
}
