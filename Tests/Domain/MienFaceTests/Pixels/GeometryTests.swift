import Foundation
import MienCore
import MienFace
import MienTesting
import Testing

@Suite("Points and rectangles")
struct RectangleTests {
    private let square = Rectangle(x: 0, y: 0, width: 2, height: 2)

    @Test("the distance of two points is Euclidean")
    func distance() { #expect(Point(x: 1, y: 2).distance(to: Point(x: 4, y: -2)) == 5) }

    @Test("a rectangle around a center has it in the middle")
    func center() {
        let made = Rectangle(center: Point(x: 10, y: 20), width: 4, height: 6)
        #expect(made == Rectangle(x: 8, y: 17, width: 4, height: 6))
        #expect(made.center == Point(x: 10, y: 20))
        #expect(made.area == 24)
    }

    @Test("overlap is the intersection divided by the union")
    func overlap() {
        #expect(square.overlap(square) == 1)
        #expect(square.overlap(Rectangle(x: 1, y: 0, width: 2, height: 2)) == 1.0 / 3)
        #expect(square.overlap(Rectangle(x: 1, y: 1, width: 2, height: 2)) == 1.0 / 7)
        #expect(square.overlap(Rectangle(x: 0.5, y: 0.5, width: 1, height: 1)) == 0.25)
    }

    @Test("separate or touching rectangles do not overlap")
    func apart() {
        #expect(square.overlap(Rectangle(x: 2, y: 0, width: 2, height: 2)) == 0)
        #expect(square.overlap(Rectangle(x: 5, y: 5, width: 1, height: 1)) == 0)
        #expect(square.intersection(Rectangle(x: 5, y: 5, width: 1, height: 1)).area == 0)
    }

    @Test("rectangles without area do not overlap, not even with themselves")
    func empty() {
        let line = Rectangle(x: 0, y: 0, width: 2, height: 0),
            inverted = Rectangle(x: 2, y: 2, width: -2, height: -2)
        #expect(line.overlap(line) == 0)
        #expect(inverted.area == 0)
        #expect(inverted.overlap(square) == 0)
    }

    @Test("overlap is symmetric and in 0…1")
    func symmetric() {
        var random = TestSeed.generator()
        for _ in 0..<500 {
            func made() -> Rectangle {
                Rectangle(
                    x: random.uniform() * 4, y: random.uniform() * 4, width: random.uniform() * 3,
                    height: random.uniform() * 3)
            }
            let (a, b) = (made(), made())
            #expect(a.overlap(b) == b.overlap(a))
            #expect((0...1).contains(a.overlap(b)))
        }
    }
}

@Suite("Affine map")
struct AffineMapTests {
    private func near(_ a: Point, _ b: Point, _ tolerance: Double = 1e-9) -> Bool {
        a.distance(to: b) <= tolerance
    }

    /// Returns a map with moderate rotation, scale, and shear.
    private func random(_ generator: inout SeededGenerator) -> AffineMap {
        while true {
            func number(_ size: Double) -> Double { (generator.uniform() * 2 - 1) * size }
            let map = AffineMap(
                a: number(3), b: number(3), tx: number(500), c: number(3), d: number(3),
                ty: number(500))
            if abs(map.determinant) > 0.1 { return map }
        }
    }

    @Test("a map and its inverse compose to the identity")
    func inverse() {
        var generator = TestSeed.generator(1)
        for _ in 0..<300 {
            let map = random(&generator),
                p = Point(x: generator.uniform() * 1000, y: generator.uniform() * 1000)
            #expect(near(map.inverse(map(p)), p, 1e-7))
            #expect(near(map(map.inverse(p)), p, 1e-7))
            #expect(near(map.then(map.inverse)(p), p, 1e-7))
        }
    }

    @Test("maps compose in order")
    func then() {
        var generator = TestSeed.generator(2)
        for _ in 0..<300 {
            let first = random(&generator), second = random(&generator),
                p = Point(x: generator.uniform() * 100, y: generator.uniform() * 100)
            #expect(near(first.then(second)(p), second(first(p)), 1e-8))
        }
        let shift = AffineMap(a: 1, b: 0, tx: 1, c: 0, d: 1, ty: 0),
            double = AffineMap(a: 2, b: 0, tx: 0, c: 0, d: 2, ty: 0)
        #expect(shift.then(double)(Point(x: 1, y: 0)) == Point(x: 4, y: 0))
        #expect(double.then(shift)(Point(x: 1, y: 0)) == Point(x: 3, y: 0))
    }

    @Test("scale is the growth of lengths")
    func scale() {
        #expect(AffineMap.identity.scale == 1)
        #expect(AffineMap(a: 0, b: -3, tx: 5, c: 3, d: 0, ty: 5).scale == 3)
        #expect(AffineMap(a: -2, b: 0, tx: 0, c: 0, d: 2, ty: 0).scale == 2)
    }

