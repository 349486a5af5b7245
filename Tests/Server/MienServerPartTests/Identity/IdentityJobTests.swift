import Foundation
import Logging
import MienAPI
import MienCore
import MienFace
import MienIdentity
import MienMedia
import MienStore
import MienTesting
import ServiceLifecycle
import Synchronization
import Testing

@testable import MienServer

@Suite("Judging documents in the background")
struct IdentityJobTests {
    typealias World = IdentityServiceTests.World

    /// Examines documents when the test says so, and counts.
    final class Verifier: DocumentVerifier {
        let types: Set<IdentityDocumentType> = [.driverLicense, .idCard, .passport]
        let needsFace = false
        private struct State {
            var isOpen: Bool
            var error: IdentitySourceError?
            var isReadable = true
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state: Mutex<State>
        private let counts = Mutex((begun: 0, ended: 0))

        init(isOpen: Bool = true, error: IdentitySourceError? = nil) {
            state = Mutex(State(isOpen: isOpen, error: error))
        }

        var begun: Int { counts.withLock { $0.begun } }
        var ended: Int { counts.withLock { $0.ended } }

        func set(isOpen: Bool = true, error: IdentitySourceError? = nil, isReadable: Bool = true) {
            let waiting = state.withLock { state in
                defer { state = State(isOpen: isOpen, error: error, isReadable: isReadable) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func examine(_ submission: DocumentSubmission) async throws(IdentitySourceError)
            -> DocumentFindings
        {
            counts.withLock { $0.begun += 1 }
            await withCheckedContinuation { one in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(one) }
                    return state.isOpen
                }
                if isOpen { one.resume() }
            }
            if let error = state.withLock({ $0.error }) { throw error }
            counts.withLock { $0.ended += 1 }
            return DocumentFindings(
                isReadable: state.withLock { $0.isReadable },
                checks: IdentityChecks([.documentConsistent: .passed]),
                data: IdentityServiceTests.input())
        }
    }

    /// One process: a service and its worker, until the test ends it.
    final class Process: Sendable {
        let service: IdentityService
        private let task: Task<Void, any Error>

        init(
            _ world: World, _ verifier: Verifier, room: Int = 200, patience: Duration = .zero,
            clock: ServerClock = ServerClock { World.start }
        ) {
            let limits = WorkLimits(total: 100)
            service = IdentityService(
                store: world.store, sources: [SimulatedIdentitySource()],
                documents: DocumentChecker(verifier, limits: limits), rules: IdentityRules(),
                jobs: IdentityJobQueue(room: room, patience: patience), clock: clock)
            let worker = IdentityWorker(
                service, metrics: Metrics(PrometheusRegistry()), logger: Logger(label: "test"))
            task = Task { try await worker.run() }
        }

        func send(_ world: World, picture: [UInt8] = IdentityJobTests.picture) async throws
            -> VerifiedIdentity
        {
            try await service.captureAndVerifyDocument(
                DocumentInput(
                    country: "US", type: .driverLicense, front: picture, back: picture, face: nil),
                of: world.account, app: World.app)
        }

        func status(_ world: World) async throws -> DocumentVerificationStatus {
            try await service.check(world.account.id, in: World.app).documentVerificationStatus
        }

        func cancel() { task.cancel() }

        /// The server stops in good order.
        func stop() async throws {
            cancel()
            _ = await task.result
        }
    }

    static let picture = PNGEncoder.encode(RGBImage(width: 2, height: 2, filledWith: .white))

    static func eventually(_ what: Comment, _ holds: () async throws -> Bool) async throws {
        if try await !Patience.holds(holds) { Issue.record(what) }
    }

    static func jobs(_ world: World) async throws -> Int {
        try await world.store.read { try $0.identityJobs.count() }
    }

    @Test("a slow document is pending, its result follows, and a quick one is answered at once")
    func pending() async throws {
        let world = try await World(), verifier = Verifier(isOpen: false)
        let process = Process(world, verifier)
        #expect(try await process.send(world).documentVerificationStatus == .pending)
        #expect(try await process.status(world) == .pending)
        let refused = await #expect(throws: IdentityError.self) { try await process.send(world) }
        #expect(refused?.code == .updateFailed, "one attempt at a time")
        verifier.set()
        try await Self.eventually("judged") { try await process.status(world) == .succeeded }
        #expect(try await Self.jobs(world) == 0)
        try await process.stop()

        // Much longer than the work takes on a machine that does other things.
        let other = try await World(), patient = Process(other, Verifier(), patience: .seconds(900))
        #expect(try await patient.send(other).documentVerificationStatus == .succeeded)
        try await patient.stop()
    }

