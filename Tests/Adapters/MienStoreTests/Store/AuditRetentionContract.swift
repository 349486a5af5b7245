import MienAPI
import MienCore
import Testing

@testable import MienStore

/// Pruning and counting: `docs/spec/audit-log.md`.
@Suite struct AuditRetentionContract {
    /// Creates a log of 9 entries and prunes the first 4.
    private static func pruned(_ kind: StoreKind, through number: Int = 4) async throws -> TestStore
    {
        let test = try await AuditContract.filled(kind, 9)
        let last = try await position(number, test)
        let removed = try await test.store.write {
            try $0.audit.prune(through: last, atMost: 100, at: .start)
        }
        #expect(removed == number)
        return test
    }

    private static func position(_ number: Int, _ test: TestStore) async throws -> AuditChain {
        try await test.store.read {
            try #require(
                try $0.audit.segment(after: nil, count: 100).entries.first {
                    $0.position.number == number
                }
            ).position
        }
    }

    private static func number(_ verdict: AuditTable.Verdict) -> Int? {
        if case .whole(let entries, _) = verdict { entries } else { nil }
    }

    @Test(arguments: StoreKind.allCases)
    func `a pruned log verifies with the same last hash and accepts new entries`(kind: StoreKind)
        async throws
    {
        let whole = try await AuditContract.verdict(AuditContract.filled(kind, 9)),
            test = try await Self.pruned(kind)
        #expect(try await AuditContract.verdict(test) == whole)
        let entries = try await test.store.read { try $0.audit.page(after: 0, count: 100) }
        #expect(entries.map(\.number) == [5, 6, 7, 8, 9])
        try await test.store.write {
            try $0.audit.append(AuditEvent("e", actor: "system"), at: .start)
        }
        #expect(try await Self.number(AuditContract.verdict(test)) == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `a fully pruned log continues with the next number`(kind: StoreKind)
        async throws
    {
        let test = try await Self.pruned(kind, through: 9)
        #expect(try await Self.number(AuditContract.verdict(test)) == 9)
        try await test.store.write {
            try $0.audit.append(AuditEvent("e", actor: "system"), at: .start)
        }
        #expect(
            try await test.store.read { try $0.audit.page(after: 0, count: 10) }.map(\.number) == [
                10
            ])
        #expect(try await Self.number(AuditContract.verdict(test)) == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func `after pruning, a change to any column of any entry is detected`(kind: StoreKind)
        async throws
    {
        let changes = [
            "number = number + 100", "at = at + 1", "event = 'x'", "actor = 'x'",
            "account_id = 'x'", "app_id = 'x'", "detail = '{}'",
            "hash = \(kind.bytes(String(repeating: "00", count: 32)))",
        ]
        for change in changes {
            for number in 5...9 {
                let test = try await Self.pruned(kind)
                try await test.sql(
                    "UPDATE audit SET \(change) WHERE number = ?", .integer(Int64(number)))
                #expect(
                    try await AuditContract.verdict(test) == .broken(number: number),
                    "\(change) of \(number)")
            }
        }
        for number in 5...8 {
            let test = try await Self.pruned(kind)
            try await test.sql("DELETE FROM audit WHERE number = ?", .integer(Int64(number)))
            #expect(try await AuditContract.verdict(test) == .broken(number: number))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a dropped, changed, exchanged, or duplicated anchor is detected`(kind: StoreKind)
        async throws
    {
        let zeros = kind.bytes(String(repeating: "00", count: 32))
        for change in [
            "DELETE FROM audit_anchor", "UPDATE audit_anchor SET number = 3",
            "UPDATE audit_anchor SET number = 5",
            "UPDATE audit_anchor SET number = 0", "UPDATE audit_anchor SET number = -1",
            "UPDATE audit_anchor SET hash = \(zeros)",
            "UPDATE audit_anchor SET mac = \(zeros)",
            "INSERT INTO audit_anchor (id, number, hash, mac, pruned_at) SELECT 2, number, hash, mac, pruned_at FROM audit_anchor",
        ] {
            let test = try await Self.pruned(kind)
            try await test.sql(change)
            #expect(try await AuditContract.verdict(test) == .broken(number: 1), "\(change)")
            #expect(
                await Self.refusal {
                    try await test.store.write { try $0.audit.prune(atMost: 1, at: .start) }
                } == .corrupt, "\(change)")
        }
        // A genuine anchor of an earlier pruning. The entries after it are missing.
        let test = try await Self.pruned(kind, through: 2),
            anchor = try await test.store.read { try $0.audit.start() }
        _ = try await test.store.write { try $0.audit.prune(atMost: 2, at: .start) }
        try await test.sql(
            "UPDATE audit_anchor SET number = ?, hash = ?, mac = ?", .integer(anchor.number),
            .blob(anchor.hash),
            .blob(TestStore.keys.mac(ofAnchor: anchor)))
        #expect(try await AuditContract.verdict(test) == .broken(number: 3))
        // An entry inserted where others were pruned.
        let filled = try await Self.pruned(kind)
        try await filled.sql(
            "INSERT INTO audit SELECT 2, at, event, actor, account_id, app_id, detail, hash FROM audit WHERE number = 5"
        )
        #expect(try await AuditContract.verdict(filled) == .broken(number: 2))
    }

    @Test(arguments: StoreKind.allCases) func `a changed log is not pruned`(
        kind: StoreKind
    ) async throws {
        for number in 1...4 {
            let test = try await AuditContract.filled(kind, 9)
            let last = try await Self.position(4, test)
            try await test.sql(
                "UPDATE audit SET actor = 'x' WHERE number = ?", .integer(Int64(number)))
            #expect(
                await Self.refusal {
                    try await test.store.write {
                        try $0.audit.prune(through: last, atMost: 100, at: .start)
                    }
                } == .corrupt)
            #expect(
                try await test.store.read { try $0.audit.page(after: 0, count: 100) }.count == 9)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `pruning through an entry of another log, or a future entry, removes nothing`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await AuditContract.filled(kind, 9), real = try await Self.position(4, test)
        for last in [
            AuditChain(number: 4, hash: AuditChain.start.hash),
            AuditChain(number: 5, hash: real.hash), AuditChain(number: 10, hash: real.hash),
        ] {
            #expect(
                await Self.refusal {
                    try await test.store.write {
                        try $0.audit.prune(through: last, atMost: 100, at: .start)
                    }
                } == .stale)
        }
        #expect(try await test.store.read { try $0.audit.page(after: 0, count: 100) }.count == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func `pruning by age removes entries in batches up to the first that stays`(kind: StoreKind)
        async throws
    {
        let test = try await AuditContract.filled(kind, 9)
        // Entry n was written at second n.
        let cutoff = Instant.start + .seconds(6)
        var counts: [Int] = []
        repeat {
            counts.append(
                try await test.store.write {
                    try $0.audit.prune(before: cutoff, atMost: 2, at: .start)
                })
        } while counts.last != 0
        #expect(counts == [2, 2, 1, 0])
        #expect(
            try await test.store.read { try $0.audit.page(after: 0, count: 100) }.map(\.number) == [
                6, 7, 8, 9,
            ])
        #expect(try await Self.number(AuditContract.verdict(test)) == 9)
    }

    @Test(arguments: StoreKind.allCases) func `segments join and verify as one file`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await Self.pruned(kind)
        var after: Int?, verifier = AuditExport.Verifier(), isFirst = true, end = AuditChain.start
        while true {
            let number = after
            let segment = try await test.store.read {
                try $0.audit.segment(after: number, count: 2)
            }
            if isFirst { try verifier.take(AuditExport.header(segment.start).utf8) }
            isFirst = false
            guard let last = segment.entries.last else { break }
            for (entry, position) in segment.entries {
                try verifier.take(AuditExport.line(entry, position).utf8)
            }
            (after, end) = (Int(last.position.number), last.position)
        }
        try verifier.take(AuditExport.footer(end).utf8)
        #expect(try verifier.finish() == 5)
        for number in [3, 10] {
            #expect(
                await Self.refusal {
                    _ = try await test.store.read { try $0.audit.segment(after: number, count: 2) }
                } == .stale)
        }
    }

    // MARK: Counting

    @Test(arguments: StoreKind.allCases)
    func `a thousand identical refusals become one entry with their count and times`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        for second in 0..<1000 {
            let event = AuditEvent(
                "password.refused", actor: "journey", app: second % 10 == 0 ? nil : .shop,
                detail: ["reason": "unknown"])
            try await test.store.write(.process) {
                try $0.audit.count(event, at: .start + .seconds(second))
            }
        }
        #expect(try await test.store.read { try $0.audit.page(after: 0, count: 10) }.isEmpty)
        #expect(try await test.store.read { try $0.audit.hasCounted() })
        #expect(
            try await test.store.write { try $0.audit.writeCounted(at: .start + .seconds(2000)) }
                == 2)
        let entries = try await test.store.read { try $0.audit.page(after: 0, count: 10) }
        let start = Double(Instant.start.milliseconds)
        #expect(
            entries.map(\.event.app) == [nil, .shop]
                && entries.map { $0.event.detail["count"] } == [100, 900])
        #expect(
            entries[1].event.detail["reason"] == "unknown"
                && entries[1].at == .start + .seconds(2000))
        #expect(
            entries[1].event.detail["first_at"] == .number(start + 1000)
                && entries[1].event.detail["last_at"] == .number(start + 999_000))
        #expect(try await test.store.write { try $0.audit.writeCounted(at: .start) } == 0)
        #expect(try await Self.number(AuditContract.verdict(test)) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `kinds beyond the limit are counted together`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), kinds = AuditTable.maxCounted + 50
        try await test.store.write { tables in
            for number in 0..<kinds {
                let account = UserID("usr_\(number)")
                for _ in 0..<2 {
                    try tables.audit.count(
                        AuditEvent("password.refused", actor: "journey", account: account),
                        at: .start)
                }
            }
        }
        #expect(
            try await test.store.write { try $0.audit.writeCounted(at: .start) } == AuditTable
                .maxCounted + 1)
        let others = try await test.store.read { try $0.audit.page(after: 0, count: 2000) }.filter {
            $0.event.detail["others"] == true
        }
        #expect(
            others.count == 1 && others[0].event.account == nil
                && others[0].event.detail["count"] == 100)
    }

    private static func refusal<Output>(_ body: () async throws -> Output) async -> StoreError.Code?
    {
        do { _ = try await body() } catch let error as StoreError { return error.code } catch {
            return nil
        }
        return nil
    }
}
