import MienFace
import MienMedia
import Testing

@Suite("Limits")
struct LimitTests {
    @Test("the standard limits are 16 MB, 40 megapixels, and 200 for a JPEG")
    func standard() {
        #expect(
            ImageLimits.standard
                == ImageLimits(
                    maxBytes: 16_777_216, maxPixels: 40_000_000, maxJPEGPixels: 200_000_000))
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
        let padded = bytes + [UInt8](repeating: 0, count: 16_777_216 - bytes.count)
        #expect(throws: Never.self) { try ImageDecoder.decode(padded) }
        #expect(throws: ImageError.tooManyBytes(count: 16_777_217, limit: 16_777_216)) {
            try ImageDecoder.decode(padded + [0])
        }
    }

    @Test("an oversized file is rejected before its type is detected")
    func bytesFirst() {
        #expect(throws: ImageError.tooManyBytes(count: 17_000_000, limit: 16_777_216)) {
            try ImageDecoder.decode([UInt8](repeating: 0x20, count: 17_000_000))
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
            (Header.gif(65_535, 65_535, frame: (1, 1)), 65_535, 65_535),
            (Header.gif(10, 10, frame: (65_535, 65_535)), 65_535, 65_535),
        ])
    func bombs(bytes: [UInt8], width: Int, height: Int) {
        #expect(throws: ImageError.tooManyPixels(width: width, height: height, limit: 40_000_000)) {
            try ImageDecoder.decode(bytes)
        }
    }

    @Test("a JPEG of more pixels than any phone takes is rejected by its header")
    func largestJPEG() {
        #expect(
            throws: ImageError.tooManyPixels(width: 65_500, height: 65_500, limit: 200_000_000)
        ) { try ImageDecoder.decode(Header.jpeg(65_500, 65_500)) }
    }

    @Test(
        "a JPEG of more pixels than the limit is read at a part of its sides",
        arguments: [(64 * 48, 64, 48), (3071, 32, 24), (767, 16, 12), (191, 8, 6)])
    func reduced(maxPixels: Int, width: Int, height: Int) throws {
        var image = RGBImage(width: 64, height: 48, filledWith: RGBColor(200, 40, 90))
        for x in 32..<64 { for y in 0..<48 { image[x, y] = RGBColor(20, 160, 30) } }
        let bytes = JPEGEncoder.encode(image, quality: 95)
        let limits = ImageLimits(maxPixels: maxPixels, maxJPEGPixels: 64 * 48)
        let read = try ImageDecoder.decode(bytes, limits: limits)
        #expect((read.width, read.height) == (width, height))
        for (x, color) in [(0, image[0, 0]), (width - 1, image[63, 0])] {
            let seen = read[x, height / 2]
            #expect(
                abs(Int(seen.red) - Int(color.red)) < 12
                    && abs(Int(seen.green) - Int(color.green)) < 12)
        }
        // The sides do not have to be even.
        let odd = JPEGEncoder.encode(RGBImage(width: 63, height: 47, filledWith: .white))
        let small = try ImageDecoder.decode(
            odd, limits: ImageLimits(maxPixels: 32 * 24, maxJPEGPixels: 63 * 47))
        #expect((small.width, small.height) == (32, 24))
        #expect(throws: ImageError.self) {
            try ImageDecoder.decode(
                PNGEncoder.encode(image),
                limits: ImageLimits(
                    maxPixels: 3071, maxJPEGPixels: 64 * 48))
        }
    }

    @Test(
        "photos of 48, 50, and 200 megapixels are read, and those with a video behind the picture",
        arguments: [(8064, 6048, 2), (8192, 6144, 2), (16_320, 12_240, 4)])
    func phones(width: Int, height: Int, divisor: Int) throws {
        let small = RGBImage(width: 8, height: 8, filledWith: RGBColor(90, 120, 150))
        let photo = JPEGEncoder.encode(small.resized(width: width, height: height), quality: 30)
        // A motion photo: a video of some megabytes follows the end of the JPEG.
        let motion =
            photo + Array("\0\0\0\u{18}ftypmp42".utf8)
            + [UInt8](repeating: 0xFF, count: 8_000_000)
        let image = try ImageDecoder.decode(motion)
        #expect((image.width, image.height) == (width / divisor, height / divisor))
        #expect(try ImageDecoder.probe(motion).width == width)
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
