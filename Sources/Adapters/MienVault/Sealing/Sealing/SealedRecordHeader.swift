internal import MienCore

/// The unencrypted header of a sealed record, version 1: `docs/spec/sealed-record.md`.
struct SealedRecordHeader {
    static let magic = Array("MISR".utf8)
    static let version: UInt16 = 1
    static let nonceSize = 12, tagSize = 16, keyIDSize = 8
    /// The size of the header up to the wrap's nonce.
    static let keyPartSize = 20
    /// The size of the whole header. The content's ciphertext follows.
    static let size = 96

    var keyVersion: UInt32
    var keyID: [UInt8]
    var wrapNonce: [UInt8] = []
    var wrappedKey: [UInt8] = []
    var wrapTag: [UInt8] = []
    var nonce: [UInt8] = []
    var contentCount: UInt32 = 0

    /// Bytes 0..<20, authenticated by the wrap of the data key.
    var keyPart: [UInt8] {
        var writer = ByteWriter(capacity: Self.keyPartSize)
        putKeyPart(to: &writer)
        return writer.bytes
    }

    func putKeyPart(to writer: inout ByteWriter) {
        writer.put(Self.magic)
        writer.put(integer: Self.version)
        writer.put(integer: UInt16(0))
        writer.put(integer: keyVersion)
        writer.put(keyID)
    }

    /// Bytes 0..<96, authenticated with the content.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.size)
        for part in [keyPart, wrapNonce, wrappedKey, wrapTag, nonce] { writer.put(part) }
        writer.put(integer: contentCount)
        return writer.bytes
    }
}

extension SealedRecordHeader {
    /// Reads the header from the start of a record.
    init(from reader: inout ByteReader) throws(SealError) {
        let end = SealError.truncated(at: reader.remaining)
        guard let magic = reader.take(4), let version = reader.integer(UInt16.self),
            let reserved = reader.take(2)
        else { throw end }
        guard magic.elementsEqual(Self.magic) else { throw .magic }
        guard version == Self.version else { throw .version(version) }
        if let bad = reserved.firstIndex(where: { $0 != 0 }) {
            throw .reserved(at: 6 + bad - reserved.startIndex)
        }
        guard let keyVersion = reader.integer(UInt32.self), let keyID = reader.take(Self.keyIDSize),
            let wrapNonce = reader.take(Self.nonceSize),
            let wrappedKey = reader.take(MasterKey.size), let wrapTag = reader.take(Self.tagSize),
            let nonce = reader.take(Self.nonceSize), let contentCount = reader.integer(UInt32.self)
        else { throw end }
        self.init(
            keyVersion: keyVersion, keyID: Array(keyID), wrapNonce: Array(wrapNonce),
            wrappedKey: Array(wrappedKey),
            wrapTag: Array(wrapTag), nonce: Array(nonce), contentCount: contentCount)
    }
}
