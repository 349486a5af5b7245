import MienFace
import MienMedia
import Testing

@Suite("Encoding")
struct EncoderTests {
    /// Smooth, with a hard edge; asymmetrical.
    private func picture(_ width: Int, _ height: Int) -> RGBImage {
        var image = RGBImage(width: width, height: height, filledWith: .black)
        for y in 0..<height {
            for x in 0..<width {
                image[x, y] = RGBColor(
                    UInt8(255 * x / width), UInt8(255 * y / height), x > 2 * y ? 200 : 60)
            }
        }
        return image
    }

    @Test(
        "PNG preserves every pixel", arguments: [(1, 1), (1, 300), (300, 1), (17, 13), (640, 480)])
    func pngRoundTrip(width: Int, height: Int) throws {
        let image = picture(width, height)
        #expect(try ImageDecoder.decode(PNGEncoder.encode(image)) == image)
    }

    @Test(
        "JPEG approximately preserves the picture",
        arguments: [(50, 12.0), (89, 8.0), (90, 3.0), (100, 1.0)])
    func jpegRoundTrip(quality: Int, meanError: Double) throws {
        let image = picture(100, 80)
        let again = try ImageDecoder.decode(JPEGEncoder.encode(image, quality: quality))
        #expect((again.width, again.height) == (100, 80))
        let errors = zip(image.pixels, again.pixels).map { abs(Double($0) - Double($1)) }
        #expect(errors.reduce(0, +) / Double(errors.count) < meanError)
    }

    @Test("higher quality takes more bytes, and out-of-range values are clamped")
    func quality() {
        let image = picture(100, 80)
        let sizes = [1, 25, 50, 75, 90, 100].map { JPEGEncoder.encode(image, quality: $0).count }
        #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count)
        #expect(JPEGEncoder.encode(image, quality: -5) == JPEGEncoder.encode(image, quality: 1))
        #expect(JPEGEncoder.encode(image, quality: 1000) == JPEGEncoder.encode(image, quality: 100))
    }

    @Test("a thin colored line stays colored at quality 90")
    func fullChroma() throws {
        var image = RGBImage(width: 64, height: 64, filledWith: RGBColor(90, 90, 90))
        for y in 0..<64 { image[31, y] = RGBColor(255, 0, 0) }
        let line = try ImageDecoder.decode(JPEGEncoder.encode(image, quality: 90))[31, 30]
        #expect(line.red > 230 && line.green < 25 && line.blue < 25)
    }

    @Test("output larger than the first buffer is complete")
    func growing() throws {
        var image = picture(400, 300)
        var seed: UInt32 = 7
        for y in 0..<300 {
            for x in 0..<400 {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                image[x, y] = RGBColor(
                    UInt8(seed >> 24), UInt8(seed >> 16 & 255), UInt8(seed >> 8 & 255))
            }
        }
        let png = PNGEncoder.encode(image), jpeg = JPEGEncoder.encode(image, quality: 100)
        #expect(png.count > 300_000 && jpeg.count > 100_000)
        #expect(try ImageDecoder.decode(png) == image)
        #expect(try #require(largestDifference(ImageDecoder.decode(jpeg), image)) < 12)
    }

    @Test(
        "the longest allowed sides can be written and read",
        arguments: [(32_768, 1), (1, 32_768)])
    func longest(width: Int, height: Int) throws {
        let image = RGBImage(width: width, height: height, filledWith: RGBColor(10, 200, 30))
        #expect(try ImageDecoder.decode(PNGEncoder.encode(image)) == image)
        #expect(
            try #require(largestDifference(ImageDecoder.decode(JPEGEncoder.encode(image)), image))
                < 4)
    }
}
