import MienFace
import MienTesting
import Testing

@Suite struct PerspectiveMapTests {
    private let square = [
        Point(x: 0, y: 0), Point(x: 40, y: 0), Point(x: 40, y: 40), Point(x: 0, y: 40),
    ]

    @Test func `a map takes four points to four, and its lines stay straight`() throws {
        var random = TestSeed.generator(41)
        for _ in 0..<100 {
            let target = square.map {
                Point(
                    x: 3 * $0.x + .random(in: -15...15, using: &random),
                    y: 2 * $0.y + .random(in: -15...15, using: &random))
            }
            let map = try #require(PerspectiveMap(from: square, to: target))
            let back = try #require(PerspectiveMap(from: target, to: square))
            for (p, q) in zip(square, target) {
                #expect(map(p).distance(to: q) < 1e-6)
            }
            let line = [5.0, 17, 31].map { map(Point(x: $0, y: 0.5 * $0 + 3)) }
            let a = line[1] - line[0], b = line[2] - line[0]
            #expect(abs(a.x * b.y - a.y * b.x) < 1e-6 * a.length * b.length + 1e-6)
            let p = Point(x: 11, y: 29)
            #expect(back(map(p)).distance(to: p) < 1e-6)
        }
    }

    @Test func `points on a line have no map`() {
        let flat = [0.0, 1, 2, 3].map { Point(x: $0, y: 2 * $0) }
        #expect(PerspectiveMap(from: flat, to: square) == nil)
        #expect(PerspectiveMap(from: square.map { _ in square[0] }, to: square) == nil)
    }

    @Test(arguments: [1, 3]) func `a turned part is upright again`(scale: Int) throws {
        let side = 40 * scale
        let image = RGBImage.made(width: side, height: side) { x, y in
            RGBColor(UInt8(x * 240 / side), UInt8(y * 240 / side), 9)
        }
        let corners = square.map { $0 * Double(scale) }
        let upright = try #require(image.rectified(corners, width: 40, height: 40))
        // Read from the bottom left corner: a quarter turn clockwise.
        let turned = try #require(
            image.rectified(
                [corners[3], corners[0], corners[1], corners[2]], width: 40, height: 40)
        )
        for (x, y) in [(0, 0), (7, 31), (39, 12)] {
            let a = upright[x, y], b = turned[39 - y, x]
            #expect(abs(Int(a.red) - Int(b.red)) <= 1 && abs(Int(a.green) - Int(b.green)) <= 1)
            #expect(abs(Int(a.red) - 6 * x) <= 6)
        }
        #expect(image.rectified(square.map { _ in square[0] }, width: 4, height: 4) == nil)
    }

    @Test func `colors outside of a picture are those of its edge`() {
        let image = RGBImage.made(width: 2, height: 1) { x, _ in RGBColor(UInt8(100 * x), 7, 7) }
        for (x, red) in [(-1e9, Float(0)), (1e300, 100), (1, 50), (.nan, 0), (.infinity, 100)] {
            #expect(image.color(at: Point(x: x, y: -.infinity)).x == red)
        }
    }
}
