internal import Crypto
internal import Foundation
internal import MienCore

/// A position in the audit log's hash chain: the number of entries before it, and the hash that
/// covers them all.
///
/// Pure, so that a server, a program that reads an exported file, and a test compute the same
/// result. See docs/spec/audit-log.md.
public struct AuditChain: Sendable, Hashable {
    /// The fields of one entry as they are stored. `detail` is JSON with sorted keys and without
    /// spaces.
    public struct Entry: Sendable, Hashable {
        public let at: Int64
        public let event, actor, account, app, detail: String

        public init(
            at: Int64, event: String, actor: String, account: String, app: String, detail: String
        ) {
            (self.at, self.event, self.actor, self.account, self.app, self.detail) = (
                at, event, actor, account, app, detail
            )
        }
    }

    /// The number of the last entry; 0 before the first.
    public let number: Int64
    /// The hash of the last entry; 32 bytes.
    public let hash: [UInt8]

    public init(number: Int64, hash: [UInt8]) { (self.number, self.hash) = (number, hash) }

    /// The position before the first entry.
    public static let start = AuditChain(
        number: 0, hash: Array(SHA256.hash(data: Data("mien/v1/audit-log".utf8))))

    /// Returns the chain with one more entry, or `nil` if no number is left for it.
    public func appending(_ entry: Entry) -> AuditChain? {
        let (next, isFull) = number.addingReportingOverflow(1)
        guard !isFull else { return nil }
        var writer = ByteWriter()
        writer.put(hash)
        writer.put(integer: next)
        writer.put(integer: entry.at)
        for text in [entry.event, entry.actor, entry.account, entry.app, entry.detail] {
            writer.put(integer: UInt32(text.utf8.count))
            writer.put(text.utf8)
        }
        return AuditChain(number: next, hash: Array(SHA256.hash(data: Data(writer.bytes))))
    }
}
