import MienCore
import MienFace
import Testing

@testable import MienMedia

@Suite struct StoredPictureTests {
    private static func noise(_ width: Int, _ height: Int) throws -> RGBImage {
        var random = SeededGenerator(seed: 3)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * width * height)
        while pixels.count < 3 * width * height {
            let word = random.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                pixels.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return try RGBImage(
            width: width, height: height, pixels: Array(pixels.prefix(3 * width * height)))
    }

    @Test func `a usual picture keeps its size and its pixels`() throws {
        let image = RGBImage(width: 1600, height: 1200, filledWith: RGBColor(120, 60, 200))
        let stored = try ImageDecoder.decode(StoredPicture.encode(image))
        #expect(stored.width == 1600 && stored.height == 1200)
        let (before, after) = (image.pixels, stored.pixels)
        #expect(zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test func `a large picture is shrunk to its longer side`() throws {
        let image = RGBImage(width: 2000, height: 6400, filledWith: RGBColor(1, 2, 3))
        let stored = try ImageDecoder.decode(StoredPicture.encode(image))
        #expect(stored.width == 1000 && stored.height == 3200)
        // A strip stays a picture.
        let strip = RGBImage(width: 1, height: 32_000, filledWith: RGBColor(1, 2, 3))
        let small = try ImageDecoder.decode(StoredPicture.encode(strip))
        #expect(small.width == 1 && small.height == 3200)
    }

    @Test(arguments: [StoredPicture.maxBytes, 300 * 1024])
    func `noise fits as well`(limit: Int) throws {
        let bytes = StoredPicture.encode(try Self.noise(1600, 1200), maxBytes: limit)
        #expect(bytes.count <= limit)
        #expect(try ImageDecoder.decode(bytes).width > 200)
    }
}
