package import MienAPI
package import MienCore
package import MienIdentity
internal import MienStore

/// Imports people into the reference registry.
package struct RegistryService: Sendable {
    /// The maximum size of one request's rows in bytes.
    package static let maxBytes = 4 * 1024 * 1024
    /// Rows are read and sealed in parts of this size, so that other requests get their turns.
    private static let partBytes = 32 * 1024

    let store: Store
    let clock: ServerClock

    package func count() async throws -> Int { try await store.read { try $0.registry.count() } }

    /// Inserts or replaces the people of a file with a header row, all or none.
    ///
    /// - Returns: Where the encoding was stated, also the letters beyond ASCII, so that people can tell
    ///   whether it is another one.
    /// - Throws: ``Problem`` that names the first invalid row and repeats nothing of it.
    package func `import`(
        _ bytes: [UInt8], _ encoding: RegistryFile.Encoding = .unicode, by actor: String
    ) async throws -> RegistryImportAnswer {
        let now = clock.now, (people, letters) = try await sealed(bytes, encoding)
        try await store.write { tables in
            try tables.registry.put(people, at: now)
            try tables.audit.append(
                AuditEvent(
                    "registry.imported", actor: actor,
                    detail: ["people": .number(Double(people.count))]), at: now)
        }
        let noted = encoding == .unicode ? nil : letters
        return RegistryImportAnswer(
            imported: people.count, importedAt: now.milliseconds, rowsBeyondASCII: noted?.rows,
            letters: noted?.text)
    }

    /// Reads the rows, and seals each part on another processor while the next ones are read.
    private func sealed(_ bytes: [UInt8], _ encoding: RegistryFile.Encoding) async throws -> (
        people: [RegistryTable.Sealed], letters: RegistryLetters
    ) {
        let keys = store.keys
        return try await withThrowingTaskGroup(of: SealedPart.self) { group in
            var file = RegistryFile(encoding), read = 0, malformed: RegistryFileError?
            for start in stride(from: 0, through: bytes.count, by: Self.partBytes) {
                let end = min(bytes.count, start + Self.partBytes)
                var rows: [RegistryRow] = []
                do throws(RegistryFileError) {
                    rows = try file.read(bytes[start..<end])
                    if end == bytes.count, let last = try file.finish() { rows.append(last) }
                } catch { malformed = error }
                let part = rows, first = read
                read += part.count
                group.addTask { SealedPart(part, from: first, keys: keys) }
                if malformed != nil || end == bytes.count { break }
                await Task.yield()
            }
            var parts: [SealedPart] = []
            for try await part in group { parts.append(part) }
            parts.sort { $0.first < $1.first }
            // The rows before the malformed one are earlier in the file.
            if let fault = parts.lazy.compactMap(\.fault).first { throw fault }
            if let malformed {
                let hint =
                    malformed.isOfEncoding
                    ? ", or state the encoding if Excel saved it as “CSV”" : ""
                throw Problem(.invalidRequest, "\(malformed)\(hint).")
            }
            return (parts.flatMap(\.people), file.letters)
        }
    }

    /// Removes the people that no import since `time` listed.
    package func remove(importedBefore time: Instant, by actor: String) async throws -> Int {
        let batch = 1000, now = clock.now
        var removed = 0, found = 0
        repeat {
            found = try await store.write {
                try $0.registry.delete(updatedBefore: time, atMost: batch)
            }
            removed += found
        } while found == batch
        let count = removed
        try await store.write {
            try $0.audit.append(
                AuditEvent(
                    "registry.pruned", actor: actor, detail: ["people": .number(Double(count))]),
                at: now)
        }
        return removed
    }
}

/// Rows that follow each other in a file, sealed.
private struct SealedPart: Sendable {
    /// The number of the first row, counted from 0.
    let first: Int
    private(set) var people: [RegistryTable.Sealed] = []
    /// Names the first row whose data is not valid.
    private(set) var fault: Problem?

    init(_ rows: [RegistryRow], from first: Int, keys: StoreKeys) {
        self.first = first
        people.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            do throws(IdentityError) {
                people.append(try RegistryTable.Sealed(row, keys: keys))
            } catch {
                fault = Problem(
                    .invalidRequest, "line \(row.fileLine): \(error.reason).",
                    errors: [.init(field: "rows[\(first + index)]", message: error.reason)])
                return
            }
        }
    }
}
