import Foundation
import MienFace
import MienTesting
import Testing

@Suite("Warping")
struct WarpTests {
    private func turn(_ degrees: Double, by k: Double, from center: Point, to target: Point)
        -> AffineMap
    {
        let (c, s) = (cos(degrees * .pi / 180) * k, sin(degrees * .pi / 180) * k)
        return AffineMap(
            a: c, b: -s, tx: target.x - c * center.x + s * center.y, c: s, d: c,
            ty: target.y - s * center.x - c * center.y)
    }

    @Test("the identity changes nothing")
    func identity() {
        let image = RGBImage.noise(width: 37, height: 23)
        #expect(image.warped(by: .identity, width: 37, height: 23) == image)
    }

    @Test(
        "a shift by whole pixels is exact and exposes black",
        arguments: [(3, 2), (-3, 5), (0, -4), (40, 0), (-36, -22)])
    func shift(dx: Int, dy: Int) {
        let image = RGBImage.noise(width: 37, height: 23, levels: 1...255)
        let found = image.warped(
            by: AffineMap(a: 1, b: 0, tx: Double(dx), c: 0, d: 1, ty: Double(dy)), width: 37,
            height: 23)
        let expected = RGBImage.made(width: 37, height: 23) { x, y in
            (0..<37).contains(x - dx) && (0..<23).contains(y - dy) ? image[x - dx, y - dy] : .black
        }
        #expect(found == expected)
    }

    @Test("a quarter turn is exact")
    func quarter() {
        let image = RGBImage.noise(width: 37, height: 23)
        let found = image.warped(
            by: AffineMap(a: 0, b: -1, tx: 23, c: 1, d: 0, ty: 0), width: 23, height: 37)
        #expect(found == RGBImage.made(width: 23, height: 37) { x, y in image[y, 22 - x] })
    }

