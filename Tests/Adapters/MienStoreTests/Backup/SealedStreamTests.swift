import Crypto
import Foundation
import MienTesting
import Testing

@testable import MienStore

@Suite struct SealedStreamTests {
    private let scratch: ScratchFolder
    private let key = SymmetricKey(data: Array(1...32))

    init() throws { scratch = try ScratchFolder() }

    private func sealed(_ content: [UInt8]) throws -> [UInt8] {
        let name = UUID().uuidString
        let source = try scratch.write(content, to: name), target = scratch(name + ".sealed")
        let (size, sha256) = try StreamFiles.seal(source.path, to: target.path, key)
        let bytes = [UInt8](try Data(contentsOf: target))
        #expect(size == bytes.count && size == SealedStream.size(ofContent: content.count))
        #expect(sha256 == Array(SHA256.hash(data: bytes)))
        return bytes
    }

    private func opened(_ sealed: [UInt8], _ key: SymmetricKey? = nil) throws -> [UInt8]? {
        let source = try scratch.write(sealed, to: UUID().uuidString)
        let target = scratch(UUID().uuidString)
        do throws(BackupError) {
            try StreamFiles.open(source.path, to: target.path, key ?? self.key)
        } catch {
            #expect(error.code == .damaged)
            return nil
        }
        return [UInt8](try Data(contentsOf: target))
    }

    @Test(
        "a file of any size comes back as it was",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_001])
    func roundTrip(size: Int) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try opened(sealed(content)) == content)
    }

    @Test func `a changed, missing, repeated, or moved piece is refused`() throws {
        let piece = SealedStream.pieceSize + SealedStream.tagSize, head = SealedStream.magic.count
        let whole = try sealed([UInt8](repeating: 7, count: 3 * SealedStream.pieceSize + 5))
        let first = Array(whole[head..<head + piece])
        var changes = [
            Array(whole.dropLast(21)), Array(whole.prefix(head + piece)), whole + [0],
            whole + first, Array(whole.prefix(head)), [],
            Array(whole.prefix(head)) + whole.dropFirst(head + piece),
            Array(whole.prefix(head + piece)) + first + whole.dropFirst(head + 2 * piece),
        ]
        for index in [0, 4, head, head + piece - 1, head + piece, whole.count - 1] {
            var changed = whole
            changed[index] ^= 1
            changes.append(changed)
        }
        for changed in changes { #expect(try opened(changed) == nil) }
        #expect(try opened(whole, SymmetricKey(data: Array(2...33))) == nil)
    }

    @Test func `files of one backup cannot be exchanged`() throws {
        let key = BackupKey(Array(1...32))
        let source = try scratch.write([1, 2, 3], to: "a")
        _ = try StreamFiles.seal(source.path, to: scratch("a.sealed").path, key.fileKey("a"))
        #expect(throws: BackupError.self) {
            try StreamFiles.open(
                scratch("a.sealed").path, to: scratch("b").path, key.fileKey("b"))
        }
    }
}
