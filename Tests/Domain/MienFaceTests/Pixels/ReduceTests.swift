import MienFace
import MienTesting
import Testing

@Suite("Shrinking by whole blocks")
struct ReduceTests {
    /// Returns the integer means of blocks, rounding halves up.
    private func naive(_ image: RGBImage, by factor: Int, x: Int, y: Int, columns: Int, rows: Int)
        -> RGBImage
    {
        RGBImage.made(width: columns, height: rows) { column, row in
            var sums = [0, 0, 0]
            for v in y + row * factor..<y + (row + 1) * factor {
                for u in x + column * factor..<x + (column + 1) * factor {
                    let c = image[u, v]
                    sums = [sums[0] + Int(c.red), sums[1] + Int(c.green), sums[2] + Int(c.blue)]
                }
            }
            let n = factor * factor
            let means = sums.map { UInt8((2 * $0 + n) / (2 * n)) }
            return RGBColor(means[0], means[1], means[2])
        }
    }

    @Test(
        "reducing a whole picture gives exact block means", arguments: [1, 2, 3, 4, 5, 7, 16, 31])
    func whole(factor: Int) {
        let image = RGBImage.noise(width: 62, height: 48, stream: UInt64(factor))
        let found = image.reduced(by: factor, x: 0, y: 0, width: 62, height: 48)
        #expect(
            found == naive(image, by: factor, x: 0, y: 0, columns: 62 / factor, rows: 48 / factor))
    }

    @Test("reducing a part gives exact block means", arguments: [2, 3, 5])
    func part(factor: Int) {
        let image = RGBImage.noise(width: 50, height: 40)
        let found = image.reduced(by: factor, x: 7, y: 11, width: 31, height: 17)
        #expect(
            found == naive(image, by: factor, x: 7, y: 11, columns: 31 / factor, rows: 17 / factor))
    }

    @Test("the largest block does not overflow", arguments: [255, 256])
    func largest(factor: Int) {
        #expect(
            RGBImage(width: 256, height: 256, filledWith: .white).reduced(
                by: factor, x: 0, y: 0, width: 256, height: 256)
                == RGBImage(width: 1, height: 1, filledWith: .white))
        let noise = RGBImage.noise(width: 256, height: 256, levels: 250...255)
        #expect(
            noise.reduced(by: factor, x: 0, y: 0, width: 256, height: 256)
                == naive(noise, by: factor, x: 0, y: 0, columns: 1, rows: 1))
    }

    @Test("a single color stays unchanged for every block size", arguments: [2, 3, 6, 10, 100])
    func constant(factor: Int) {
        for level: UInt8 in [0, 1, 127, 128, 254, 255] {
            let color = RGBColor(level, 255 - level, level / 2)
            #expect(
                RGBImage(width: 100, height: 100, filledWith: color).reduced(
                    by: factor, x: 0, y: 0, width: 100, height: 100)
                    == RGBImage(width: 100 / factor, height: 100 / factor, filledWith: color))
        }
    }

    @Test("a part outside the picture, or without a block, traps")
    func outside() async {
        await #expect(processExitsWith: .failure) {
            _ = RGBImage(width: 8, height: 8, filledWith: .black).reduced(
                by: 2, x: 4, y: 0, width: 6, height: 8)
        }
        await #expect(processExitsWith: .failure) {
            _ = RGBImage(width: 8, height: 8, filledWith: .black).reduced(
                by: 4, x: 0, y: 0, width: 3, height: 8)
        }
    }
}