    @Test("a job of a process that was killed is judged once by the next one")
    func killed() async throws {
        let world = try await World(), stuck = Verifier(isOpen: false)
        let first = Process(world, stuck)
        _ = try await first.send(world)
        try await Self.eventually("begun") { stuck.begun == 1 }
        // The second process begins while nothing of the first one's work is stored, as after a
        // kill. What the first one would write later changes nothing.
        let verifier = Verifier(), second = Process(world, verifier)
        try await Self.eventually("judged") { try await second.status(world) == .succeeded }
        stuck.set()
        try await Self.eventually("ended") { stuck.ended == 1 }
        try await first.stop()
        try await second.stop()
        #expect(verifier.ended == 1)
        let events = try await world.events()
        #expect(events.filter { $0 == "identity.judged" }.count == 1)
        #expect(try await Self.jobs(world) == 0)
        // The sweep gives back attempts without a job only.
        _ = try await second.service.sweep(at: World.start + .seconds(1000))
        #expect(try await second.status(world) == .succeeded)
    }

    @Test("a server that stops leaves the job to the next one, however often")
    func stopped() async throws {
        let world = try await World()
        for _ in 0...(2 * IdentityJobQueue.maxStarts) {
            let verifier = Verifier(isOpen: false), process = Process(world, verifier)
            if try await Self.jobs(world) == 0 { _ = try await process.send(world) }
            try await Self.eventually("begun") { verifier.begun == 1 }
            process.cancel()
            verifier.set(error: .unavailable)
            try await process.stop()
            #expect(try await process.status(world) == .pending)
            #expect(try await Self.jobs(world) == 1)
        }
        let last = Process(world, Verifier())
        try await Self.eventually("judged") { try await last.status(world) == .succeeded }
        try await last.stop()
    }

    @Test("pictures that end the process again and again count as unreadable")
    func deadly() async throws {
        let world = try await World(), verifier = Verifier(isOpen: false)
        let first = Process(world, verifier)
        _ = try await first.send(world)
        try await Self.eventually("begun") { verifier.begun == 1 }
        // Starts of other processes, each of which was killed.
        try await world.store.write { tables in
            for _ in 1..<IdentityJobQueue.maxStarts {
                _ = try tables.identityJobs.start(besides: [], at: World.start)
            }
        }
        let second = Process(world, verifier)
        try await Self.eventually("given up") {
            try await second.status(world) == .documentUnreadable
        }
        #expect(verifier.begun == 1)
        let state = try await world.store.read { try $0.verifications.find(world.account.id).state }
        #expect(state.documentAttempts == 1)
        verifier.set(error: .unavailable)
        try await first.stop()
        try await second.stop()
    }

    @Test("a full queue refuses without using up an attempt")
    func full() async throws {
        let world = try await World(), verifier = Verifier(isOpen: false)
        let process = Process(world, verifier, room: 1)
        try await world.store.write {
            try $0.identityJobs.insert(
                IdentityJob(
                    id: "idv_other", subject: .session, account: nil, app: World.app,
                    queuedAt: World.start + .seconds(1000)))
        }
        await #expect(throws: ServerBusy.self) { try await process.send(world) }
        let state = try await world.store.read { try $0.verifications.find(world.account.id).state }
        #expect(state.documentAttempts == 0 && state.open == nil && state.lastAttemptedAt == nil)
        #expect(try await world.attempts().isEmpty)
        try await process.stop()
    }

