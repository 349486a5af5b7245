import Foundation
import MienAPI
import MienCore
import MienIdentity
import MienStore
import MienTesting
import MienVault
import Testing

@testable import MienServer

@Suite("Verifying identities")
struct IdentityServiceTests {
    /// A source that does not answer, or answers after `before` ran.
    struct Source: IdentityDataSource {
        let name = "test"
        let isSimulated = false
        var known: PersonalDataInput?
        var marks: Set<SourceAnswer.Mark> = []
        var before: @Sendable () async -> Void = {}

        func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
            await before()
            guard let known, let data = try? PersonalData(known) else { throw .unavailable }
            return SourceAnswer(
                comparing: query.person, with: [RegistryPerson(data, marks: marks)])
        }
    }

    /// A store with one user who has consented.
    struct World {
        let folder: ScratchFolder
        let store: Store
        let account: AccountRecord
        static let app = AppID("app_shop")!
        static let start = Instant(milliseconds: 1_795_000_000_000)
        static let admins = ["ada", "bob"].map { AdminID("adm_\($0)")! }

        init(consents: Bool = true) async throws {
            folder = try ScratchFolder()
            store = try await Store(
                SQLiteDriver(path: folder("mien.sqlite").path),
                keys: StoreKeys(MasterKey(bytes: Array(1...32))))
            let id = UserID("usr_john")!, store = store
            let new = AccountRecord.new(
                id, AccountProfile(username: "john"), keys: store.keys, at: Self.start)
            account = try await store.write { tables in
                try tables.apps.insert(
                    AppRecord(
                        id: Self.app, name: "Shop", type: .public, settings: AppSettings(),
                        createdAt: Self.start))
                try tables.accounts.insert(new, names: [LoginName("john", kind: .username)])
                if consents {
                    try tables.consents.insert(
                        ConsentRecord(
                            id: "con_1", account: id, app: Self.app,
                            purpose: IdentityRules.consentPurpose, textVersion: "1",
                            givenAt: Self.start))
                }
                return try #require(try tables.accounts.find(id))
            }
        }

        func service(
            _ sources: [any IdentityDataSource] = [SimulatedIdentitySource()],
            _ rules: IdentityRules = IdentityRules(), at now: Instant = start
        ) -> IdentityService {
            IdentityService(
                store: store, sources: sources, rules: rules, clock: ServerClock { now })
        }

        func attempts() async throws -> [AttemptRecord] {
            let account = account
            return try await store.read { try $0.verificationAttempts.all(of: account) }
        }

        func events() async throws -> [String] {
            try await store.read { try $0.audit.page(after: 0, count: 100).map(\.event.event) }
        }
    }

    static func input(_ first: String = "JOHN", born: String = "1975-02-28") -> PersonalDataInput {
        PersonalDataInput(
            firstName: first, lastName: "SMITH", address: "222333 PEACHTREE PLACE",
            postalCode: "30318", country: "US", dateOfBirth: born)
    }

    @Test("the simulator's person is verified once, and the result is stored and marked")
    func success() async throws {
        let world = try await World(), service = world.service()
        #expect(try await !service.check(world.account.id, in: World.app).verified)
        let found = try await service.verify(Self.input(), of: world.account, app: World.app)
        #expect(found.verified && found.verificationMethod == .knowledgeOfPII)
        #expect(found.isSimulated)
        #expect(found.verifiedAt == World.start && !found.canAttemptVerificationAgain)
        #expect(try await service.check(world.account.id, in: World.app) == found)
        let error = await #expect(throws: IdentityError.self) {
            try await service.verify(Self.input(), of: world.account, app: World.app)
        }
        #expect(error?.code == .alreadyVerified)
        let attempts = try await world.attempts()
        #expect(attempts.map(\.result?.isSimulated) == [true])
        #expect(attempts[0].result?.recommendation == .allow && attempts[0].concludedAt != nil)
        #expect(try await world.events() == ["identity.attempted", "identity.judged"])
        // The log and the results contain nothing of the person.
        let entries = try await world.store.read { try $0.audit.page(after: 0, count: 10) }
        #expect(!"\(entries) \(attempts) \(found)".lowercased().contains("peachtree"))
    }

    @Test("other data fails until the attempts are used up, and a reset starts over")
    func failure() async throws {
        let world = try await World(), service = world.service()
        for left in [2, 1, 0] {
            let found = try await service.verify(
                Self.input("JACK"), of: world.account, app: World.app)
            #expect(!found.verified && found.attemptsRemaining == left)
            #expect(found.canAttemptVerificationAgain == (left > 0))
        }
        let error = await #expect(throws: IdentityError.self) {
            try await service.verify(Self.input(), of: world.account, app: World.app)
        }
        #expect(error?.code == .retriesExceeded)
        try await service.reset(world.account.id, by: World.admins[0])
        let reset = try await service.check(world.account.id, in: World.app)
        #expect(reset.lastAttemptedAt == nil && reset.attemptsRemaining == 3)
        #expect(
            try await service.verify(Self.input(), of: world.account, app: World.app).verified)
    }

    @Test("bad input, missing consent, and an unavailable source use up no attempt")
    func uncounted() async throws {
        let stranger = try await World(consents: false)
        let refused = await #expect(throws: IdentityError.self) {
            try await stranger.service().verify(
                Self.input(), of: stranger.account, app: World.app)
        }
        #expect(refused?.code == .consentRequired)

        let world = try await World()
        for born in ["2999-01-01", "1975-02-30", ""] {
            await #expect(throws: IdentityError.self) {
                try await world.service().verify(
                    Self.input(born: born), of: world.account, app: World.app)
            }
        }
        await #expect(throws: IdentitySourceError.unavailable) {
            try await world.service([SimulatedIdentitySource(), Source()]).verify(
                Self.input(), of: world.account, app: World.app)
        }
        let none = await #expect(throws: IdentityError.self) {
            try await world.service([]).verify(Self.input(), of: world.account, app: World.app)
        }
        #expect(none?.code == .unsupportedMethod)
        #expect(
            try await world.service().check(world.account.id, in: World.app).attemptsRemaining == 3)
    }

    @Test("an implausible age, a death, and fraud block")
    func blocks() async throws {
        for (marks, born) in [
            ([], "1875-02-28"), ([.deceased], "1975-02-28"), ([.fraud, .deceased], "1975-02-28"),
        ] as [(Set<SourceAnswer.Mark>, String)] {
            let world = try await World()
            let service = world.service([Source(known: Self.input(), marks: marks)])
            do {
                let judged = try await service.verify(
                    Self.input(born: born), of: world.account, app: World.app)
                #expect(!judged.verified && !marks.isEmpty)
            } catch let error as IdentityError {
                #expect(error.code == .implausibleAge && marks.isEmpty)
            }
            let found = try await service.check(world.account.id, in: World.app)
            #expect(!found.verified && !found.canAttemptVerificationAgain)
            let again = await #expect(throws: IdentityError.self) {
                try await service.verify(Self.input(), of: world.account, app: World.app)
            }
            #expect(again?.code == .retryBlocked)
        }
    }

    @Test("a source that agrees does not make up for one that does not")
    func worst() async throws {
        let world = try await World()
        let other = Source(known: Self.input("EVE"))
        for sources in [[SimulatedIdentitySource(), other], [other, SimulatedIdentitySource()]]
            as [[any IdentityDataSource]]
        {
            #expect(
                try await !world.service(sources).verify(
                    Self.input(), of: world.account, app: World.app
                ).verified)
        }
    }

    @Test("of 32 attempts at once, one is judged, and the others are refused")
    func parallel() async throws {
        let world = try await World()
        let gate = Source(known: Self.input("EVE")) { try? await Task.sleep(for: .seconds(1)) }
        let service = world.service([gate])
        let codes = await withTaskGroup(of: IdentityError.Code?.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    do {
                        _ = try await service.verify(
                            Self.input(), of: world.account, app: World.app)
                        return nil
                    } catch { return (error as? IdentityError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .updateFailed } == 31)
        #expect(try await world.attempts().count == 1)
    }

    @Test("a reset while an attempt is judged wins, and an interrupted attempt is given back")
    func interrupted() async throws {
        let world = try await World()
        let resetting = Source(known: Self.input()) {
            try? await world.service().reset(world.account.id, by: World.admins[0])
        }
        let found = try await world.service([resetting]).verify(
            Self.input(), of: world.account, app: World.app)
        #expect(!found.verified && found.lastAttemptedAt == nil && found.attemptsRemaining == 3)

        // As a killed server leaves it.
        let account = world.account, id = IdentityAttemptID("idv_killed")!
        try await world.store.write { tables in
            var record = try tables.verifications.find(account.id)
            try record.state.begin(
                .personalData, id: id, under: VerificationPolicy(), at: World.start)
            try tables.verifications.update(record, at: World.start)
            try tables.verificationAttempts.insert(
                AttemptRecord(
                    id: id, account: account.id, app: World.app, kind: .personalData,
                    begunAt: World.start, contentExpiresAt: World.start + .seconds(86_400),
                    content: Sensitive([1])), of: account)
        }
        let service = world.service()
        #expect(
            try await service.check(account.id, in: World.app).attemptsRemaining == 0, "one is open"
        )
        _ = try await service.sweep(at: World.start + .seconds(300))
        #expect(try await service.check(account.id, in: World.app).attemptsRemaining == 0)
        _ = try await service.sweep(at: World.start + .seconds(301))
        #expect(try await service.check(account.id, in: World.app).attemptsRemaining == 3)
    }

    @Test("an unclear result is decided by two different people, and the guide's answers follow")
    func review() async throws {
        let world = try await World()
        let rules = IdentityRules(needsSecondReviewer: true)
        // Every field reaches its minimum, but the total is too low.
        var known = Self.input("JOHNS")
        known.lastName = "SMITS"
        known.address = "222333 PEECHTRES PLACE"
        let service = world.service([Source(known: known)], rules)
        let found = try await service.verify(Self.input("JOHNE"), of: world.account, app: World.app)
        #expect(!found.verified && !found.canAttemptVerificationAgain)
        let queue = try await service.queue(for: World.admins[0])
        let id = try #require(queue.first?.review.id)
        #expect(try await service.decide(id, .accept, by: World.admins[0]) == nil)
        await #expect(throws: ReviewError.samePerson) {
            try await service.decide(id, .accept, by: World.admins[0])
        }
        #expect(try await !service.check(world.account.id, in: World.app).verified)
        #expect(try await service.decide(id, .accept, by: World.admins[1]) == .accept)
        #expect(try await service.check(world.account.id, in: World.app).verified)
        await #expect(throws: ReviewError.closed) {
            try await service.decide(id, .reject, by: World.admins[1])
        }
        #expect(try await service.queue(for: World.admins[0]).isEmpty)
        #expect(
            try await world.events() == [
                "identity.attempted", "identity.judged", "identity.viewed", "identity.reviewed",
                "identity.reviewed",
            ])
    }

    @Test(arguments: [false, true])
    func `an app that was made again is not told of a review of the earlier one`(isMadeAgain: Bool)
        async throws
    {
        let world = try await World(), webhook = "https://shop.example.org/results"
        try await world.store.write { tables in
            var app = try #require(try tables.apps.find(World.app))
            app.settings.identity.webhook = webhook
            _ = try tables.apps.update(app, at: World.start)
        }
        var known = Self.input("JOHNS")
        known.lastName = "SMITS"
        known.address = "222333 PEECHTRES PLACE"
        let sources: [any IdentityDataSource] = [Source(known: known)]
        _ = try await world.service(sources).verify(
            Self.input("JOHNE"), of: world.account, app: World.app)
        let now = World.start + .seconds(60)
        if isMadeAgain {
            try await world.store.write { tables in
                #expect(try tables.apps.delete(World.app))
                var settings = AppSettings()
                settings.identity.webhook = webhook
                try tables.apps.insert(
                    AppRecord(
                        id: World.app, name: "Other", type: .public, settings: settings,
                        createdAt: now))
            }
        }
        let service = world.service(sources, at: now)
        let id = try #require(try await service.queue(for: World.admins[0]).first?.review.id)
        #expect(try await service.decide(id, .accept, by: World.admins[0]) == .accept)
        let told = try await world.store.write {
            try $0.outbox.claim(.identity, at: now, until: now, atMost: 10)
        }
        let words = try told.map { message in
            try JSONText.parse(message.content.use { $0 })["status"]?.stringValue
        }
        #expect(words == (isMadeAgain ? [] : ["in_review", "succeeded"]))
    }
}
