internal import Crypto
internal import Foundation
internal import MienAPI
internal import MienCore

/// The file beside a database that names the last audit entry the database has made durable. A
/// database that lacks this entry is older than what its server acknowledged.
///
/// It is written in place after a commit that survives a power loss, without waiting for the disk:
/// after a power loss it is at worst older than the database, or unreadable, which both say nothing.
/// `docs/spec/storage.md` describes the file.
final class CommittedHead: Sendable {
    static let suffix = "-head"
    private static let magic = Array("MIENHD1\n".utf8)
    private static let size = magic.count + 8 + 32 + 32

    private let file: FileHandle
    private let written = Locked<AuditChain?>(nil)

    /// Opens the file at `path` for writing; creates it with mode 0600.
    init?(path: String) {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else { return nil }
        self.file = file
    }

    /// - Returns: `nil` if there is no such file, or if its writing was interrupted.
    static func read(path: String) -> AuditChain? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: size + 1), data.count == size else { return nil }
        let content = Array(data.dropLast(32))
        guard Array(SHA256.hash(data: content)) == Array(data.suffix(32)) else { return nil }
        var reader = ByteReader(content)
        guard let magic = reader.take(magic.count), magic.elementsEqual(Self.magic),
            let number = reader.int64(), let hash = reader.take(32)
        else { return nil }
        return AuditChain(number: number, hash: Array(hash))
    }

    /// Writes `head` unless it is there. A failure leaves an older head, which is safe.
    func write(_ head: AuditChain) {
        written.withLock { written in
            guard written != head else { return }
            var writer = ByteWriter(capacity: Self.size)
            writer.put(Self.magic)
            writer.put(integer: head.number)
            writer.put(head.hash)
            writer.put(SHA256.hash(data: writer.bytes))
            do {
                try file.seek(toOffset: 0)
                try file.write(contentsOf: Data(writer.bytes))
                written = head
            } catch { written = nil }
        }
    }
}
