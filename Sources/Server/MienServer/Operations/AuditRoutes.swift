package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for the audit log: reading, verifying, exporting, pruning.
package struct AuditRoutes {
    let store: Store
    let clock: ServerClock
    let body: JSONBody

    /// The number of entries in a segment, which stays well below the megabyte that clients accept.
    private static let segmentSize = 500
    /// The number of entries that one transaction verifies and removes.
    private static let pruneBatch = 1000

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("audit") { request, _ in
            let after = try Self.number(request, "after"), search = try AuditSearch(request)
            try await store.writeCounted(at: clock.now)
            let entries = try await store.read {
                try $0.audit.page(search, after: after, count: AdminRecords.pageSize)
            }
            return JSONBody.response(
                Page(
                    items: entries.map(Self.answer),
                    next: entries.count == AdminRecords.pageSize
                        ? entries.last.map { String($0.number) } : nil))
        }
        router.get("audit/events") { _, _ in
            try await store.writeCounted(at: clock.now)
            return JSONBody.response(Page(items: try await store.read { try $0.audit.events() }))
        }
        router.get("audit/verify") { _, _ in
            let (verdict, start) = try await store.read {
                (try $0.audit.verify(), try? $0.audit.start())
            }
            switch verdict {
            case .whole(let entries, let last):
                return JSONBody.response(
                    AuditVerdictAnswer(
                        isWhole: true, entries: entries, lastHash: Base64URL.encode(last),
                        start: start.flatMap { $0.number == 0 ? nil : AuditPosition($0) }))
            case .broken(let number):
                return JSONBody.response(AuditVerdictAnswer(isWhole: false, brokenAt: number))
            }
        }
        router.get("audit/segment") { request, _ in
            let after = try Self.number(request, "after")
            try await store.writeCounted(at: clock.now)
            let segment = try await Self.known {
                try await store.read { try $0.audit.segment(after: after, count: Self.segmentSize) }
            }
            return JSONBody.response(
                AuditSegmentAnswer(
                    start: AuditPosition(segment.start),
                    entries: segment.entries.map { AuditSegmentEntry($0.entry, $0.position) }))
        }
        router.post("audit/prune") { request, context in
            let wanted = try await body.read(
                AuditPosition.self, AuditPosition.CodingKeys.self, from: request)
            guard wanted.number >= 1, let hash = Base64URL.decode(wanted.hash),
                hash.count == AuditChain.start.hash.count
            else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "number",
                            message:
                                "must be the number of an entry, and hash its hash, as at the end of the exported file"
                        )
                    ])
            }
            return JSONBody.response(
                try await prune(
                    through: AuditChain(number: Int64(wanted.number), hash: hash),
                    actor: context.actor))
        }
    }

    private func prune(through last: AuditChain, actor: String) async throws -> AuditPruneAnswer {
        let now = clock.now
        var removed = 0, batch = 0
        repeat {
            batch = try await Self.known {
                try await store.write {
                    try $0.audit.prune(through: last, atMost: Self.pruneBatch, at: now)
                }
            }
            removed += batch
        } while batch == Self.pruneBatch
        let count = removed
        let start = try await store.write { tables in
            if count > 0 {
                try tables.audit.append(
                    .pruned(count, through: tables.audit.start(), by: actor), at: now)
            }
            return try tables.audit.start()
        }
        return AuditPruneAnswer(removed: removed, start: AuditPosition(start))
    }

    /// - Throws: ``Problem`` if the log does not have the entry or has been modified.
    private static func known<Output>(_ body: () async throws -> Output) async throws -> Output {
        do { return try await body() } catch let error as StoreError where error.code == .stale {
            throw Problem(
                .notFound,
                "The audit log has no such entry. It was pruned, or it belongs to another log.")
        } catch let error as StoreError where error.code == .corrupt {
            throw Problem(
                .conflict,
                "The audit log was modified after it was written. Verify its chain to find the entry."
            )
        }
    }

    private static func number(_ request: Request, _ name: String) throws -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: name, message: "must be the number of an entry")])
        }
        return number
    }

    private static func answer(_ entry: AuditEntry) -> AuditEntryAnswer {
        AuditEntryAnswer(
            number: entry.number, at: entry.at.milliseconds, event: entry.event.event,
            actor: entry.event.actor, userID: entry.event.account?.text,
            appID: entry.event.app?.text, detail: entry.event.detail,
            hash: Base64URL.encode(entry.hash))
    }
}

extension AuditEvent {
    /// Returns the event for entries that were removed from the start of the log.
    static func pruned(_ count: Int, through last: AuditChain, by actor: String) -> AuditEvent {
        AuditEvent(
            "audit.pruned", actor: actor,
            detail: ["through": .number(Double(last.number)), "entries": .number(Double(count))])
    }
}

extension AuditPosition {
    fileprivate init(_ link: AuditChain) {
        self.init(number: Int(link.number), hash: Base64URL.encode(link.hash))
    }
}

extension AuditSegmentEntry {
    fileprivate init(_ entry: AuditChain.Entry, _ link: AuditChain) {
        self.init(
            number: Int(link.number), at: entry.at, event: entry.event, actor: entry.actor,
            userID: entry.account, appID: entry.app,
            detail: entry.detail, hash: Base64URL.encode(link.hash))
    }
}
