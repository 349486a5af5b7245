import Foundation
import MienFace
import MienMedia
import Testing

/// Invalid photos: each exits with 2, a stable code, and the path in the message.
@Suite struct PhotoErrorTests {
    enum Bad: String, CaseIterable {
        case empty, truncatedPNG, truncatedJPEG, corruptPNG, text, pdf, tooManyBytes, tooManyPixels,
            sides

        var code: String {
            switch self {
            case .empty: "image.empty"
            case .truncatedPNG, .truncatedJPEG: "image.truncated"
            case .corruptPNG: "image.corrupt"
            case .text, .pdf: "image.unsupported-type"
            case .tooManyBytes: "image.too-many-bytes"
            case .tooManyPixels: "image.too-many-pixels"
            case .sides: "image.sides"
            }
        }

        var bytes: [UInt8] {
            switch self {
            case .empty: []
            case .truncatedPNG: Array(Self.png.prefix(Self.png.count / 2))
            case .truncatedJPEG: Array(Self.jpeg.prefix(Self.jpeg.count / 2))
            case .corruptPNG:
                Self.png.enumerated().map { $0.offset == 45 ? $0.element ^ 0xFF : $0.element }
            case .text: Array("Dear Sir or Madam".utf8)
            case .pdf: Array("%PDF-1.7\n1 0 obj\n".utf8)
            case .tooManyBytes: Self.png + [UInt8](repeating: 0, count: 16 * 1_048_576)
            case .tooManyPixels: Self.header(width: 30_000, height: 30_000)
            case .sides: Self.header(width: 40_000, height: 2)
            }
        }

        /// Stripes, so that the picture does not compress to nothing.
        private static let picture: RGBImage = {
            var image = RGBImage(width: 160, height: 120, filledWith: .white)
            for y in 0..<120 {
                for x in 0..<160 {
                    image[x, y] = RGBColor(UInt8(x), UInt8(y * 2), UInt8((x * y) % 251))
                }
            }
            return image
        }()
        private static let png = PNGEncoder.encode(picture), jpeg = JPEGEncoder.encode(picture)

        /// A PNG with other dimensions in its header, with the correct checksum.
        private static func header(width: UInt32, height: UInt32) -> [UInt8] {
            func bytes(_ number: UInt32) -> [UInt8] {
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
            var file = png
            file.replaceSubrange(16..<24, with: bytes(width) + bytes(height))
            file.replaceSubrange(29..<33, with: bytes(checksum(file[12..<29])))
            return file
        }

        /// PNG's CRC-32, bit by bit.
        private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
            ~bytes.reduce(UInt32.max) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                    sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1
                }
            }
        }
    }

    @Test(arguments: Bad.allCases) func `an invalid photo is refused with its path and code`(
        bad: Bad
    ) async throws {
        let home = try TemporaryHome(hasPack: false)
        let path = try home.write(bad.bytes, as: "photo of \(bad.rawValue).jpg")
        let result = try await home.mien("face", "inspect", path, "--json")
        #expect(result.status == 2 && result.err.hasPrefix("mien: \(path): "))
        let error = try result.error
        #expect(error.code == bad.code && error.message.hasPrefix("\(path): "), "\(error)")
        #expect(result.err == "mien: \(error.message)\n")
    }

    @Test(.needsFaces, arguments: Bad.allCases)
    func `enroll refuses an invalid photo and writes nothing`(
        bad: Bad
    ) async throws {
        let home = try TemporaryHome()
        let path = try home.write(bad.bytes, as: "bad.png")
        let result = try await home.mien(
            "face", "enroll", "ada", home.photo("obama"), path, "--json")
        #expect(
            try result.status == 2 && result.error.code == bad.code && result.err.contains(path))
        #expect(home.records.isEmpty)
    }

    @Test func `missing files and folders are refused`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let missing = home.files.appending(path: "none.jpg").path
        for (path, code) in [(missing, "file.not-found"), (home.files.path, "file.is-directory")] {
            let result = try await home.mien("face", "inspect", path, "--json")
            #expect(
                try result.status == 2 && result.error.code == code && result.err.contains(path))
        }
    }

    @Test func `a limit on bytes can be lowered`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let path = try home.write(
            PNGEncoder.encode(RGBImage(width: 64, height: 64, filledWith: .white)), as: "white.png")
        let result = try await home.mien("face", "inspect", path, "--max-bytes", "10", "--json")
        #expect(
            try result.status == 2 && result.error.code == "image.too-many-bytes"
                && result.err.contains("10"))
        #expect(try await home.mien("face", "inspect", path, "--max-bytes", "0").status == 2)
    }

    @Test(.needsFaces) func `missing files are refused when somebody is enrolled`() async throws {
        let home = try TemporaryHome()
        try await home.mien("face", "enroll", "ada", home.photo("obama"))
        let missing = home.files.appending(path: "none.jpg").path
        let verified = try await home.mien("face", "verify", "ada", missing, "--json")
        #expect(
            try verified.status == 2 && verified.error.code == "file.not-found"
                && verified.err.contains(missing))
        let identified = try await home.mien("face", "identify", missing)
        #expect(
            identified.status == 2 && identified.err.contains(missing) && identified.out.isEmpty)
    }
}
