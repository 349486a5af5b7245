import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

/// Reads and writes files of exported audit entries: docs/spec/audit-log.md.
enum AuditExportFile {
    struct Exported {
        let start, end: AuditChain
    }

    /// Exports the server's entries after number `after` and before `until`, checking each entry.
    /// The file appears when it is complete.
    static func write(_ path: String, after: Int?, until: Instant?, from admin: MienAdmin)
        async throws -> Exported
    {
        let part = path + ".part"
        guard
            FileManager.default.createFile(
                atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: part)
        else { throw Failure(.badInput, "file.not-writable", "\(part) cannot be written") }
        do {
            let exported = try await write(to: handle, after: after, until: until, from: admin)
            try handle.synchronize()
            try handle.close()
            guard unsafe rename(part, path) == 0 else {
                throw Failure(.badInput, "file.not-writable", "\(path) cannot be written")
            }
            return exported
        } catch {
            try? FileManager.default.removeItem(atPath: part)
            throw error
        }
    }

    private static func write(
        to handle: FileHandle, after: Int?, until: Instant?, from admin: MienAdmin
    ) async throws -> Exported {
        var segment = try await admin.auditSegment(after: after)
        guard let start = segment.start.position else { throw broken(segment.start.number) }
        var position = start
        func put(_ line: String) throws { try handle.write(contentsOf: Data((line + "\n").utf8)) }
        try put(AuditExport.header(start))
        reading: while !segment.entries.isEmpty {
            // If entries were pruned in the meantime, the segment starts later.
            guard segment.start.position == position else {
                throw broken(Int(position.number) + 1)
            }
            for stored in segment.entries {
                if let until, stored.at >= until.milliseconds { break reading }
                let entry = AuditChain.Entry(
                    at: stored.at, event: stored.event, actor: stored.actor, account: stored.userID,
                    app: stored.appID, detail: stored.detail)
                guard let next = position.appending(entry), Int(next.number) == stored.number,
                    Base64URL.encode(next.hash) == stored.hash
                else {
                    throw broken(stored.number)
                }
                try put(AuditExport.line(entry, next))
                position = next
            }
            segment = try await admin.auditSegment(after: Int(position.number))
        }
        try put(AuditExport.footer(position))
        return Exported(start: start, end: position)
    }

    private static func broken(_ number: Int) -> Failure {
        Failure(
            .badInput, "audit.broken",
            "entry \(number) was modified; nothing was exported. Run mien admin audit verify"
        )
    }

    /// Verifies a file.
    ///
    /// - Throws: ``Failure`` that names the line or entry.
    static func verified(_ path: String) throws -> (start: AuditChain, end: AuditChain) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Failure(
                .badInput, "file.not-found",
                "\(path) cannot be read; check the path and its permissions")
        }
        defer { try? handle.close() }
        var verifier = AuditExport.Verifier(), rest: [UInt8] = []
        do {
            while let block = try handle.read(upToCount: 1 << 16), !block.isEmpty {
                rest += block
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    try verifier.take(rest[..<end])
                    rest.removeFirst(end + 1)
                }
                guard rest.count <= AuditExport.maxLineBytes else {
                    throw AuditExport.Fault.malformed(line: verifier.lines + 1)
                }
            }
            if !rest.isEmpty { try verifier.take(rest) }
            _ = try verifier.finish()
        } catch let fault as AuditExport.Fault {
            switch fault {
            case .malformed(let line):
                throw Failure(
                    .badInput, "audit.malformed",
                    "\(path), line \(line): this is not a line of an exported audit log")
            case .broken(let number):
                throw Failure(
                    .badInput, "audit.broken",
                    "\(path): entry \(number) was modified, is missing, or was inserted"
                )
            case .cutShort:
                throw Failure(
                    .badInput, "audit.cut-short",
                    "\(path) is truncated; export it again")
            }
        }
        return (verifier.start!, verifier.end!)
    }

    /// `2026-12-31` or `2026-12-31T18:00:00Z`
    static func moment(_ text: String) throws -> Instant {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard text.utf8.count <= 30, let date = try? Date(full, strategy: .iso8601) else {
            throw ValidationError(
                "“\(text)” is not a date such as 2026-12-31 or 2026-12-31T18:00:00Z")
        }
        return Instant(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
    }
}
