import MienImage
import MienPixels
import Testing

@Suite("Limits")
struct LimitTests {
    @Test("the standard limits are 5 MB and 40 megapixels")
    func standard() {
        #expect(ImageLimits.standard == ImageLimits(maxBytes: 5_242_880, maxPixels: 40_000_000))
    }

    @Test("a file at the limit is read, and one byte more is rejected")
    func bytes() throws {
        let bytes = Vector.named("PNG/rgb8.png").bytes
        #expect(throws: Never.self) {
            try ImageDecoder.decode(bytes, limits: ImageLimits(maxBytes: bytes.count))
        }
        #expect(throws: ImageError.tooManyBytes(count: bytes.count, limit: bytes.count - 1)) {
            try ImageDecoder.decode(bytes, limits: ImageLimits(maxBytes: bytes.count - 1))
        }
        let padded = bytes + [UInt8](repeating: 0, count: 5_242_880 - bytes.count)
        #expect(throws: Never.self) { try ImageDecoder.decode(padded) }
        #expect(throws: ImageError.tooManyBytes(count: 5_242_881, limit: 5_242_880)) {
            try ImageDecoder.decode(padded + [0])
        }
    }

    @Test("an oversized file is rejected before its type is detected")
    func bytesFirst() {
        #expect(throws: ImageError.tooManyBytes(count: 6_000_000, limit: 5_242_880)) {
            try ImageDecoder.decode([UInt8](repeating: 0x20, count: 6_000_000))
        }
    }

    @Test(
        "a picture at the limit is read, and one pixel more is rejected",
        arguments: ["PNG/rgb8.png", "JPEG/colour.jpg", "GIF/colours4.gif"])
    func pixels(name: String) {
        let vector = Vector.named(name), count = vector.image.width * vector.image.height
        #expect(throws: Never.self) {
            try ImageDecoder.decode(vector.bytes, limits: ImageLimits(maxPixels: count))
        }
        #expect(
            throws: ImageError.tooManyPixels(
                width: vector.image.width, height: vector.image.height, limit: count - 1)
        ) {
            try ImageDecoder.decode(vector.bytes, limits: ImageLimits(maxPixels: count - 1))
        }
    }

    @Test(
        "pixel bombs are rejected by their header alone",
        arguments: [
            (Header.png(60_000, 60_000), 60_000, 60_000),
            (Header.png(0xFFFF_FFFF, 0xFFFF_FFFF), 0xFFFF_FFFF, 0xFFFF_FFFF),
            (Header.png(0x8000_0000, 2), 0x8000_0000, 2),
            (Header.png(40_000_001, 1), 40_000_001, 1),
            (Header.jpeg(65_500, 65_500), 65_500, 65_500),
            (Header.gif(65_535, 65_535, frame: (1, 1)), 65_535, 65_535),
            (Header.gif(10, 10, frame: (65_535, 65_535)), 65_535, 65_535),
        ])
    func bombs(bytes: [UInt8], width: Int, height: Int) {
        #expect(throws: ImageError.tooManyPixels(width: width, height: height, limit: 40_000_000)) {
            try ImageDecoder.decode(bytes)
        }
    }

    @Test(
        "zero and oversized sides are rejected",
        arguments: [
            (Header.png(0, 5), 0, 5), (Header.png(5, 0), 5, 0), (Header.png(32_769, 1), 32_769, 1),
            (Header.jpeg(1, 40_000), 1, 40_000),
            (Header.jpeg(8, 0), 8, 0), (Header.gif(0, 0, frame: (1, 1)), 0, 0),
            (Header.gif(9, 9, frame: (0, 4)), 0, 4),
        ])
    func sides(bytes: [UInt8], width: Int, height: Int) {
        #expect(throws: ImageError.sides(width: width, height: height)) {
            try ImageDecoder.decode(bytes)
        }
    }

    @Test("a JPEG of 64 scans is read, one of 65 is rejected, and one of 400,000 just as fast")
    func scans() throws {
        let image = try ImageDecoder.decode(progressiveJPEG(scans: 64))
        #expect(image == RGBImage(width: 8, height: 8, filledWith: RGBColor(128, 128, 128)))
        #expect(throws: ImageError.tooComplex(.jpeg)) {
            try ImageDecoder.decode(progressiveJPEG(scans: 65))
        }
        #expect(throws: ImageError.tooComplex(.jpeg)) {
            try ImageDecoder.decode(progressiveJPEG(scans: 400_000))
        }
    }
}
