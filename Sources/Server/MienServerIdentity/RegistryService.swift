package import MienAPI
package import MienCore
internal import MienIdentity
package import MienServerCore
package import MienStore

/// Imports people into the reference registry.
package struct RegistryService: Sendable {
    /// The maximum size of one request's rows in bytes.
    package static let maxBytes = 4 * 1024 * 1024
    /// Rows are sealed by this number of tasks at once.
    private static let parts = 4

    let store: Store
    let clock: ServerClock

    package init(store: Store, clock: ServerClock) { (self.store, self.clock) = (store, clock) }

    package func count() async throws -> Int { try await store.read { try $0.registry.count() } }

    /// Inserts or replaces the people of a file with a header row, all or none.
    ///
    /// - Throws: ``Problem`` that names the first invalid row and repeats nothing of it.
    package func `import`(_ bytes: [UInt8], by actor: String) async throws -> RegistryImportAnswer {
        let now = clock.now, rows = try Self.rows(bytes)
        let people = try await sealed(rows)
        try await store.write { tables in
            try tables.registry.put(people, at: now)
            try tables.audit.append(
                AuditEvent(
                    "registry.imported", actor: actor,
                    detail: ["people": .number(Double(people.count))]), at: now)
        }
        return RegistryImportAnswer(imported: people.count, importedAt: now.milliseconds)
    }

    private static func rows(_ bytes: [UInt8]) throws -> [RegistryRow] {
        var file = RegistryFile()
        do throws(RegistryFileError) {
            var rows = try file.read(bytes)
            if let last = try file.finish() { rows.append(last) }
            return rows
        } catch { throw Problem(.invalidRequest, "\(error).") }
    }

    private func sealed(_ rows: [RegistryRow]) async throws -> [RegistryTable.Sealed] {
        let keys = store.keys, size = max(1, (rows.count + Self.parts - 1) / Self.parts)
        let parts = stride(from: 0, to: rows.count, by: size).map {
            $0..<min(rows.count, $0 + size)
        }
        return try await withThrowingTaskGroup(
            of: (Int, [RegistryTable.Sealed]).self
        ) { group in
            for part in parts {
                group.addTask {
                    var people: [RegistryTable.Sealed] = []
                    people.reserveCapacity(part.count)
                    for index in part {
                        do {
                            people.append(try RegistryTable.Sealed(rows[index], keys: keys))
                        } catch let error as IdentityError {
                            throw Problem(
                                .invalidRequest,
                                errors: [
                                    .init(field: "rows[\(index)]", message: error.reason)
                                ])
                        }
                    }
                    return (part.lowerBound, people)
                }
            }
            var found: [Int: [RegistryTable.Sealed]] = [:]
            for try await (start, people) in group { found[start] = people }
            return parts.flatMap { found[$0.lowerBound] ?? [] }
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