    @Test("a map that flattens the plane has no inverse")
    func flat() async {
        await #expect(processExitsWith: .failure) {
            _ = AffineMap(a: 1, b: 2, tx: 0, c: 2, d: 4, ty: 0).inverse
        }
    }

    @Test("an upright crop maps the square's corners to the canvas's")
    func uprightCrop() {
        let map = AffineMap.crop(center: Point(x: 100, y: 60), size: 40, angle: 0, side: 192)
        #expect(near(map(Point(x: 80, y: 40)), Point(x: 0, y: 0)))
        #expect(near(map(Point(x: 120, y: 80)), Point(x: 192, y: 192)))
        #expect(near(map(Point(x: 120, y: 40)), Point(x: 192, y: 0)))
    }

    @Test(
        "a rotated crop undoes the rotation",
        arguments: [-170.0, -120, -70, -20, 0, 30, 80, 130, 180])
    func turnedCrop(degrees: Double) {
        let angle = degrees * .pi / 180, center = Point(x: 100, y: 60)
        let map = AffineMap.crop(center: center, size: 40, angle: angle, side: 80)
        // Along the eye line of a head that is tilted by the angle, clockwise on screen.
        let along = Point(x: cos(angle), y: sin(angle)), down = Point(x: -sin(angle), y: cos(angle))
        #expect(near(map(center), Point(x: 40, y: 40)))
        #expect(near(map(center + along * 20), Point(x: 80, y: 40)))
        #expect(near(map(center + down * 20), Point(x: 40, y: 80)))
        #expect(abs(map.scale - 2) < 1e-12)
    }
}

@Suite("Similarity of point sets")
struct SimilarityTests {
    private let points = [
        Point(x: 0, y: 0), Point(x: 10, y: 1), Point(x: 3, y: 8), Point(x: -4, y: 5),
    ]

    private func residual(_ map: AffineMap, _ source: [Point], _ target: [Point]) -> Double {
        zip(source, target).reduce(0) { $0 + pow(map($1.0).distance(to: $1.1), 2) }
    }

    @Test("two points map to two points with a quarter turn, doubling, and a shift")
    func knownAnswer() throws {
        let map = try #require(
            AffineMap.similarity(
                from: [Point(x: 0, y: 0), Point(x: 1, y: 0)],
                to: [Point(x: 5, y: 5), Point(x: 5, y: 7)]))
        #expect(map == AffineMap(a: 0, b: -2, tx: 5, c: 2, d: 0, ty: 5))
    }

    @Test("any rotation, scale, and shift is recovered")
    func roundTrip() throws {
        var random = TestSeed.generator(3)
        for _ in 0..<200 {
            let angle = random.uniform() * 2 * .pi, k = 0.1 + random.uniform() * 5
            let made = AffineMap(
                a: k * cos(angle), b: -k * sin(angle), tx: random.uniform() * 300,
                c: k * sin(angle), d: k * cos(angle), ty: random.uniform() * 300)
            let found = try #require(
                AffineMap.similarity(from: points, to: points.map { made($0) }))
            for p in points { #expect(found(p).distance(to: made(p)) < 1e-9) }
        }
    }

    @Test("when no similarity fits exactly, the result is the closest")
    func leastSquares() throws {
        var random = TestSeed.generator(4)
        let target = points.map {
            Point(x: $0.x * 2 + random.normal(), y: $0.y * 3 + random.normal())
        }
        let best = try #require(AffineMap.similarity(from: points, to: target))
        let least = residual(best, points, target)
        for _ in 0..<500 {
            let (k, h) = (best.a + random.normal() * 0.05, best.c + random.normal() * 0.05)
            let other = AffineMap(
                a: k, b: -h, tx: best.tx + random.normal() * 0.2, c: h, d: k,
                ty: best.ty + random.normal() * 0.2)
            #expect(residual(other, points, target) >= least)
        }
    }

    @Test("a mirrored set is never matched by mirroring")
    func noMirroring() throws {
        let map = try #require(
            AffineMap.similarity(from: points, to: points.map { Point(x: -$0.x, y: $0.y) }))
        #expect(map.determinant >= 0)
    }

    @Test("one point, or coinciding points, give no similarity")
    func tooLittle() {
        #expect(AffineMap.similarity(from: [], to: []) == nil)
        #expect(AffineMap.similarity(from: [points[0]], to: [points[1]]) == nil)
        #expect(
            AffineMap.similarity(from: [points[0], points[0]], to: [points[1], points[2]]) == nil)
    }

    @Test(
        "a map without an inverse is not a similarity: all points into one, or a mirrored set"
    )
    func collapse() {
        #expect(
            AffineMap.similarity(from: [points[0], points[1]], to: [points[2], points[2]]) == nil)
        let square = [Point(x: 0, y: 0), Point(x: 1, y: 0), Point(x: 1, y: 1), Point(x: 0, y: 1)]
        #expect(
            AffineMap.similarity(from: square, to: square.map { Point(x: 1 - $0.x, y: $0.y) })
                == nil)
    }
}
