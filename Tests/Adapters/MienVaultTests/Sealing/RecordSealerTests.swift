import Foundation
import MienServerTesting
import MienVault
import Testing

/// `docs/spec/sealed-record.md`.
@Suite struct RecordSealerTests {
    static let key = MasterKey(bytes: Array(1...32)), identity = [UInt8](0..<16)
    /// The purpose of the published records.
    static let face = SealPurpose(label: "mien/v1/face-template")

    static func sealer(_ key: MasterKey = key, _ purpose: SealPurpose = face)
        -> RecordSealer
    {
        RecordSealer(key: key, purpose: purpose, random: .counting())
    }

    @Test func `published records are sealed and opened byte for byte`() throws {
        for vector in try Vectors.load().records {
            let key = MasterKey(bytes: bytes(hex: vector.masterKey), version: vector.keyVersion)
            #expect(key.id == bytes(hex: vector.keyID), "\(vector.name)")
            let purpose: SealPurpose =
                vector.purpose == "mien/v1/example"
                ? SealPurpose(label: "mien/v1/example") : Self.face
            #expect(purpose.label == vector.purpose)
            let sealer = RecordSealer(
                key: key, purpose: purpose, random: .replaying(bytes(hex: vector.random)))
            let content = bytes(hex: vector.content), identity = bytes(hex: vector.identity)
            #expect(
                sealer.seal(content, identity: identity) == bytes(hex: vector.record),
                "\(vector.name)")
            #expect(
                try sealer.open(bytes(hex: vector.record), identity: identity) == content,
                "\(vector.name)")
        }
    }

    @Test func `any flipped bit is rejected`() {
        let record = Self.sealer().seal(Array(0..<40), identity: Self.identity)
        var codes: Set<String> = []
        for bit in 0..<8 * record.count {
            var flipped = record
            flipped[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: SealError.self, "bit \(bit)") {
                try Self.sealer().open(flipped, identity: Self.identity)
            }
            if let error { codes.insert(error.code) }
        }
        #expect(
            codes == [
                "seal.magic", "seal.version", "seal.reserved", "seal.key-version",
                "seal.foreign-key", "seal.truncated", "seal.trailing-bytes",
                "seal.refused",
            ])
    }

    @Test func `a truncated or extended record is rejected`() {
        let record = Self.sealer().seal(Array(0..<40), identity: Self.identity)
        for end in 0..<record.count {
            #expect(throws: SealError.truncated(at: end)) {
                try Self.sealer().open(Array(record[..<end]), identity: Self.identity)
            }
        }
        #expect(throws: SealError.trailingBytes(at: record.count)) {
            try Self.sealer().open(record + [0], identity: Self.identity)
        }
    }

    @Test func `a record opens only in its place, for its purpose, under its key`() throws {
        let record = Self.sealer().seal([1, 2, 3], identity: Self.identity)
        #expect(throws: SealError.refused) {
            try Self.sealer().open(record, identity: Array(1...16))
        }
        #expect(throws: SealError.refused) { try Self.sealer().open(record, identity: []) }
        #expect(throws: SealError.refused) {
            try Self.sealer(Self.key, SealPurpose(label: "mien/v1/face-templatE")).open(
                record, identity: Self.identity)
        }
        #expect(throws: SealError.foreignKey) {
            try Self.sealer(MasterKey(bytes: Array(2...33))).open(record, identity: Self.identity)
        }
        #expect(throws: SealError.keyVersion(1)) {
            try Self.sealer(MasterKey(bytes: Array(1...32), version: 2)).open(
                record, identity: Self.identity)
        }
    }

    @Test func `a letter moved from the purpose to the identity is detected`() {
        let record = Self.sealer(Self.key, SealPurpose(label: "ab")).seal(
            [1], identity: Array("c".utf8))
        #expect(throws: SealError.refused) {
            try Self.sealer(Self.key, SealPurpose(label: "a")).open(
                record, identity: Array("bc".utf8))
        }
    }

    @Test func `the same content sealed twice shares only the unencrypted header`() {
        let sealer = RecordSealer(key: Self.key, purpose: Self.face)
        let a = sealer.seal([UInt8](repeating: 0, count: 64), identity: Self.identity)
        let b = sealer.seal([UInt8](repeating: 0, count: 64), identity: Self.identity)
        #expect(a.count == 64 + RecordSealer.overhead && a.count == b.count)
        #expect(
            a[20..<32] != b[20..<32] && a[32..<64] != b[32..<64] && a[80..<92] != b[80..<92]
                && a[96...] != b[96...])
    }

    /// A limitation of sealing that the specification documents.
    @Test func `an old record put back in its place still opens`() throws {
        let old = Self.sealer().seal([1], identity: Self.identity)
        _ = Self.sealer().seal([2], identity: Self.identity)
        #expect(try Self.sealer().open(old, identity: Self.identity) == [1])
    }
}

extension RandomSource {
    /// Returns `bytes` in order, in pieces of the requested size, and then starts over.
    fileprivate static func replaying(_ bytes: [UInt8]) -> RandomSource {
        let whole = Position()
        return RandomSource { count in
            let start = whole.advance(count, in: bytes.count)
            return Array(bytes[start..<start + count])
        }
    }
}

private final class Position: @unchecked Sendable {  // used by one test, on one thread
    private var next = 0

    func advance(_ count: Int, in total: Int) -> Int {
        defer { next = (next + count) % total }
        return next
    }
}

private func bytes(hex: String) -> [UInt8] {
    let digits = hex.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

private struct Vectors: Decodable {
    struct Record: Decodable {
        let name, masterKey, keyID, purpose, identity, content, random, record: String
        let keyVersion: UInt32
    }

    let records: [Record]

    static func load() throws -> Self {
        let url = try #require(
            Bundle.module.url(
                forResource: "sealed-record", withExtension: "json", subdirectory: "Vectors"))
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }
}
