import MienFace
import MienTesting
import Testing

@Suite("RGB image")
struct RGBImageTests {
    @Test(
        "sides out of range are rejected",
        arguments: [(0, 1), (1, 0), (-1, 1), (32_769, 1), (1, 32_769), (Int.max, 2)])
    func sides(width: Int, height: Int) {
        #expect(throws: PixelError.sides(width: width, height: height)) {
            try RGBImage(width: width, height: height, pixels: [])
        }
    }

    @Test("sides at the ends of the range are accepted")
    func extremes() throws {
        #expect(
            try RGBImage(width: 32_768, height: 1, pixels: [UInt8](repeating: 0, count: 98_304))
                .width == 32_768)
        #expect(
            try RGBImage(width: 1, height: 32_768, pixels: [UInt8](repeating: 0, count: 98_304))
                .height == 32_768)
    }

    @Test("a missing or extra byte is rejected with the byte count", arguments: [0, 17, 19])
    func count(bytes: Int) {
        #expect(throws: PixelError.count(expected: 18, got: bytes)) {
            try RGBImage(width: 3, height: 2, pixels: [UInt8](repeating: 0, count: bytes))
        }
    }

    @Test("bytes are red, green, blue, column by column, row by row")
    func layout() throws {
        let image = try RGBImage(width: 2, height: 2, pixels: Array(1...12))
        #expect(image[0, 0] == RGBColor(1, 2, 3))
        #expect(image[1, 0] == RGBColor(4, 5, 6))
        #expect(image[0, 1] == RGBColor(7, 8, 9))
        #expect(image[1, 1] == RGBColor(10, 11, 12))
    }

    @Test("setting a pixel changes only that pixel")
    func set() {
        var image = RGBImage(width: 3, height: 3, filledWith: .white)
        image[2, 1] = RGBColor(1, 2, 3)
        var expected = [UInt8](repeating: 255, count: 27)
        expected.replaceSubrange(15..<18, with: [1, 2, 3])
        #expect(image.pixels == expected)
    }

    @Test(
        "an image filled with a color has it in every pixel",
        arguments: [RGBColor(9, 9, 9), RGBColor(1, 2, 3), RGBColor(5, 5, 6), RGBColor(5, 6, 5)])
    func filled(color: RGBColor) {
        #expect(
            RGBImage(width: 2, height: 3, filledWith: color)
                == .made(width: 2, height: 3) { _, _ in color })
    }

    @Test("the bounds start at the top-left corner")
    func bounds() {
        #expect(
            RGBImage(width: 4, height: 7, filledWith: .black).bounds
                == Rectangle(x: 0, y: 0, width: 4, height: 7))
    }
}
