import MienFace
import MienTesting
import Testing

@Suite("Anchors")
struct DetectorGeometryTests {
    @Test("the short-range detector has 896: two in each of 16×16 cells, then six in each of 8×8")
    func shortRange() {
        let anchors = FaceGeometry.defaultPack.detectorShortRange.anchors
        #expect(anchors.count == 896)
        #expect(anchors[0] == Point(x: 4, y: 4) && anchors[1] == anchors[0])
        #expect(anchors[2] == Point(x: 12, y: 4))
        #expect(anchors[32] == Point(x: 4, y: 12))
        #expect(anchors[511] == Point(x: 124, y: 124))
        #expect(anchors[512..<518].allSatisfy { $0 == Point(x: 8, y: 8) })
        #expect(anchors[518] == Point(x: 24, y: 8))
        #expect(anchors[895] == Point(x: 120, y: 120))
    }

    @Test("the full-range detector has 2304: one in each of 48×48 cells")
    func fullRange() throws {
        let anchors = try #require(FaceGeometry.defaultPack.detectorFullRange).anchors
        #expect(anchors.count == 2304)
        #expect(anchors[0] == Point(x: 2, y: 2))
        #expect(anchors[1] == Point(x: 6, y: 2))
        #expect(anchors[48] == Point(x: 2, y: 6))
        #expect(anchors[2303] == Point(x: 190, y: 190))
    }

    @Test("a side that the stride does not divide has one more cell of equal size")
    func unevenStride() {
        let anchors = DetectorGeometry(
            input: InputGeometry(width: 20, height: 10), grids: [.init(stride: 8, perCell: 1)]
        ).anchors
        #expect(anchors.count == 6)
        #expect(anchors[0] == Point(x: 20.0 / 6, y: 2.5))
        #expect(anchors[5] == Point(x: 20.0 / 6 * 5, y: 7.5))
    }
}
