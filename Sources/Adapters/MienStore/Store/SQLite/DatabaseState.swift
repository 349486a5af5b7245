internal import Foundation
internal import GRDB
internal import MienAPI

/// The state of a database by its own file, without its write-ahead log.
///
/// A server that has opened a database marks its file as in use, and removes the mark when it closes
/// the database. A file in use belongs to a write-ahead log: without one, it may lack everything since
/// the log was last folded into it.
struct DatabaseState {
    /// SQLite's header: the version is at offset 60, big-endian.
    private static let headerSize = 100, versionOffset = 60

    let mark: DatabaseMark
    let hasLog: Bool

    init(ofFile path: String) {
        hasLog = FileManager.default.fileExists(atPath: path + "-wal")
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        let header = (try? file?.read(upToCount: Self.headerSize)).map { Array($0) } ?? []
        let version =
            header.count == Self.headerSize
            ? header[Self.versionOffset..<Self.versionOffset + 4].reduce(0) {
                $0 << 8 | UInt32($1)
            } : 0
        mark = DatabaseMark(rawValue: version) ?? .unused
    }

    /// Returns why the database may lack committed data; `nil` if nothing speaks for it.
    ///
    /// - Parameters:
    ///   - head: The last entry that the server made durable, from the file beside the database.
    ///   - found: The database's last entry, and the one with the head's number.
    func flaw(head: AuditChain?, last: AuditChain?, sameNumber: AuditChain?) -> String? {
        if let head, head.number > 0 {
            guard let last, last.number >= head.number else {
                return
                    "ends with audit entry \(last?.number ?? 0), but its server had committed entry \(head.number): it is an older copy, or was copied without its write-ahead log (-wal)"
            }
            if let sameNumber, sameNumber.hash != head.hash {
                return
                    "has another audit entry \(head.number) than the one its server committed: it belongs to another server, or is an older copy that went on"
            }
            return nil
        }
        guard mark == .inUse, !hasLog, head == nil else { return nil }
        return
            "was copied without its write-ahead log (-wal) while a server was using it, so it may lack the latest writes"
    }
}

extension Database {
    /// The last entry of the audit log, or of its pruned part; `nil` if there is none, or no log
    /// yet.
    func lastAuditEntry() -> AuditChain? {
        entry("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
            ?? entry("SELECT number, hash FROM audit_anchor LIMIT 1")
    }

    func auditEntry(_ number: Int64) -> AuditChain? {
        entry("SELECT number, hash FROM audit WHERE number = \(number)")
    }

    private func entry(_ sql: String) -> AuditChain? {
        guard let row = try? Row.fetchOne(cachedStatement(sql: sql)),
            let number = Int64.fromDatabaseValue(row[0]), let hash = Data.fromDatabaseValue(row[1])
        else { return nil }
        return AuditChain(number: number, hash: Array(hash))
    }
}
