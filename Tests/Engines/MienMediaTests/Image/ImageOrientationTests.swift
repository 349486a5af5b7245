import MienFace
import MienMedia
import Testing

@Suite("Orientation")
struct ImageOrientationTests {
    @Test("all eight orientations give the same upright picture", arguments: 1...8)
    func upright(number: Int) throws {
        let vector = Vector.named("JPEG/exif-\(number).jpg")
        #expect(try ImageDecoder.probe(vector.bytes).orientation.rawValue == number)
        let image = try ImageDecoder.decode(vector.bytes),
            plain = try ImageDecoder.decode(Vector.named("JPEG/colour.jpg").bytes)
        // Blocks were compressed mirrored and rotated.
        #expect(try #require(largestDifference(image, plain)) <= 2)
    }

    @Test("an orientation is read in both byte orders", arguments: 1...8)
    func bothByteOrders(number: Int) {
        let file = Vector.file("EXIF/\(number).tiff")  // odd ones are little-endian
        #expect(ImageOrientation(tiff: file.span)?.rawValue == number)
    }

    @Test(
        "the number counts, whatever its integer type",
        arguments: [
            (number: 1, bytes: 1), (number: 3, bytes: 2), (number: 4, bytes: 4),
            (number: 6, bytes: 1), (number: 8, bytes: 2), (number: 9, bytes: 4),
        ], [true, false])
    func types(type: (number: Int, bytes: Int), isLittle: Bool) {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            isLittle ? Header.little(value, count) : Header.big(value, count)
        }
        for value in 1...8 {
            let data = number(value, type.bytes)
            let file =
                (isLittle ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]) + number(8, 4)
                + number(1, 2) + number(0x0112, 2) + number(type.number, 2) + number(1, 4) + data
                + [UInt8](repeating: 0, count: 4 - data.count)
            #expect(ImageOrientation(tiff: file.span)?.rawValue == value)
        }
    }

    @Test("truncated or changed EXIF data never traps", arguments: 1...2)
    func damaged(number: Int) {
        let file = Vector.file("EXIF/\(number).tiff")
        for count in 0..<32 {
            #expect(ImageOrientation(tiff: file.span.extracting(0..<count)) == nil)
        }
        for i in file.indices {
            for change: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                var bytes = file
                bytes[i] ^= change
                _ = ImageOrientation(tiff: bytes.span)
            }
        }
    }

    @Test("invalid values, types, and counts give no orientation")
    func nonsense() {
        let good = Vector.file("EXIF/6.tiff")  // big-endian; its second entry starts at byte 22
        func changed(_ offset: Int, _ value: UInt8) -> ImageOrientation? {
            var bytes = good
            bytes[offset] = value
            return ImageOrientation(tiff: bytes.span)
        }
        #expect(changed(31, 8) == .turn270)
        // 0, 9, 262.
        #expect(changed(31, 0) == nil && changed(31, 9) == nil && changed(30, 1) == nil)
        #expect(changed(25, 5) == nil && changed(29, 2) == nil)  // a RATIONAL; two of them
        #expect(changed(25, 4) == nil)  // a LONG of 0x60000
        // A directory beyond the end, and one that is too short.
        #expect(changed(4, 0xFF) == nil && changed(9, 1) == nil)
        #expect(changed(8, 0xFF) == .turn90)  // one too long, but it is there
    }

    @Test("damaged EXIF data does not affect decoding", arguments: [0, 7, 8, 12, 20, 28])
    func brokenInside(offset: Int) throws {
        let bytes = Vector.named("JPEG/exif-1.jpg").bytes
        let exif = try #require(bytes.indices.first { bytes[$0...].starts(with: "Exif".utf8) }) + 6
        var broken = bytes
        broken[exif + offset] = 0xEE
        #expect(try ImageDecoder.decode(broken) == ImageDecoder.decode(bytes))
    }
}
