import MienFace
import MienMedia
import Testing

@Suite("Decoding")
struct ImageDecoderTests {
    @Test("every kind of PNG, JPEG, and GIF decodes to its expected picture", arguments: Vector.all)
    func knownAnswer(vector: Vector) throws {
        let image = try ImageDecoder.decode(vector.bytes)
        let difference = try #require(
            largestDifference(image, vector.image), "sides are \(image.width)×\(image.height)")
        #expect(difference <= vector.tolerance)
    }

    @Test("the vectors cover every kind")
    func vectorsAreComplete() {
        let kinds = [
            "PNG": [
                "grey1", "grey2", "grey4", "grey8", "grey16", "rgb8", "rgb16", "palette1",
                "palette2", "palette4", "palette8",
            ].flatMap {
                [$0, "\($0)-trns"]
            }
                + ["grey-alpha8", "grey-alpha16", "rgb-alpha8", "rgb-alpha16"]
        ]
        let wanted = kinds["PNG"]!.flatMap { ["PNG/\($0).png", "PNG/\($0)-interlaced.png"] }
        #expect(Set(wanted).subtracting(Vector.all.map(\.name)).isEmpty)
        #expect(Vector.all.filter { $0.format == .jpeg }.count == 19)
        #expect(Vector.all.filter { $0.format == .gif }.count == 11)
    }

    @Test(
        "a picture is the same for every compression",
        arguments: ["optimised", "progressive", "restarts"])
    func sameCoefficients(name: String) throws {
        let plain = try ImageDecoder.decode(Vector.named("JPEG/colour.jpg").bytes)
        #expect(try ImageDecoder.decode(Vector.named("JPEG/\(name).jpg").bytes) == plain)
    }

    @Test(
        "interlaced and plain PNGs give the same pixels",
        arguments: Vector.all.filter { $0.name.hasSuffix("-interlaced.png") })
    func interlacing(vector: Vector) throws {
        let plain = vector.name.replacing("-interlaced", with: "")
        #expect(
            try ImageDecoder.decode(vector.bytes) == ImageDecoder.decode(Vector.named(plain).bytes))
    }

    @Test(
        "bytes after the end of a picture are ignored",
        arguments: ["PNG/rgb8.png", "JPEG/colour.jpg", "GIF/colours4.gif"])
    func trailingBytes(name: String) throws {
        let bytes = Vector.named(name).bytes
        #expect(
            try ImageDecoder.decode(bytes + Array("and more".utf8)) == ImageDecoder.decode(bytes))
    }

    @Test("stray bytes between JPEG segments, as left by some cameras, are skipped")
    func strayBytes() throws {
        let bytes = Vector.named("JPEG/colour.jpg").bytes
        let second = 2 + 2 + Int(bytes[4]) << 8 + Int(bytes[5])  // after the first segment
        let padded = Array(bytes[..<second]) + [0, 0, 0xFF, 0xFF] + bytes[second...]
        #expect(try ImageDecoder.decode(padded) == ImageDecoder.decode(bytes))
    }

    @Test("transparent pixels show white, not their hidden color")
    func background() throws {
        #expect(ImageDecoder.background == .white)
        let image = try ImageDecoder.decode(Vector.named("GIF/offset.gif").bytes)
        #expect(image[0, 0] == .white && image[12, 9] == .white && image[4, 3] != .white)
    }
}
