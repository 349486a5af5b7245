internal import Crypto
internal import Foundation
internal import MienCore

/// Seals records for one purpose under one master key. `docs/spec/sealed-record.md` describes the
/// format.
///
/// Uses AES-256-GCM twice: each record has its own random key, which is wrapped by a key derived
/// from the master key. The purpose, the record's identity, and every byte of the header are
/// authenticated. A record therefore opens only in its own place, and any changed bit is rejected.
/// It does not detect an old version of the same record put back in its place.
///
/// Limit: 2³² records per master key and purpose, because 96-bit nonces are random (NIST SP 800-38D
/// §8.3).
public struct RecordSealer: Sendable {
    /// The difference between the sizes of a sealed record and its content, in bytes.
    public static let overhead = SealedRecordHeader.size + SealedRecordHeader.tagSize

    private let key: MasterKey
    private let purpose: SealPurpose
    private let random: RandomSource

    public init(key: MasterKey, purpose: SealPurpose, random: RandomSource = .system) {
        (self.key, self.purpose, self.random) = (key, purpose, random)
    }

    /// - Parameters:
    ///   - content: up to 2³² − 1 bytes. The length is visible, so pad content whose length is
    ///     secret.
    ///   - identity: identifies the record, for example by its row or file; 0…65,535 bytes.
    /// - Returns: `content.count + overhead` bytes.
    public func seal(_ content: [UInt8], identity: [UInt8]) -> [UInt8] {
        // At once, because each call asks the kernel: the data key, and both nonces.
        let fresh = random.bytes(MasterKey.size + 2 * SealedRecordHeader.nonceSize)
        let dataKey = Array(fresh[..<MasterKey.size])
        let wrapNonce = Array(fresh[MasterKey.size...].prefix(SealedRecordHeader.nonceSize))
        let nonce = Array(fresh.suffix(SealedRecordHeader.nonceSize))
        var record = ByteWriter(capacity: content.count + Self.overhead)
        SealedRecordHeader(keyVersion: key.version, keyID: key.id).putKeyPart(to: &record)
        record.put(
            encrypted: dataKey, key.wrappingKey(for: purpose), wrapNonce,
            bound(to: record.bytes, identity), tellingNonce: true)
        record.put(nonce)
        record.put(integer: UInt32(content.count))
        record.put(
            encrypted: content, SymmetricKey(data: dataKey), nonce,
            bound(to: record.bytes, identity))
        return record.bytes
    }

    /// Returns the content of a record that ``seal(_:identity:)`` created.
    ///
    /// - Throws: ``SealError``
    public func open(_ record: [UInt8], identity: [UInt8]) throws(SealError) -> [UInt8] {
        var reader = ByteReader(record)
        let header = try SealedRecordHeader(from: &reader)
        guard header.keyVersion == key.version else { throw .keyVersion(header.keyVersion) }
        guard header.keyID == key.id else { throw .foreignKey }
        guard let ciphertext = reader.take(Int(header.contentCount)),
            let tag = reader.take(SealedRecordHeader.tagSize)
        else {
            throw .truncated(at: record.count)
        }
        guard reader.remaining == 0 else { throw .trailingBytes(at: reader.offset) }
        let dataKey = try decrypt(
            header.wrappedKey[...], header.wrapTag[...], key.wrappingKey(for: purpose),
            header.wrapNonce, bound(to: header.keyPart, identity))
        return try decrypt(
            ciphertext, tag, SymmetricKey(data: dataKey), header.nonce,
            bound(to: header.bytes, identity))
    }

    /// Returns the additional data: purpose and identity, each preceded by its length in two bytes,
    /// then the header so far.
    private func bound(to header: [UInt8], _ identity: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(
            capacity: 4 + purpose.label.utf8.count + identity.count + header.count)
        writer.put(integer: UInt16(purpose.label.utf8.count))
        writer.put(purpose.label.utf8)
        writer.put(integer: UInt16(identity.count))
        writer.put(identity)
        writer.put(header)
        return writer.bytes
    }
}

extension ByteWriter {
    /// Appends a ciphertext and its tag.
    ///
    /// - Parameter tellingNonce: Whether the nonce comes before them.
    fileprivate mutating func put(
        encrypted bytes: [UInt8], _ key: SymmetricKey, _ nonce: [UInt8], _ data: [UInt8],
        tellingNonce: Bool = false
    ) {
        do {
            let box = try AES.GCM.seal(
                bytes, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: data)
            // `combined` is nil for nonces of other lengths.
            if let parts = box.combined { put(tellingNonce ? parts : parts.dropFirst(nonce.count)) }
        } catch {
            fatalError("AES-GCM rejected a 32-byte key and a 12-byte nonce")
        }
    }
}

private func decrypt(
    _ ciphertext: ArraySlice<UInt8>, _ tag: ArraySlice<UInt8>, _ key: SymmetricKey,
    _ nonce: [UInt8], _ data: [UInt8]
) throws(SealError) -> [UInt8] {
    do {
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext, tag: tag)
        return Array(try AES.GCM.open(box, using: key, authenticating: data))
    } catch {
        throw .refused
    }
}