@Suite("Resizing")
struct ResizeTests {
    @Test(
        "a single color stays unchanged at any size",
        arguments: [
            (128, 128), (1, 1), (37, 200), (200, 37), (640, 480), (33, 31), (99, 70), (5, 70),
            (100, 9),
        ])
    func constant(width: Int, height: Int) {
        let color = RGBColor(255, 1, 77)
        #expect(
            RGBImage(width: 100, height: 70, filledWith: color).resized(
                width: width, height: height)
                == RGBImage(width: width, height: height, filledWith: color))
    }

    @Test("resizing to the same size changes nothing")
    func same() {
        let image = RGBImage.noise(width: 31, height: 17)
        #expect(image.resized(width: 31, height: 17) == image)
    }

    @Test(
        "shrinking by less than two averages the area of each new pixel",
        arguments: [(60, 40), (99, 60), (75, 41), (100, 40), (60, 79), (51, 41)])
    func area(width: Int, height: Int) throws {
        let image = RGBImage.noise(width: 100, height: 80)
        let difference = try #require(
            image.resized(width: width, height: height).largestDifference(
                from: NaiveReference.areaAverage(image, width: width, height: height)))
        #expect(difference <= 1)
    }

    @Test("shrinking by an integer gives exact block means", arguments: [2, 4, 5])
    func blocks(factor: Int) {
        let image = RGBImage.noise(width: 80, height: 40)
        #expect(
            image.resized(width: 80 / factor, height: 40 / factor)
                == image.reduced(by: factor, x: 0, y: 0, width: 80, height: 40))
    }

    @Test(
        "an edge stays in position at any reduction",
        arguments: [1287, 1300, 1400, 257, 511, 640, 3001])
    func edge(width: Int) {
        let edge = width * 9 / 10
        let image = RGBImage.made(width: width, height: width) { x, y in
            RGBColor(x < edge ? 0 : 255, y < edge ? 0 : 255, 0)
        }
        let small = image.resized(width: 128, height: 128)
        // The position of the step, computed from the amount of dark pixels.
        let across = (0..<128).reduce(0.0) { $0 + 1 - Double(small[$1, 5].red) / 255 }
        let down = (0..<128).reduce(0.0) { $0 + 1 - Double(small[5, $1].green) / 255 }
        let expected = Double(edge) / Double(width) * 128
        #expect(abs(across - expected) < 0.1, "\(across), not \(expected)")
        #expect(abs(down - expected) < 0.1, "\(down), not \(expected)")
    }

    /// Patches of four pixels, so that the boundaries of new pixels matter.
    @Test(
        "shrinking fine detail by any factor averages its area",
        arguments: [(62, 128), (55, 100), (31, 64), (120, 250), (200, 300)])
    func detail(width: Int, height: Int) {
        let patches = RGBImage.noise(width: 138, height: 285)
        let image = RGBImage.made(width: 551, height: 1137) { x, y in patches[x / 4, y / 4] }
        let found = image.resized(width: width, height: height),
            exact = NaiveReference.areaAverage(image, width: width, height: height)
        let sum = zip(found.pixels, exact.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        let mean = Double(sum) / Double(found.pixels.count)
        #expect(mean < 0.5, "\(mean)")
    }

    /// The incomplete blocks at the right and bottom are omitted, so the last column and row may be
    /// slightly off.
    @Test(
        "shrinking a smooth picture averages its area",
        arguments: [(128, 96), (40, 30), (17, 19), (150, 110)])
    func smooth(width: Int, height: Int) {
        let image = RGBImage.made(width: 401, height: 303) { x, y in
            RGBColor(UInt8(x * 255 / 400), UInt8(y * 255 / 302), UInt8((x + y) * 255 / 702))
        }
        let found = image.resized(width: width, height: height),
            exact = NaiveReference.areaAverage(image, width: width, height: height)
        func part(_ image: RGBImage) -> RGBImage {
            .made(width: width - 1, height: height - 1) { x, y in image[x, y] }
        }
        #expect(part(found).largestDifference(from: part(exact))! <= 1)
        #expect(found.largestDifference(from: exact)! <= 4)
    }

    @Test(
        "enlarging interpolates between pixel centers",
        arguments: [(64, 48), (33, 25), (40, 24), (320, 200)])
    func enlarging(width: Int, height: Int) throws {
        let image = RGBImage.noise(width: 32, height: 24)
        let difference = try #require(
            image.resized(width: width, height: height).largestDifference(
                from: NaiveReference.enlarged(image, width: width, height: height)))
        #expect(difference <= 1)
    }

    @Test("a single pixel fills any size")
    func singlePixel() {
        let color = RGBColor(1, 2, 3)
        #expect(
            RGBImage(width: 1, height: 1, filledWith: color).resized(width: 9, height: 4)
                == RGBImage(width: 9, height: 4, filledWith: color))
    }

    @Test("enlarging one axis and shrinking the other works")
    func both() {
        let image = RGBImage.made(width: 10, height: 40) { x, _ in RGBColor(UInt8(x * 20), 0, 0) }
        let found = image.resized(width: 20, height: 10)
        #expect((0..<10).allSatisfy { y in (0..<20).allSatisfy { found[$0, y] == found[$0, 0] } })
        #expect(found[0, 0].red == 0 && found[1, 0].red == 5 && found[19, 0].red == 180)
    }

    @Test("a side of zero traps")
    func nothing() async {
        await #expect(processExitsWith: .failure) {
            _ = RGBImage(width: 8, height: 8, filledWith: .black).resized(width: 0, height: 8)
        }
    }
}