    @Test("without a source, a waiting request gets its attempt back, and others are tried again")
    func unavailable() async throws {
        let world = try await World(), verifier = Verifier(error: .unavailable)
        let now = Mutex(World.start)
        let clock = ServerClock { now.withLock { $0 } }
        let patient = Process(world, verifier, patience: .seconds(60), clock: clock)
        await #expect(throws: IdentitySourceError.unavailable) { try await patient.send(world) }
        #expect(try await patient.status(world) == .notRequired)
        #expect(try await Self.jobs(world) == 0)
        try await patient.stop()

        let process = Process(world, verifier, clock: clock)
        #expect(try await process.send(world).documentVerificationStatus == .pending)
        let id = try #require(try await world.attempts().last?.id.text)
        for (number, pause) in IdentityJobQueue.pauses.enumerated() {
            try await Self.eventually("postponed") {
                try await world.store.read { try $0.identityJobs.find(id)?.failures } == number + 1
            }
            let begun = verifier.begun
            #expect(try await process.status(world) == .pending)
            now.withLock { $0 = $0 + pause }
            process.service.jobs.wakeUp()
            try await Self.eventually("tried again") { verifier.begun > begun }
        }
        try await Self.eventually("given back") { try await process.status(world) == .notRequired }
        let state = try await world.store.read { try $0.verifications.find(world.account.id).state }
        #expect(state.documentAttempts == 0)
        try await process.stop()
    }

    @Test("withdrawing consent while a document waits ends the attempt without a judgment")
    func withdrawn() async throws {
        let world = try await World(), verifier = Verifier(error: .unavailable)
        let now = Mutex(World.start)
        let process = Process(
            world, verifier, clock: ServerClock { now.withLock { $0 } })
        _ = try await process.send(world)
        let id = try #require(try await world.attempts().last?.id.text)
        try await Self.eventually("postponed") {
            try await world.store.read { try $0.identityJobs.find(id)?.failures } == 1
        }
        #expect(try await process.service.withdrawConsent(of: world.account, in: World.app))
        verifier.set()
        now.withLock { $0 = $0 + .seconds(60) }
        process.service.jobs.wakeUp()
        try await Self.eventually("ended") { try await Self.jobs(world) == 0 }
        #expect(try await process.status(world) == .notRequired)
        #expect(verifier.ended == 0)
        try await process.stop()
    }

    @Test("apps hear of each result once it is stored, and nothing of it is personal")
    func news() async throws {
        let world = try await World()
        try await world.store.write { tables in
            var app = try #require(try tables.apps.find(World.app))
            app.settings.identity.webhook = "https://shop.example.org/results"
            _ = try tables.apps.update(app, at: World.start)
        }
        let verifier = Verifier()
        let process = Process(world, verifier, patience: .seconds(60))
        verifier.set(isReadable: false)
        _ = try await process.send(world)
        verifier.set()
        _ = try await process.send(world)
        await #expect(throws: IdentityError.self) {
            try await process.send(world, picture: Array("%PDF-1.7".utf8))
        }
        try await process.stop()
        let notices = try await world.store.write {
            try $0.outbox.claim(.identity, at: World.start, until: World.start, atMost: 10)
        }
        let bodies = try notices.map { try JSONText.parse($0.content.use { $0 }) }
        #expect(
            Set(bodies.compactMap { $0["status"]?.stringValue }) == ["unreadable", "succeeded"])
        let done = try #require(bodies.first { $0["status"] == "succeeded" })
        #expect(
            done["event"] == "identity.attempt" && done["user"] == .string(world.account.id.text)
                && done["recommendation"] == "ALLOW" && done["simulated"] == true
                && done["verification_method"] == "GOVERNMENT_ID", "\(done)")
        #expect(
            !notices.map { $0.content.use { String(decoding: $0, as: UTF8.self) } }.joined()
                .lowercased().contains("smith"))
        #expect(Set(notices.map(\.id)).count == 2)
    }
}

@Suite("The schedule of notices")
struct NoticeScheduleTests {
    @Test("a refusal ends a delivery, and what may pass is tried again with growing pauses")
    func steps() {
        typealias Schedule = NoticeSchedule
        for status in [200, 204, 299] {
            #expect(Schedule.step(after: .answered(status), failures: 0) == .end(.delivered))
        }
        for status in [301, 400, 404, 410] {
            #expect(
                Schedule.step(after: .answered(status), failures: 0)
                    == .end(.dropped("status \(status)")))
        }
        #expect(Schedule.step(after: .notAllowed, failures: 0) == .end(.dropped("not_allowed")))
        for result in [.failed, .answered(408), .answered(425), .answered(429), .answered(500)]
            as [WebhookCaller.PostResult]
        {
            for (number, pause) in Schedule.pauses.enumerated() {
                #expect(Schedule.step(after: result, failures: number) == .retry(after: pause))
            }
            #expect(
                Schedule.step(after: result, failures: Schedule.pauses.count)
                    == .end(.dropped("unreachable")))
        }
        #expect(Schedule.pauses == Schedule.pauses.sorted())
    }
}
