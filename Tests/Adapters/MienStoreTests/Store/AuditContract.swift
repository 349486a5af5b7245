import Crypto
import Foundation
import MienCore
import MienStore
import Testing

/// `docs/spec/audit-log.md`.
@Suite struct AuditContract {
    static func filled(_ kind: StoreKind, _ count: Int) async throws -> TestStore {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for number in 1..<count + 1 {
                let event = AuditEvent(
                    "face.registered", actor: "journey", account: UserID("usr_\(number % 2)"),
                    app: number % 3 == 0 ? nil : .shop,
                    detail: ["photos": .number(Double(number))])
                try tables.audit.append(event, at: .start + .seconds(number))
            }
        }
        return test
    }

    static func verdict(_ test: TestStore) async throws -> AuditTable.Verdict {
        try await test.store.read { try $0.audit.verify() }
    }

    /// The page's worked example, hashed here from its description instead of with the product's
    /// code.
    @Test(arguments: StoreKind.allCases)
    func `the specification's example has the documented hash`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let event = AuditEvent(
            "face.registered", actor: "journey", account: UserID("usr_ana"), app: AppID("app_shop"),
            detail: ["photos": 2])
        try await test.store.write { try $0.audit.append(event, at: .start) }
        var bytes = Array(SHA256.hash(data: Data("mien/v1/audit-log".utf8)))
        bytes += [1, 0, 0, 0, 0, 0, 0, 0] + [0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0]
        for text in ["face.registered", "journey", "usr_ana", "app_shop", #"{"photos":2}"#] {
            bytes += [UInt8(text.utf8.count), 0, 0, 0] + text.utf8
        }
        let hash = Array(SHA256.hash(data: Data(bytes)))
        #expect(
            hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                == Self.exampleHash)
        let entry = try #require(
            try await test.store.read { try $0.audit.page(after: 0, count: 10) }.first)
        #expect(
            entry.hash == hash && entry.number == 1 && entry.at == .start && entry.event == event)
        #expect(try await Self.verdict(test) == .whole(entries: 1, last: hash))
    }

    static let exampleHash = "6a0d8fd0ee94b2a00477b427bc4c5e3be6e2b48d3335dbf8fc93cd8e019c0eb1"

    @Test(arguments: StoreKind.allCases) func `an unchanged log verifies, and so does an empty one`(
        kind: StoreKind
    ) async throws {
        let empty = try await TestStore(kind)
        #expect(
            try await Self.verdict(empty)
                == .whole(
                    entries: 0, last: Array(SHA256.hash(data: Data("mien/v1/audit-log".utf8)))))
        // More entries than one verification batch.
        let test = try await Self.filled(kind, 2005)
        let last = try await test.store.read { try $0.audit.page(after: 2004, count: 10) }
        #expect(try await Self.verdict(test) == .whole(entries: 2005, last: last[0].hash))
        let ofOne = try await test.store.read {
            try $0.audit.page(after: 10, count: 3, account: UserID("usr_1"))
        }
        #expect(ofOne.map(\.number) == [11, 13, 15])
    }

    static let columns = [
        "number", "at", "event", "actor", "account_id", "app_id", "detail", "hash",
    ]

    @Test(arguments: StoreKind.allCases) func `a change to any column of any entry is detected`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.filled(kind, 3)
        let whole = try await Self.verdict(test)
        for number in Int64(1)...3 {
            for (index, column) in Self.columns.enumerated() {
                let before = try await test.rows(
                    "SELECT \(Self.columns.joined(separator: ", ")) FROM audit WHERE number = ?",
                    .integer(number))[0][
                        index]
                for value in Self.changes(of: before) {
                    // PostgreSQL keeps integers in these columns, and rounds what it is given.
                    if case .real = value, kind == .postgres { continue }
                    let at = column == "number" ? value : .integer(number)
                    guard
                        await refusal({
                            try await test.sql(
                                "UPDATE audit SET \(column) = ? WHERE number = ?", value,
                                .integer(number))
                        }) == nil
                    else { continue }  // the database itself rejects this
                    guard case .broken = try await Self.verdict(test) else {
                        Issue.record("\(column) of \(number) became \(value)")
                        return
                    }
                    if at == .null {
                        try await test.sql(
                            "UPDATE audit SET \(column) = ? WHERE number IS NULL", before)
                    } else {
                        try await test.sql(
                            "UPDATE audit SET \(column) = ? WHERE number = ?", before, at)
                    }
                    #expect(try await Self.verdict(test) == whole, "put back")
                }
            }
        }
    }

    /// Returns other values, of each type that a column can hold.
    private static func changes(of value: SQLValue) -> [SQLValue] {
        switch value {
        case .integer(let number):
            [
                .integer(number + 10), .integer(-number), .integer(.max), .integer(.min),
                .real(Double(number) + 0.5), .null, "x",
            ]
        case .text(let text):
            [
                .text(text + " "), .text(""), .text(text.uppercased() + "!"),
                .blob(Array(text.utf8)), .null,
            ].filter { $0 != value }
        case .blob(let bytes):
            [0, 15, 31].map { index in .blob(bytes.enumerated().map { $0 == index ? $1 ^ 1 : $1 }) }
                + [.blob([]), .null]
        case .real, .null: []
        }
    }

    @Test(arguments: StoreKind.allCases) func `verification names the first wrong entry`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.filled(kind, 1010)
        for number in [1010, 1001, 1000, 3, 1] {
            try await test.sql(
                "UPDATE audit SET actor = 'nobody' WHERE number = ?", .integer(Int64(number)))
            #expect(try await Self.verdict(test) == .broken(number: number))
        }
    }

    @Test(arguments: StoreKind.allCases) func `a removed, inserted, or moved entry is detected`(
        kind: StoreKind
    ) async throws {
        for number in Int64(1)...4 {
            let test = try await Self.filled(kind, 5)
            try await test.sql("DELETE FROM audit WHERE number = ?", .integer(number))
            #expect(try await Self.verdict(test) == .broken(number: Int(number)))
            // Close the gap as well.
            for later in number..<5 {
                try await test.sql(
                    "UPDATE audit SET number = ? WHERE number = ?", .integer(later),
                    .integer(later + 1))
            }
            #expect(try await Self.verdict(test) == .broken(number: Int(number)))
        }
        for (a, b) in [(1, 2), (2, 4), (1, 5)] as [(Int64, Int64)] {
            let test = try await Self.filled(kind, 5)
            for (from, to) in [(a, 99), (b, a), (99, b)] {
                try await test.sql(
                    "UPDATE audit SET number = ? WHERE number = ?", .integer(to), .integer(from))
            }
            #expect(try await Self.verdict(test) == .broken(number: Int(a)))
        }
        for number in [Int64.min, -1, 0, 6, 7, .max] {
            let test = try await Self.filled(kind, 5)
            try await test.sql(
                "INSERT INTO audit SELECT ?, at, event, actor, account_id, app_id, detail, hash FROM audit WHERE number = 5",
                .integer(number))
            guard case .broken = try await Self.verdict(test) else {
                Issue.record("inserted as \(number)")
                continue
            }
            let code = await refusal {
                try await test.store.write {
                    try $0.audit.append(AuditEvent("e", actor: "system"), at: .start)
                }
            }
            #expect(code == (number == .max ? .corrupt : nil))
        }
    }

    /// The log cannot detect this by itself, but a stored number and hash can.
    @Test(arguments: StoreKind.allCases)
    func `a truncated or rewritten log verifies but has another last hash`(kind: StoreKind)
        async throws
    {
        let test = try await Self.filled(kind, 5)
        guard case .whole(5, let last) = try await Self.verdict(test) else {
            throw StoreError(.corrupt, "not whole")
        }
        try await test.sql("DELETE FROM audit WHERE number = 5")
        guard case .whole(4, let shorter) = try await Self.verdict(test) else {
            throw StoreError(.corrupt, "not whole")
        }
        try await test.store.write {
            try $0.audit.append(AuditEvent("something.else", actor: "system"), at: .start)
        }
        guard case .whole(5, let other) = try await Self.verdict(test) else {
            throw StoreError(.corrupt, "not whole")
        }
        #expect(Set([last, shorter, other]).count == 3)
    }

    @Test(arguments: StoreKind.allCases) func `concurrent appends leave no gap`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await withThrowingTaskGroup { group in
            for index in 0..<500 {
                group.addTask {
                    try await test.store.write {
                        try $0.audit.append(AuditEvent("e\(index)", actor: "system"), at: .start)
                    }
                }
            }
            try await group.waitForAll()
        }
        guard case .whole(500, _) = try await Self.verdict(test) else {
            Issue.record("broken")
            return
        }
        let pages = try await test.store.read { try $0.audit.page(after: 0, count: 1000) }
        #expect(pages.map(\.number) == Array(1...500) && Set(pages.map(\.event.event)).count == 500)
    }
}
