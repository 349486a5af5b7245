import MienAPI
import MienCore
import MienIdentity
import MienStore
import MienVault
import Testing

/// The lists that administrators turn page by page.
@Suite struct ListContract {
    /// A list, and what is expected of it: `all` has the IDs in its order.
    struct List: Sendable, CustomTestStringConvertible {
        let name: String
        let all: [String]
        let page: @Sendable (Tables, _ after: String?, _ count: Int) throws -> [String]

        var testDescription: String { name }
    }

    /// Two of each have the same time, and each list also has rows that it leaves out.
    private static let count = 7
    private static let now = Instant.start + .seconds(60)
    private static let administrator = AdminID("adm_grace")!
    private static func time(_ index: Int) -> Instant { .start + .milliseconds(index / 2) }

    static let lists: [List] = [
        List(name: "users", all: ids("usr_p")) {
            try $0.accounts.page(after: id($1), count: $2).map(\.id.text)
        },
        List(name: "apps", all: ids("app_p")) {
            try $0.apps.page(after: id($1), count: $2).map(\.id.text)
        },
        List(name: "administrators", all: ids("adm_p")) {
            try $0.admins.page(after: id($1), count: $2).map(\.id.text)
        },
        List(name: "product keys", all: ids("pk_p")) {
            try $0.productKeys.page(after: id($1), count: $2).map(\.id.text)
        },
        List(name: "sign-ins", all: ids("grt_p").reversed()) {
            try $0.grants.page(of: UserID("usr_p0")!, after: id($1), count: $2, at: now)
                .map(\.id.text)
        },
        List(name: "reviews", all: ids("cas_p")) {
            try $0.reviewCases.queue(after: id($1), atMost: $2).map(\.review.id.text)
        },
        // One account has a case with each other one.
        List(name: "duplicates", all: Array(ids("dup_p").dropFirst())) {
            try $0.duplicateCases.queue(after: id($1), atMost: $2).map(\.duplicate.id.text)
        },
    ]

    private static func ids(_ prefix: String) -> [String] { (0..<count).map { "\(prefix)\($0)" } }
    private static func id<Kind>(_ text: String?) -> Identifier<Kind>? {
        text.flatMap { Identifier($0) }
    }

    // MARK: Rows

    private static func fill(_ test: TestStore) async throws {
        for index in (0..<count).reversed() {
            let account = try await test.account("p\(index)", at: time(index))
            try await test.store.write { try insert(index, account, in: $0) }
        }
        let accounts = try await test.store.read { tables in
            try (0..<count).map { try tables.accounts.find(UserID("usr_p\($0)")!)! }
        }
        try await test.store.write { tables in
            for index in 1..<count {
                _ = try tables.duplicateCases.insert(
                    duplicate("p\(index)", accounts[index], accounts[0], at: time(index)))
            }
            // Those that no list shows.
            var closed = duplicate("closed", accounts[1], accounts[2], at: time(0))
            closed.closedAt = now
            _ = try tables.duplicateCases.insert(closed)
            var decided = review("closed", accounts[0], at: time(0))
            decided.closedAt = now
            try attempt("closed", accounts[0], in: tables)
            try tables.reviewCases.insert(decided)
            for (name, family) in try ended() {
                try tables.grants.insert(grant(name, accounts[0].id, family))
            }
            try tables.grants.insert(
                grant("another", accounts[1].id, RefreshFamily(under: lifetimes, at: .start)))
        }
    }

    private static func insert(_ index: Int, _ account: AccountRecord, in tables: Tables) throws {
        let time = time(index)
        try tables.apps.insert(
            AppRecord(
                id: AppID("app_p\(index)")!, name: "App", type: .public, settings: AppSettings(),
                createdAt: time))
        try tables.admins.insert(
            AdminRecord(
                id: AdminID("adm_p\(index)")!, name: "Admin \(index)", role: .auditor,
                createdAt: time),
            tokenHash: [UInt8(index)])
        try tables.productKeys.insert(
            ProductKeyRecord(
                id: ProductKeyID("pk_p\(index)")!, product: "mien", name: "", activations: 1,
                days: 1, createdAt: time), hash: [UInt8(index)])
        if index == 0 {
            for sign in 0..<count {
                try tables.grants.insert(
                    grant(
                        "p\(sign)", account.id,
                        RefreshFamily(under: lifetimes, at: Self.time(sign))))
            }
        }
        try attempt("p\(index)", account, in: tables)
        try tables.reviewCases.insert(review("p\(index)", account, at: time))
        try tables.audit.append(
            AuditEvent(
                index == 0 ? "rare" : "frequent", actor: administrator.text, account: account.id),
            at: time)
    }

    private static let lifetimes = TokenLifetimes(refreshSeconds: 600)

    /// Sign-ins that have ended.
    private static func ended() throws -> [(String, RefreshFamily)] {
        let idle = RefreshFamily(
            generation: 0, createdAt: .start, expiresAt: now + .seconds(60), usedAt: .start,
            idle: .seconds(60), revokedAt: nil)
        let expired = RefreshFamily(
            generation: 0, createdAt: .start, expiresAt: now, usedAt: .start, idle: nil,
            revokedAt: nil)
        let revoked = RefreshFamily(
            generation: 0, createdAt: .start, expiresAt: now + .seconds(60), usedAt: .start,
            idle: nil, revokedAt: .start)
        return [("idle", idle), ("expired", expired), ("revoked", revoked)]
    }

