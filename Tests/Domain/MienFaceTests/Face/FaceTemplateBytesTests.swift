import Foundation
import MienCore
import MienFace
import Testing

/// `docs/spec/face-template.md`.
@Suite struct FaceTemplateBytesTests {
    @Test func `published templates are written and read byte for byte`() throws {
        for vector in try FaceTemplateVectors.load().accepted {
            let bytes = try unhex(vector.bytes), template = try vector.template()
            #expect(template.bytes == bytes, "\(vector.name)")
            #expect(try FaceTemplate(bytes: bytes) == template, "\(vector.name)")
            for (ours, theirs) in zip(
                template.mean.withValues { span in span.indices.map { span[$0] } },
                try floats(vector.mean))
            {
                #expect(abs(ours - theirs) < 1e-6, "\(vector.name)")
            }
        }
    }

    @Test func `published bad templates are rejected with the right code and offset`() throws {
        let codes = try FaceTemplateVectors.load().refused.map { vector in
            let error = #expect(throws: FaceTemplateFormatError.self, "\(vector.name)") {
                try FaceTemplate(bytes: unhex(vector.bytes))
            }
            #expect(error?.code.rawValue == vector.code, "\(vector.name)")
            #expect(error?.offset == vector.offset, "\(vector.name)")
            return vector.code
        }
        #expect(
            Set(codes) == Set(FaceTemplateFormatError.Code.allCases.map(\.rawValue)),
            "every code has a vector")
    }

    @Test(arguments: 1...8)
    func `a template survives writing and reading`(entries: Int) throws {
        for dimensions in [1, 2, 5, 128, 512, 1024] {
            let template = try madeUpTemplate(entries: entries, dimensions: dimensions)
            #expect(try FaceTemplate(bytes: template.bytes) == template)
        }
    }

    @Test func `the size does not reveal the number of entries`() throws {
        #expect(FaceTemplate.byteCount(dimensions: 128) == 4_312)
        for entries in 1...8 { #expect(try madeUpTemplate(entries: entries).bytes.count == 4_312) }
    }

    @Test func `a template truncated anywhere is rejected with that offset`() throws {
        let bytes = try madeUpTemplate(entries: 3, dimensions: 5).bytes
        for end in 0..<bytes.count {
            #expect(throws: FaceTemplateFormatError(.truncated, at: end)) {
                try FaceTemplate(bytes: bytes[..<end])
            }
        }
    }

    /// Not every flipped bit can be detected here, because a value may stay within the norm's
    /// tolerance. Detecting it is the seal's task. Everything that is accepted, however, means
    /// exactly what its bytes say.
    @Test func `any flipped bit is rejected or read literally`() throws {
        let bytes = try madeUpTemplate(entries: 2, dimensions: 3).bytes
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            guard let template = try? FaceTemplate(bytes: flipped) else { continue }
            #expect(template.bytes == flipped, "bit \(bit)")
        }
    }

    @Test func `the error shows only a code and an offset`() {
        #expect("\(FaceTemplateFormatError(.norm, at: 104))" == "template.norm: at byte 104")
    }
}

private struct FaceTemplateVectors: Decodable {
    struct Accepted: Decodable {
        struct Entry: Decodable { let quality: UInt8, yaw, pitch, roll: Float, seed: Int }

        let name: String, dimensions: Int, pack: String, createdAt: Int64, entries: [Entry],
            mean: String, bytes: String

        func template() throws -> FaceTemplate {
            try FaceTemplate(
                entries: entries.map { entry in
                    try .init(
                        descriptor: madeUpDescriptor(dimensions: dimensions, seed: entry.seed),
                        quality: entry.quality,
                        pose: HeadPose(yaw: entry.yaw, pitch: entry.pitch, roll: entry.roll))
                },
                packID: PackID(pack), createdAt: Instant(milliseconds: createdAt))
        }
    }

    struct Refused: Decodable { let name: String, bytes: String, code: String, offset: Int }

    let accepted: [Accepted], refused: [Refused]

    static func load() throws -> Self {
        let url = try #require(
            Bundle.module.url(
                forResource: "face-template", withExtension: "json", subdirectory: "Vectors"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Self.self, from: Data(contentsOf: url))
    }
}

private func unhex(_ text: String) throws -> [UInt8] {
    try stride(from: 0, to: text.count, by: 2).map { i in
        let start = text.utf8.index(text.startIndex, offsetBy: i)
        return try #require(UInt8(text[start..<text.utf8.index(start, offsetBy: 2)], radix: 16))
    }
}

private func floats(_ text: String) throws -> [Float] {
    let bytes = try unhex(text)
    return stride(from: 0, to: bytes.count, by: 4).map { i in
        Float(bitPattern: bytes[i..<i + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
