import MienFace
import MienMedia
import Testing

@Suite("Damaged files")
struct DamageTests {
    @Test("a file cut off anywhere is reported as truncated", arguments: Vector.tiny)
    func cutOff(vector: Vector) {
        #expect(outcome([]) == .failure(.empty))
        let wrong = vector.bytes.indices.dropFirst().filter {
            outcome(Array(vector.bytes[..<$0])) != .failure(.truncated(vector.format))
        }
        #expect(wrong.isEmpty, "of \(vector.bytes.count) bytes")
    }

    /// Known limit: JPEG and GIF have no checksums, so a changed byte may produce another picture.
    @Test("any changed byte gives a picture or an error", arguments: Vector.tiny)
    func changedByte(vector: Vector) {
        let limits = ImageLimits(maxPixels: 1_000_000)
        for i in vector.bytes.indices {
            for change: UInt8 in [0x01, 0xFF] {
                var bytes = vector.bytes
                bytes[i] ^= change
                guard case .success(let image) = outcome(bytes, limits: limits) else { continue }
                if image.pixels.count != 3 * image.width * image.height {
                    Issue.record("byte \(i), change \(change)")
                }
            }
        }
    }

    @Test("any changed bit in a PNG's header, palette, or pixels is detected")
    func pngCheckSums() {
        let bytes = Vector.named("PNG/palette2.png").bytes
        for i in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[i] ^= 1 << bit
                if case .success = outcome(changed) { Issue.record("byte \(i), bit \(bit)") }
            }
        }
    }

    @Test(
        "a scan that ends early is truncated despite an end marker",
        arguments: ["colour", "grey", "subsampled", "progressive", "rgb"])
    func shortScan(name: String) throws {
        let bytes = Vector.named("JPEG/\(name).jpg").bytes
        let scan = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let data = scan + 2 + Int(bytes[scan + 3])
        #expect(outcome(Array(bytes[..<(data + 4)]) + [0xFF, 0xD9]) == .failure(.truncated(.jpeg)))
    }

    @Test("missing PNG pixels are truncated despite an end chunk")
    func shortPNG() throws {
        let bytes = Vector.named("PNG/rgb8.png").bytes
        let first = try #require(bytes.indices.first { bytes[$0...].starts(with: "IDAT".utf8) }) - 4
        let length = Int(bytes[first + 2]) << 8 + Int(bytes[first + 3])
        let second = first + 12 + length
        let end = Array(bytes.suffix(12))
        #expect(outcome(Array(bytes[..<second]) + end) == .failure(.truncated(.png)))
        #expect(outcome(Array(bytes[..<first]) + end) == .failure(.corrupt(.png)))  // none at all
    }

    @Test("damaged files never cause output")
    func silence() async throws {
        let output = try await #require(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            for vector in Vector.tiny {
                for i in stride(from: 0, to: vector.bytes.count, by: 7) {
                    var bytes = vector.bytes
                    bytes[i] ^= 0xFF
                    _ = outcome(bytes, limits: ImageLimits(maxPixels: 1_000_000))
                    _ = outcome(Array(bytes[..<i]))
                }
            }
        }
        #expect(output.standardOutputContent.isEmpty && output.standardErrorContent.isEmpty)
    }

    @Test("a GIF whose frame ends early is rejected")
    func shortGIF() {
        let code = outcome(Header.gif(10, 10, frame: (10, 10)))  // two pixels, then the end of data
        #expect(code == .failure(.truncated(.gif)))
    }

    @Test("contradictory files are reported as damaged")
    func contradictions() {
        let png = Vector.named("PNG/rgb8.png").bytes
        #expect(outcome(Array(png[..<8]) + png[33...]) == .failure(.corrupt(.png)))  // no IHDR
        #expect(outcome([0xFF, 0xD8, 0xFF, 0xD9]) == .failure(.corrupt(.jpeg)))
        // A length that excludes itself.
        #expect(outcome([0xFF, 0xD8, 0xFF, 0xE0, 0, 1]) == .failure(.corrupt(.jpeg)))
        // No tables.
        #expect(outcome(Header.jpeg(8, 8) + [0xFF, 0xD9]) == .failure(.corrupt(.jpeg)))
        // No frame.
        #expect(
            outcome(Array("GIF89a".utf8) + [5, 0, 5, 0, 0, 0, 0, 0x3B]) == .failure(.corrupt(.gif)))
        #expect(
            outcome(Array("GIF80a".utf8) + [5, 0, 5, 0, 0, 0, 0, 0x3B]) == .failure(.corrupt(.gif)))
        let unpainted =
            Array("GIF89a".utf8) + [
                1, 0, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0, 0x3B,
            ]
        #expect(outcome(unpainted) == .failure(.corrupt(.gif)))  // no palette
    }
}