    @Test("a mirroring map produces the mirrored picture")
    func mirror() {
        let image = RGBImage.noise(width: 37, height: 23)
        #expect(
            image.warped(
                by: AffineMap(a: -1, b: 0, tx: 37, c: 0, d: 1, ty: 0), width: 37, height: 23)
                == image.mirrored())
    }

    @Test(
        "rotation, scale, and shift interpolate linearly",
        arguments: [(10.0, 1.0), (33.0, 1.7), (-120.0, 0.8), (200.0, 3.1), (45.0, 0.55)])
    func bilinear(degrees: Double, scale: Double) {
        let image = RGBImage.noise(width: 60, height: 50, levels: 64...191)
        // Off the grid, so that no pixel center lies exactly on the picture's edge.
        let map = turn(
            degrees, by: scale, from: Point(x: 29.7, y: 24.6), to: Point(x: 40.3, y: 39.1))
        let found = image.warped(by: map, width: 80, height: 80)
        let reference = NaiveReference.bilinear(image, back: map.inverse, width: 80, height: 80)
        #expect(found.largestDifference(from: reference)! <= 1)
    }

    /// Weights have eight bits, which can cost a second level at full contrast.
    @Test("at full contrast interpolation is within two levels of exact")
    func fullContrast() {
        let image = RGBImage.noise(width: 60, height: 50)
        let map = turn(17, by: 1.3, from: Point(x: 29.7, y: 24.6), to: Point(x: 40.3, y: 39.1))
        let found = image.warped(by: map, width: 80, height: 80)
        #expect(
            found.largestDifference(
                from: NaiveReference.bilinear(image, back: map.inverse, width: 80, height: 80))!
                <= 2)
    }

    @Test("over a wide canvas positions do not drift")
    func drift() {
        let image = RGBImage.made(width: 3000, height: 4) { x, _ in
            RGBColor(x % 20 < 10 ? 0 : 255, 0, 0)
        }
        let map = AffineMap(a: 0.999, b: 0, tx: 0, c: 0, d: 1, ty: 0)
        let found = image.warped(by: map, width: 2997, height: 4)
        let reference = NaiveReference.bilinear(image, back: map.inverse, width: 2997, height: 4)
        // Steps are multiples of 1/65,536 pixel. After 2,997 of them, the error is a fortieth of a
        // pixel, on an edge of 255 levels.
        #expect(found.largestDifference(from: reference)! <= 7)
    }

    @Test(
        "shrinking averages noise to gray", arguments: [2.0, 3.0, 4.4, 8.0])
    func prefilter(factor: Double) {
        let image = RGBImage.noise(width: 400, height: 400)
        let small = image.warped(
            by: AffineMap(a: 1 / factor, b: 0, tx: 0, c: 0, d: 1 / factor, ty: 0), width: 48,
            height: 48)
        let values = small.pixels.map(Double.init),
            mean = values.reduce(0, +) / Double(values.count)
        let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
            .squareRoot()
        #expect(abs(mean - 127.5) < 3)
        // Means of factor² independent values with a deviation of 73.9.
        #expect(deviation < 1.1 * 73.9 / factor.rounded(.down), "\(deviation)")
    }

    @Test("aligned shrinking by an integer gives exact block means", arguments: [2, 4])
    func blocks(factor: Int) {
        let image = RGBImage.noise(width: 96, height: 64)
        let k = 1 / Double(factor)
        let found = image.warped(
            by: AffineMap(a: k, b: 0, tx: 0, c: 0, d: k, ty: 0), width: 96 / factor,
            height: 64 / factor)
        #expect(found == image.reduced(by: factor, x: 0, y: 0, width: 96, height: 64))
    }

    @Test("a shrunk part of a large picture keeps its position")
    func shrunkPlace() {
        // A bright square of 90 pixels around (700, 500), rotated with the crop.
        let image = RGBImage.made(width: 1000, height: 900) { x, y in
            abs(x - 700) <= 45 && abs(y - 500) <= 45 ? .white : .black
        }
        let found = image.warped(
            by: .crop(center: Point(x: 700.5, y: 500.5), size: 300, angle: .pi / 2, side: 60),
            width: 60, height: 60)
        var sum = 0.0, x = 0.0, y = 0.0
        for row in 0..<60 {
            for column in 0..<60 {
                let w = Double(found[column, row].red)
                (sum, x, y) = (sum + w, x + w * (Double(column) + 0.5), y + w * (Double(row) + 0.5))
            }
        }
        #expect(abs(x / sum - 30) < 0.1 && abs(y / sum - 30) < 0.1)
        #expect(abs((sum / 255).squareRoot() - 91.0 / 5) < 0.2)
    }

    @Test("a map that misses the picture gives black")
    func beside() {
        let image = RGBImage(width: 20, height: 20, filledWith: .white),
            black = RGBImage(width: 30, height: 30, filledWith: .black)
        #expect(
            image.warped(
                by: AffineMap(a: 1, b: 0, tx: 100, c: 0, d: 1, ty: 0), width: 30, height: 30)
                == black)
        #expect(
            image.warped(
                by: AffineMap(a: 0.2, b: 0, tx: -100, c: 0, d: 0.2, ty: 0), width: 30, height: 30)
                == black)
        #expect(
            image.warped(
                by: AffineMap(a: 1, b: 0, tx: -1e12, c: 0, d: 1, ty: 1e300), width: 30, height: 30)
                == black)
    }

    @Test(
        "an extreme map gives a picture and no crash",
        arguments: [1e-3, 1e-8, 1e-20, 1e-40, 1e8, 1e20])
    func steep(scale: Double) {
        let image = RGBImage(width: 20, height: 20, filledWith: .white)
        let found = image.warped(
            by: AffineMap(a: scale, b: 0, tx: 0, c: 0, d: scale, ty: 0), width: 30, height: 30)
        #expect(found.pixels.count == 2700)
    }

    @Test("enlarging turns every pixel into a patch up to half a pixel beyond its center")
    func reach() {
        let image = RGBImage(width: 2, height: 2, filledWith: .white)
        let found = image.warped(
            by: AffineMap(a: 8, b: 0, tx: 8, c: 0, d: 8, ty: 8), width: 32, height: 32)
        #expect(
            found
                == RGBImage.made(width: 32, height: 32) { x, y in
                    (8..<24).contains(x) && (8..<24).contains(y) ? .white : .black
                })
    }
}

@Suite("Mirroring and placing")
struct MirrorAndPlaceTests {
    @Test("mirroring exchanges left and right, and twice restores the picture")
    func mirrored() {
        for width in [1, 2, 7] {
            let image = RGBImage.noise(width: width, height: 5), mirrored = image.mirrored()
            #expect(
                mirrored
                    == RGBImage.made(width: width, height: 5) { x, y in image[width - 1 - x, y] })
            #expect(mirrored.mirrored() == image)
        }
    }

    @Test("a picture placed on a canvas has its position, and the rest is black")
    func placed() {
        let image = RGBImage.noise(width: 3, height: 2, levels: 1...255)
        let expected = RGBImage.made(width: 8, height: 6) { x, y in
            (4..<7).contains(x) && (1..<3).contains(y) ? image[x - 4, y - 1] : .black
        }
        #expect(image.placed(onWidth: 8, height: 6, x: 4, y: 1) == expected)
        #expect(image.placed(onWidth: 3, height: 2, x: 0, y: 0) == image)
    }

    @Test("a picture that extends beyond the canvas traps")
    func sticksOut() async {
        await #expect(processExitsWith: .failure) {
            _ = RGBImage(width: 3, height: 2, filledWith: .black).placed(
                onWidth: 8, height: 6, x: 6, y: 1)
        }
    }
}
