import Foundation
import MienTesting
import Testing

@testable import MienTools

@Suite struct ReferenceChipTests {
    /// Computed by a second implementation of the formulas, in Python.
    @Test(
        "the chips match the formulas: sum of all bytes, and the pixel in column 100 of row 40",
        arguments: [
            (.gradient, 8_572_801, [171, 68, 119]), (.rings, 8_102_314, [12, 231, 193]),
            (.noise, 8_596_629, [162, 206, 251]),
        ] as [(ReferenceChip, Int, [UInt8])])
    func knownAnswers(chip: ReferenceChip, sum: Int, pixel: [UInt8]) {
        let pixels = chip.pixels, start = 3 * (40 * 150 + 100)
        #expect(pixels.count == 150 * 150 * 3)
        #expect(pixels.reduce(0) { $0 + Int($1) } == sum)
        #expect(Array(pixels[start..<start + 3]) == pixel)
    }

    private struct Reference: Decodable {
        struct Case: Decodable { let name: String, descriptor: [Float] }
        let cases: [Case]
    }

    @Test("the pack's reference holds one descriptor of 128 numbers for every chip, in order")
    func reference() throws {
        let root = Repository.root
        let data = try Data(contentsOf: root.appending(path: "Packs/mien-basic-1/reference.json"))
        let reference = try JSONDecoder().decode(Reference.self, from: data)
        #expect(reference.cases.map(\.name) == ReferenceChip.allCases.map(\.rawValue))
        #expect(reference.cases.allSatisfy { $0.descriptor.count == 128 })
    }
}
