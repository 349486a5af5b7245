import MienAPI
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienStore

@Suite struct IdentityJobContract {
    private static func job(
        _ id: String, of app: AppID = .shop, at time: Instant = .start
    ) -> IdentityJob {
        IdentityJob(id: id, subject: .session, account: nil, app: app, queuedAt: time)
    }

    @Test(arguments: StoreKind.allCases)
    func `jobs begin in order, apart from those that run, and each start is counted`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            let jobs = tables.identityJobs
            for (index, id) in ["idv_a", "idv_b", "idv_c"].enumerated() {
                try jobs.insert(Self.job(id, at: .start + .seconds(index)))
            }
            #expect(throws: StoreError.self) { try jobs.insert(Self.job("idv_a")) }
            #expect(try jobs.count() == 3)
            #expect(try jobs.start(besides: [], at: .start)?.id == "idv_a")
            #expect(try jobs.start(besides: ["idv_a"], at: .start) == nil, "not due yet")
            let later = Instant.start + .seconds(10)
            #expect(try jobs.start(besides: ["idv_a", "idv_c"], at: later)?.id == "idv_b")
            let again = try #require(try jobs.start(besides: ["idv_c"], at: later))
            #expect(again.id == "idv_a" && again.starts == 2)
            // A failure waits and clears the starts; a stop takes its own start back.
            try jobs.postpone(again, until: later + .seconds(60), failed: true)
            #expect(
                try jobs.find("idv_a")
                    == IdentityJob(
                        id: "idv_a", subject: .session, account: nil, app: .shop, queuedAt: .start,
                        starts: 0, failures: 1))
            let other = try #require(try jobs.start(besides: [], at: later))
            #expect(other.id == "idv_b" && other.starts == 2)
            try jobs.postpone(other, until: later, failed: false)
            #expect(try jobs.find("idv_b")?.starts == 1)
            try jobs.delete("idv_b")
            #expect(try jobs.find("idv_b") == nil && jobs.count() == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the caller chooses among the apps with a job that is due`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), bank = AppID("bank")!
        try await test.store.write { tables in
            let jobs = tables.identityJobs
            try jobs.insert(Self.job("idv_a"))
            try jobs.insert(Self.job("idv_b"))
            try jobs.insert(Self.job("idv_c", of: bank, at: .start + .seconds(1)))
            try jobs.insert(Self.job("idv_d", of: AppID("late")!, at: .start + .seconds(9)))
            #expect(try jobs.count(of: .shop) == 2 && jobs.count(of: bank) == 1)
            let now = Instant.start + .seconds(1)
            var seen: [AppID] = []
            let chosen = try jobs.start(besides: [], at: now) { waiting in
                seen = waiting
                return waiting.last
            }
            #expect(chosen?.id == "idv_c" && chosen?.app == bank && seen == [.shop, bank])
            _ = try jobs.start(besides: ["idv_c"], at: now) { waiting in
                seen = waiting
                return nil
            }
            #expect(seen == [.shop])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an account takes its jobs along, and an attempt with a job is not given back`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let id = IdentityAttemptID("idv_1")!
        try await test.store.write { tables in
            try tables.verificationAttempts.insert(
                AttemptRecord(
                    id: id, account: ana.id, app: .shop, kind: .document, begunAt: .start,
                    contentExpiresAt: .start, content: nil), of: ana)
            let later = Instant.start + .seconds(1)
            #expect(
                try tables.verificationAttempts.unjudged(begunBefore: later, atMost: 9).count == 1)
            try tables.identityJobs.insert(
                IdentityJob(
                    id: id.text, subject: .attempt, account: ana.id, app: .shop, queuedAt: .start))
            #expect(
                try tables.verificationAttempts.unjudged(begunBefore: later, atMost: 9).isEmpty)
            #expect(try tables.accounts.delete(ana.id))
            #expect(try tables.identityJobs.count() == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a job that a server leases is left alone by the others until the lease ends`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            let jobs = tables.identityJobs, end = Instant.start + .seconds(60)
            try jobs.insert(Self.job("idv_a"))
            let first = try #require(try jobs.start(besides: [], at: .start, until: end))
            #expect(first.id == "idv_a")
            #expect(try jobs.start(besides: [], at: .start + .seconds(59), until: end) == nil)
            try jobs.extend([first], until: end + .seconds(20))
            #expect(try jobs.start(besides: [], at: end, until: end) == nil)
            let later = end + .seconds(20)
            let again = try #require(
                try jobs.start(besides: [], at: later, until: later + .seconds(60)))
            #expect(again.starts == 2, "its server died")
            // It was only paused, and changes nothing now.
            #expect(try !jobs.holds(first) && jobs.holds(again))
            try jobs.extend([first], until: .start)
            try jobs.postpone(first, until: .start, failed: true)
            #expect(try jobs.holds(again))
            #expect(try jobs.start(besides: [], at: later, until: later + .seconds(60)) == nil)
            try jobs.postpone(again, until: later, failed: false)
            #expect(
                try jobs.start(besides: [], at: later, until: later + .seconds(60))?.starts == 2)
        }
    }
}
