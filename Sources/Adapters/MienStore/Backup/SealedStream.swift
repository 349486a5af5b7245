internal import Crypto
internal import MienCore

/// A file of any size, sealed in pieces of 64 KiB so that neither writing nor reading needs more
/// memory. `docs/spec/backup.md` describes the bytes.
///
/// Each piece is sealed with AES-256-GCM under the file's key, with its number and whether it is the
/// last one in the nonce (STREAM, Hoang et al. 2015): pieces cannot be swapped, repeated, or left
/// out, also not at the end.
enum SealedStream {
    static let magic = Array("MIBK\u{1}\u{0}\u{0}\u{0}".utf8)
    static let pieceSize = 65_536, tagSize = 16

    /// The size of a sealed file with `count` bytes of content.
    static func size(ofContent count: Int) -> Int {
        magic.count + count + tagSize * max(1, (count + pieceSize - 1) / pieceSize)
    }

    /// - Parameter number: from 0; a file has fewer than 2³² pieces.
    fileprivate static func nonce(_ number: UInt32, isLast: Bool) -> AES.GCM.Nonce {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0]
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        bytes.append(isLast ? 1 : 0)
        guard let nonce = try? AES.GCM.Nonce(data: bytes) else {
            fatalError("AES-GCM rejected a 12-byte nonce")
        }
        return nonce
    }
}

/// Seals pieces, in order.
struct StreamSealer {
    private let key: SymmetricKey
    private var number: UInt32 = 0

    init(_ key: SymmetricKey) { self.key = key }

    /// - Parameter piece: ``SealedStream/pieceSize`` bytes; the last one has 1 to that many, or none
    ///   if the file is empty.
    mutating func seal(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        precondition(piece.count <= SealedStream.pieceSize && number < .max)
        defer { number += 1 }
        guard
            let box = try? AES.GCM.seal(
                piece, using: key, nonce: SealedStream.nonce(number, isLast: isLast))
        else { fatalError("AES-GCM rejected a 32-byte key and a 12-byte nonce") }
        return Array(box.ciphertext) + Array(box.tag)
    }
}

/// Opens pieces, in order.
struct StreamOpener {
    private let key: SymmetricKey
    private var number: UInt32 = 0
    private(set) var hasEnded = false

    init(_ key: SymmetricKey) { self.key = key }

    /// - Returns: the content; `nil` if the piece was changed, moved, or is not the last one as
    ///   stated.
    mutating func open(_ piece: [UInt8], isLast: Bool) -> [UInt8]? {
        guard !hasEnded, number < .max, piece.count >= SealedStream.tagSize,
            piece.count <= SealedStream.pieceSize + SealedStream.tagSize,
            let box = try? AES.GCM.SealedBox(
                nonce: SealedStream.nonce(number, isLast: isLast),
                ciphertext: piece.dropLast(SealedStream.tagSize),
                tag: piece.suffix(SealedStream.tagSize)),
            let content = try? AES.GCM.open(box, using: key)
        else { return nil }
        number += 1
        hasEnded = isLast
        return Array(content)
    }
}
