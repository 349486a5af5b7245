import MienCore
import MienStore
import Testing

/// Searches of the audit log, compared with a filter over all entries.
@Suite struct AuditSearchContract {
    private static let administrator = AdminID("adm_grace")!
    private static let events = ["face.registered", "password.refused", "user.created"]
    private static let count = 60

    private static func filled(_ kind: StoreKind) async throws -> TestStore {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for number in 1...count {
                try tables.audit.append(
                    AuditEvent(
                        events[number % 3],
                        actor: number % 4 == 0 ? administrator.text : "journey",
                        account: number % 5 == 0 ? nil : UserID("usr_\(number % 2)")),
                    // Two entries have each time.
                    at: .start + .seconds(number / 2))
            }
        }
        return test
    }

    @Test(arguments: StoreKind.allCases)
    func `every search finds, page by page, exactly the entries that have all of its parts`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.filled(kind)
        let all = try await test.store.read { try $0.audit.page(after: 0, count: 1000) }
        #expect(all.count == Self.count)
        let times: [Instant?] = [nil, .start, .start + .seconds(10), .start + .seconds(1000)]
        for account in [nil, UserID("usr_1"), UserID("usr_2")] {
            for event in [nil, "password.refused", "nothing.like-it"] {
                for administrator in [nil, Self.administrator] {
                    for from in times {
                        for until in times {
                            try await check(
                                AuditSearch(
                                    account: account, event: event, administrator: administrator,
                                    from: from, until: until), among: all, in: test)
                        }
                    }
                }
            }
        }
    }

    private func check(_ search: AuditSearch, among all: [AuditEntry], in test: TestStore)
        async throws
    {
        let expected = all.filter { entry in
            (search.account == nil || entry.event.account == search.account)
                && (search.event == nil || entry.event.event == search.event)
                && (search.administrator == nil
                    || entry.event.actor == search.administrator?.text)
                && search.from.map { entry.at >= $0 } ?? true
                && search.until.map { entry.at < $0 } ?? true
        }.map(\.number)
        for isNewestFirst in [false, true] {
            var search = search
            search.isNewestFirst = isNewestFirst
            var found: [Int] = []
            while true {
                let (sought, last) = (search, found.last)
                let page = try await test.store.read {
                    try $0.audit.page(sought, after: last, count: 7)
                }
                found += page.map(\.number)
                if page.count < 7 { break }
            }
            #expect(found == (isNewestFirst ? expected.reversed() : expected), "\(search)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the names of events are listed once each, sorted`(kind: StoreKind) async throws {
        let test = try await Self.filled(kind)
        #expect(try await test.store.read { try $0.audit.events() } == Self.events)
        let empty = try await TestStore(kind)
        #expect(try await empty.store.read { try $0.audit.events() } == [])
    }
}
