import MienMedia
import Testing

@Suite("Reading headers")
struct ProbeTests {
    @Test("probing and decoding report the same format and upright sides", arguments: Vector.all)
    func agreesWithDecoding(vector: Vector) throws {
        let info = try ImageDecoder.probe(vector.bytes)
        #expect(info.format == vector.format)
        #expect(
            (info.uprightWidth, info.uprightHeight) == (vector.image.width, vector.image.height))
    }

    @Test(
        "probing needs only the header",
        arguments: [("PNG/rgb8.png", 33), ("GIF/colours4.gif", 10)])
    func headerAlone(name: String, count: Int) throws {
        let info = try ImageDecoder.probe(Array(Vector.named(name).bytes[..<count]))
        #expect((info.width, info.height) == (11, 9))
    }

    @Test("a JPEG is probed up to its first scan")
    func jpegHeaderAlone() throws {
        let bytes = Vector.named("JPEG/exif-6.jpg").bytes
        let scan = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let info = try ImageDecoder.probe(Array(bytes[..<(scan + 14)]))
        #expect((info.width, info.height, info.orientation) == (16, 24, .turn90))
        #expect((info.uprightWidth, info.uprightHeight) == (24, 16))
        #expect(throws: ImageError.truncated(.jpeg)) {
            try ImageDecoder.probe(Array(bytes[..<scan]))
        }
    }

    @Test("sides beyond every limit are reported without a check")
    func bigSides() throws {
        let info = try ImageDecoder.probe(Header.png(60_000, 70_000))
        #expect((info.width, info.height) == (60_000, 70_000))
    }
}