    private static func grant(_ id: String, _ account: UserID, _ family: RefreshFamily)
        -> TokenGrantRecord
    {
        TokenGrantRecord(
            id: GrantID("grt_\(id)")!, account: account, app: AppID("app_p0")!, authenticator: nil,
            nonce: Array(id.utf8), scope: .standard, resources: [], methods: ["pwd"],
            keyThumbprint: nil, signedInAt: family.createdAt, family: family)
    }

    private static func attempt(_ id: String, _ account: AccountRecord, in tables: Tables) throws {
        try tables.verificationAttempts.insert(
            AttemptRecord(
                id: IdentityAttemptID("idv_\(id)")!, account: account.id, app: .shop,
                kind: .personalData, begunAt: .start, contentExpiresAt: now,
                content: Sensitive([1])), images: [], of: account)
    }

    private static func review(_ id: String, _ account: AccountRecord, at time: Instant)
        -> ReviewCaseRecord
    {
        ReviewCaseRecord(
            review: ReviewCase(
                id: ReviewCaseID("cas_\(id)")!, attempt: IdentityAttemptID("idv_\(id)")!,
                needsSecondReviewer: false),
            account: account.id, app: .shop, openedAt: time)
    }

    private static func duplicate(
        _ id: String, _ account: AccountRecord, _ other: AccountRecord, at time: Instant
    ) -> DuplicateCaseRecord {
        DuplicateCaseRecord(
            duplicate: DuplicateCase(id: DuplicateCaseID("dup_\(id)")!, needsSecondReviewer: false),
            app: AppID("app_p0")!, account: account.id, other: other.id, score: MatchScore(60),
            openedAt: time)
    }

    // MARK: Pages

    @Test(arguments: StoreKind.allCases, lists)
    func `pages of any size list everything once, in the list's order`(kind: StoreKind, list: List)
        async throws
    {
        let test = try await TestStore(kind)
        try await Self.fill(test)
        for size in 1...(Self.count + 1) {
            var seen: [String] = []
            while true {
                let last = seen.last
                let page = try await test.store.read { try list.page($0, last, size) }
                seen += page
                if page.count < size { break }
            }
            #expect(seen == list.all, "pages of \(size)")
        }
        #expect(
            await refusal { _ = try await test.store.read { try list.page($0, "none", 1) } }
                == .stale)
    }

    @Test(arguments: StoreKind.allCases)
    func `a page goes on after a case that was decided in the meantime`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        try await Self.fill(test)
        try await test.sql(
            "UPDATE review_case SET closed_at = 1 WHERE id IN ('cas_p1', 'cas_p2')")
        let after = ReviewCaseID("cas_p1")!
        let next = try await test.store.read {
            try $0.reviewCases.queue(after: after, atMost: 2).map(\.review.id.text)
        }
        #expect(next == ["cas_p3", "cas_p4"])
    }

    /// An index that a plan does not use, or a sort, reads the whole table for each page.
    @Test(arguments: lists) func `an index finds the start of each page and has its order`(
        list: List
    )
        async throws
    {
        let test = try await TestStore(.sqlite)
        try await Self.fill(test)
        let recorder = StatementRecorder(test.driver)
        let store = try await Store(recorder, keys: TestStore.keys)
        _ = recorder.take()
        _ = try await store.read { try list.page($0, nil, 2) }
        try await Self.check(recorder, mayScan: true)
        _ = try await store.read { try list.page($0, list.all[3], 2) }
        try await Self.check(recorder, mayScan: false)
    }

    @Test func `an index finds every search of the audit log, and users by name`() async throws {
        let test = try await TestStore(.sqlite)
        try await Self.fill(test)
        let recorder = StatementRecorder(test.driver)
        let store = try await Store(recorder, keys: TestStore.keys)
        _ = recorder.take()
        let searches: [AuditSearch] = [
            .init(event: "rare"), .init(administrator: Self.administrator),
            .init(event: "rare", administrator: Self.administrator),
            .init(account: UserID("usr_p0")), .init(account: UserID("usr_p0"), event: "rare"),
            .init(from: .start, until: Self.now),
            .init(event: "rare", administrator: Self.administrator, from: .start, until: Self.now),
        ]
        for search in searches {
            for isNewestFirst in [false, true] {
                var search = search
                search.isNewestFirst = isNewestFirst
                let sought = search
                _ = try await store.read { try $0.audit.page(sought, after: 3, count: 2) }
                // The first and the last entry are found by the order of their numbers.
                try await Self.check(recorder, mayScan: true)
            }
        }
        // Of an administrator's entries, only those of the event are read.
        let rare = AuditSearch(event: "rare", administrator: Self.administrator)
        _ = try await store.read { try $0.audit.page(rare, after: nil, count: 2) }
        let statement = try #require(recorder.take().last)
        #expect(try await recorder.plan(of: statement).joined().contains("actor=? AND event=?"))
        _ = try await store.read { try $0.accounts.find(identifier: "p3") }
        try await Self.check(recorder, mayScan: false)
    }

    /// - Parameter mayScan: Whether a statement may read from the start of an index, as the first
    ///   page does.
    private static func check(
        _ recorder: StatementRecorder, mayScan: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let statements = recorder.take()
        #expect(!statements.isEmpty, sourceLocation: location)
        for statement in statements {
            for step in try await recorder.plan(of: statement) {
                let isScan =
                    step.hasPrefix("SCAN ") && !(mayScan && step.contains(" INDEX "))
                let isSort = step.contains("TEMP B-TREE") && step.contains("ORDER BY")
                #expect(
                    !isScan && !isSort, "\(step): \(statement.sql)", sourceLocation: location)
            }
        }
    }
}
