internal import MienCore
internal import MienFace

/// The binary form of what servers ask and answer each other: see docs/spec/gallery-search.md.
///
/// Numbers are little-endian. A message that is longer than its content, or whose values are out of
/// range, is rejected.
package enum GalleryMessage {
    /// More than the longest query and the longest answer have.
    package static let maxBytes = 8192
    private static let query = Array("MGQ1".utf8), answer = Array("MGA1".utf8)

    // MARK: Writing

    static func bytes(of asked: GalleryQuery, parts: Set<GalleryPart>) -> [UInt8] {
        var writer = ByteWriter(capacity: maxBytes)
        writer.put(query)
        writer.put(integer: mask(parts))
        writer.put(integer: UInt8(asked.limit))
        writer.put(integer: asked.threshold.value.bitPattern)
        writer.put(float: asked.statistics.mean)
        writer.put(float: asked.statistics.deviation)
        writer.put(text: asked.pack.text)
        writer.put(text: asked.app.text)
        writer.put(integer: UInt8(asked.exceptions.count))
        for face in asked.exceptions { writer.put(text: face.text) }
        writer.put(integer: UInt16(asked.probe.count))
        for number in asked.probe { writer.put(float: number) }
        return writer.bytes
    }

    static func bytes(of found: GalleryAnswer) -> [UInt8] {
        var writer = ByteWriter(capacity: maxBytes)
        writer.put(answer)
        writer.put(integer: mask(found.parts))
        writer.put(integer: UInt32(found.damaged))
        writer.put(integer: UInt8(found.candidates.count))
        for candidate in found.candidates {
            writer.put(float: candidate.normalizedScore)
            writer.put(text: candidate.face.text)
        }
        return writer.bytes
    }

    // MARK: Reading

    /// - Returns: `nil` for bytes that are no query.
    static func query(_ bytes: [UInt8]) -> (query: GalleryQuery, parts: Set<GalleryPart>)? {
        var reader = ByteReader(bytes)
        guard bytes.count <= maxBytes, reader.take(4).map(Array.init) == query,
            let parts = reader.integer(UInt64.self), let limit = reader.integer(UInt8.self),
            (1...GalleryQuery.maxLimit).contains(Int(limit)),
            let threshold = reader.integer(UInt64.self).map(Double.init(bitPattern:)),
            // Only one of the two zeros is written.
            MatchScore.range.contains(threshold), threshold.sign == .plus,
            let mean = reader.float(), (-1...1).contains(mean),
            let deviation = reader.float(), (CohortStatistics.minDeviation...2).contains(deviation),
            let pack = reader.text().flatMap({ try? PackID($0) }),
            let app = reader.text().flatMap({ AppID($0) }),
            let count = reader.integer(UInt8.self), count <= GalleryQuery.maxExceptions
        else { return nil }
        var exceptions: [AuthenticatorID] = []
        for _ in 0..<count {
            guard let face = reader.text().flatMap({ AuthenticatorID($0) }) else { return nil }
            exceptions.append(face)
        }
        guard let dimension = reader.integer(UInt16.self), reader.remaining == 4 * Int(dimension)
        else { return nil }
        let probe = (0..<dimension).compactMap { _ in reader.float() }
        return (
            GalleryQuery(
                app: app, pack: pack, vector: probe,
                statistics: CohortStatistics(mean: mean, deviation: deviation), limit: Int(limit),
                threshold: MatchScore(threshold), except: exceptions), Self.parts(parts)
        )
    }

    /// - Returns: `nil` for bytes that are no answer.
    static func answer(_ bytes: [UInt8]) -> GalleryAnswer? {
        var reader = ByteReader(bytes)
        guard bytes.count <= maxBytes, reader.take(4).map(Array.init) == answer,
            let parts = reader.integer(UInt64.self), let damaged = reader.integer(UInt32.self),
            let count = reader.integer(UInt8.self), count <= GalleryQuery.maxLimit
        else { return nil }
        var found = GalleryAnswer()
        (found.damaged, found.parts) = (Int(damaged), Self.parts(parts))
        for _ in 0..<count {
            guard let score = reader.float(), score.isFinite,
                let face = reader.text().flatMap({ AuthenticatorID($0) })
            else { return nil }
            found.candidates.append(.init(face: face, normalizedScore: score))
        }
        return reader.remaining == 0 ? found : nil
    }

    private static func mask(_ parts: Set<GalleryPart>) -> UInt64 {
        parts.reduce(0) { $0 | 1 << UInt64($1.number) }
    }

    private static func parts(_ mask: UInt64) -> Set<GalleryPart> {
        Set(GalleryPart.all.filter { mask >> UInt64($0.number) & 1 == 1 })
    }

    /// Reads a query, and writes it again. For the fuzzer, which compares.
    package static func rewritten(query bytes: [UInt8]) -> [UInt8]? {
        query(bytes).map { Self.bytes(of: $0.query, parts: $0.parts) }
    }

    /// Reads an answer, and writes it again. For the fuzzer, which compares.
    package static func rewritten(answer bytes: [UInt8]) -> [UInt8]? {
        answer(bytes).map { Self.bytes(of: $0) }
    }
}

extension ByteWriter {
    /// Appends a text of at most 255 bytes with its length.
    fileprivate mutating func put(text: String) {
        put(integer: UInt8(text.utf8.count))
        put(text.utf8)
    }
}

extension ByteReader {
    fileprivate mutating func text() -> String? {
        integer(UInt8.self).flatMap { take(Int($0)) }.flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
