import Foundation
import MienAPI
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienStore

@Suite struct VerificationContract {
    private static let policy = VerificationPolicy()
    private static let person = Array("PERSON-MARKER".utf8)
    private static let picture = Array("PICTURE-MARKER".utf8)
    private static let result = AttemptRecord.Result(
        checks: IdentityChecks([.name: .passed, .live: .notChecked]), recommendation: .challenge,
        rulesVersion: "standard-1", sources: ["registry"], isSimulated: false)

    private static func id(_ text: String) -> IdentityAttemptID {
        IdentityAttemptID("idv_\(text)")!
    }

    private static func attempt(
        _ text: String, of account: AccountRecord, app: AppID = .shop, days: Int = 90
    ) -> AttemptRecord {
        AttemptRecord(
            id: id(text), account: account.id, app: app, kind: .document, begunAt: .start,
            contentExpiresAt: .start + .seconds(86_400 * days), content: Sensitive(person))
    }

    private static func insert(
        _ record: AttemptRecord, of account: AccountRecord, _ test: TestStore
    ) async throws {
        let images = ["front", "back"].map {
            AttemptImage(
                role: $0, sha256: Array(repeating: 7, count: 32), content: Sensitive(picture))
        }
        try await test.store.write {
            try $0.verificationAttempts.insert(record, images: images, of: account)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `attempts that begin in the same millisecond keep their order`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let names = (0..<6).map { "\($0 * 5 % 6)" }
        for name in names { try await Self.insert(Self.attempt(name, of: ana), of: ana, test) }
        let read = try await test.store.read { try $0.verificationAttempts.all(of: ana) }
        #expect(read.map(\.id) == names.map { Self.id($0) })
        #expect(read.first?.begunAt == .start)
    }

    @Test(arguments: StoreKind.allCases)
    func `of 64 attempts that begin at once, one begins`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        for round in 0..<2 {
            let read = try await test.store.read { try $0.verifications.find(ana.id) }
            #expect(read.revision == round && read.state.piiAttempts == round)
            let winners = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        var record = read
                        guard
                            (try? record.state.begin(
                                .personalData, id: Self.id("\(number)"), under: Self.policy,
                                at: .start)) != nil
                        else { return false }
                        let changed = record
                        return
                            (try? await test.store.write {
                                try $0.verifications.update(changed, at: .start)
                            }) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(winners == 1)
            try await test.store.write { tables in
                var record = try tables.verifications.find(ana.id)
                let open = try #require(record.state.open)
                let isConcluded = record.state.conclude(open.id, .failed(), at: .start)
                #expect(isConcluded)
                // The next round expects one revision for each round.
                try tables.connection.execute(
                    "UPDATE identity SET state = ?, revision = ?",
                    [.text(JSONColumn.text(record.state)), .integer(Int64(round + 1))])
            }
        }
        #expect(try await test.count("identity") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a verification is read as it was written, and a stale one is refused`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let empty = try await test.store.read { try $0.verifications.find(ana.id) }
        var record = empty
        try record.state.begin(.personalData, id: Self.id("1"), under: Self.policy, at: .start)
        record.required = .governmentID
        let written = record
        try await test.store.write { try $0.verifications.update(written, at: .start) }
        let read = try await test.store.read { try $0.verifications.find(ana.id) }
        #expect(read.state == written.state && read.required == .governmentID && read.revision == 1)
        for stale in [empty, written] {
            await #expect(throws: StoreError(.stale, "")) {
                try await test.store.write { try $0.verifications.update(stale, at: .start) }
            }
        }
        _ = try await test.sql("UPDATE identity SET state = '{}'")
        await #expect(throws: StoreError(.corrupt, "")) {
            try await test.store.read { try $0.verifications.find(ana.id) }
        }
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("identity") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `an attempt's data and pictures are sealed and are read only with the account's key`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        let record = Self.attempt("1", of: ana)
        try await Self.insert(record, of: ana, test)
        let (found, images, other) = try await test.store.read { tables in
            (
                try tables.verificationAttempts.find(record.id, of: ana),
                try tables.verificationAttempts.images(of: record.id, of: ana),
                try tables.verificationAttempts.find(record.id, of: bruno)
            )
        }
        #expect(found?.content?.shown == Self.person && found?.kind == .document && other == nil)
        #expect(images.map(\.role) == ["back", "front"])
        #expect(images.allSatisfy { $0.content?.shown == Self.picture })
        if let bytes = try kind.bytes(in: test.folder) {
            #expect(Data(bytes).range(of: Data(Self.person)) == nil)
            #expect(Data(bytes).range(of: Data(Self.picture)) == nil)
        }
        let (listed, one) = try await test.store.read { tables in
            (
                try tables.verificationAttempts.list(of: record.id, of: ana.id),
                try tables.verificationAttempts.image("front", of: record.id, of: ana)
            )
        }
        #expect(listed.map(\.role) == ["back", "front"] && listed.allSatisfy(\.isKept))
        #expect(one?.role == "front" && one?.content?.shown == Self.picture)
        // Pictures cannot be exchanged, even within an attempt.
        _ = try await test.sql(
            "UPDATE identity_image SET content_sealed = (SELECT content_sealed FROM identity_image WHERE role = 'front') WHERE role = 'back'"
        )
        await #expect(throws: StoreError(.corrupt, "")) {
            try await test.store.read { try $0.verificationAttempts.images(of: record.id, of: ana) }
        }
        // Names are listed without decrypting anything.
        #expect(
            try await test.store.read {
                try $0.verificationAttempts.list(of: record.id, of: ana.id)
            } == listed)
        await #expect(throws: StoreError(.conflict, "")) {
            try await Self.insert(record, of: ana, test)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an attempt is judged once and ends once`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let record = Self.attempt("1", of: ana)
        try await Self.insert(record, of: ana, test)
        func unjudged(before time: Instant) async throws -> [IdentityAttemptID] {
            try await test.store.read {
                try $0.verificationAttempts.unjudged(begunBefore: time, atMost: 10).map(\.id)
            }
        }
        #expect(try await unjudged(before: .start).isEmpty)
        #expect(try await unjudged(before: .start + .milliseconds(1)) == [record.id])
        for isFirst in [true, false] {
            #expect(
                try await test.store.write {
                    try $0.verificationAttempts.judge(record.id, Self.result, of: ana)
                } == isFirst)
            #expect(
                try await test.store.write {
                    try $0.verificationAttempts.conclude(record.id, at: .start + .seconds(5))
                } == isFirst)
        }
        let found = try await test.store.read { try $0.verificationAttempts.all(of: ana) }
        #expect(try await unjudged(before: .start + .seconds(60)).isEmpty)
        #expect(found.map(\.result) == [Self.result])
        #expect(found.map(\.concludedAt) == [.start + .seconds(5)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a judgment replaces the content, unless it was erased`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let judged = Array("{\"comparison\":{}}".utf8)
        for (name, isErased) in [("kept", false), ("erased", true)] {
            let record = Self.attempt(name, of: ana)
            try await Self.insert(record, of: ana, test)
            func content() async throws -> [UInt8]? {
                try await test.store.read {
                    try $0.verificationAttempts.find(record.id, of: ana)?.content?.use { $0 }
                }
            }
            if isErased {
                _ = try await test.store.write {
                    try $0.verificationAttempts.erase(of: ana.id, app: .shop)
                }
            }
            #expect(
                try await test.store.write {
                    try $0.verificationAttempts.judge(
                        record.id, Self.result, content: Sensitive(judged), of: ana)
                })
            #expect(try await content() == (isErased ? nil : judged))
            _ = try await test.store.write {
                try $0.verificationAttempts.erase(of: ana.id, app: .shop)
            }
            #expect(try await content() == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `withdrawal and the end of retention destroy keys, data, and pictures, and keep hashes`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        try await Self.insert(Self.attempt("shop", of: ana), of: ana, test)
        try await Self.insert(
            Self.attempt("other", of: ana, app: AppID("app_2")!, days: 1), of: ana, test)
        try await Self.insert(Self.attempt("bruno", of: bruno, days: 2), of: bruno, test)
        func kept() async throws -> [String] {
            try await test.rows(
                "SELECT DISTINCT attempt_id FROM identity_image i JOIN identity_attempt a ON a.id = i.attempt_id WHERE i.content_sealed IS NOT NULL AND a.key_sealed IS NOT NULL AND a.content_sealed IS NOT NULL ORDER BY attempt_id"
            ).map { try $0.text(0) }
        }
        #expect(try await kept() == ["idv_bruno", "idv_other", "idv_shop"])
        #expect(
            try await test.store.write {
                try $0.verificationAttempts.erase(of: ana.id, app: .shop)
            } == 1)
        #expect(try await kept() == ["idv_bruno", "idv_other"])
        let (found, images) = try await test.store.read { tables in
            (
                try tables.verificationAttempts.find(Self.id("shop"), of: ana),
                try tables.verificationAttempts.images(of: Self.id("shop"), of: ana)
            )
        }
        #expect(found != nil && found?.content == nil)
        #expect(
            images.count == 2 && images.allSatisfy { $0.content == nil && $0.sha256.count == 32 })

        // A dry run says what a purge then does. An attempt expires at its end, not after it.
        for (hours, expected) in [(23, 0), (24, 1), (48, 1), (48, 0)] {
            let now = Instant.start + .seconds(3600 * hours)
            let (dry, done) = try await test.store.write { tables in
                (
                    try tables.verificationAttempts.purgeable(at: now),
                    try tables.verificationAttempts.purge(at: now, atMost: 10)
                )
            }
            #expect(dry == expected && done == expected, "\(hours)")
        }
        #expect(try await kept().isEmpty)
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("identity_attempt") == 1)
        #expect(try await test.count("identity_image") == 2)
    }

    // MARK: Reviews

    private static func reviewCase(_ text: String, of account: AccountRecord, second: Bool = true)
        -> ReviewCaseRecord
    {
        ReviewCaseRecord(
            review: ReviewCase(
                id: ReviewCaseID("cas_\(text)")!, attempt: id(text), needsSecondReviewer: second),
            account: account.id, app: .shop, openedAt: .start)
    }

    @Test(arguments: StoreKind.allCases)
    func `of two decisions about the same case, one counts`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await Self.insert(Self.attempt("1", of: ana), of: ana, test)
        let old = Self.reviewCase("1", of: ana)
        try await test.store.write { try $0.reviewCases.insert(old) }
        await #expect(throws: StoreError(.conflict, "")) {
            try await test.store.write { try $0.reviewCases.insert(old) }
        }
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    var record = old
                    _ = try record.review.decide(
                        .accept, by: AdminID("adm_\(number)")!, at: .start)
                    let changed = record
                    return try await test.store.write {
                        try $0.reviewCases.update(changed, from: old)
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        let read = try await test.store.read { try $0.reviewCases.find(old.review.id) }
        #expect(read?.review.entries.count == 1 && read?.closedAt == nil)
        #expect(try await test.store.read { try $0.reviewCases.queue(atMost: 10) } == [read])

        var closed = try #require(read)
        _ = try closed.review.decide(.reject, by: AdminID("adm_last")!, at: .start)
        closed.closedAt = .start + .seconds(9)
        let (last, before) = (closed, try #require(read))
        #expect(try await test.store.write { try $0.reviewCases.update(last, from: before) })
        #expect(try await test.store.read { try $0.reviewCases.queue(atMost: 10) }.isEmpty)
        #expect(
            try await test.store.read { try $0.reviewCases.find(attempt: Self.id("1")) } == last)
    }
}
