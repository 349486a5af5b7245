import Logging
import MienAPI
import MienCore
import MienJourney
import MienServer
import MienStore
import MienTesting
import Testing

@Suite("Records of live captures that several servers share")
struct CaptureRecordsTests {
    private static let id = CaptureID("cap_shared")!, user = UserID("usr_ada")!

    /// Two servers, and an open capture of ada's face.
    private struct Stage {
        let servers: TwoServers
        let a, b: CaptureRecords
        let face: AuthenticatorRecord

        init() async throws {
            let servers = try await TwoServers(), clock = servers.clock
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            func records(_ store: Store, _ name: String) -> CaptureRecords {
                CaptureRecords(
                    store: store,
                    gate: LockGate(store: store, apps: AppCatalog(store: store), clock: clock),
                    clock: clock, metrics: Metrics(PrometheusRegistry()),
                    peers: Presence(name: name, store: store, clock: clock, logger: logger))
            }
            (a, b) = (records(servers.a, "a"), records(servers.b, "b"))
            self.servers = servers
            let face = AuthenticatorRecord(
                id: AuthenticatorID("aut_face")!, account: CaptureRecordsTests.user, type: .face,
                app: .shop,
                content: [1], createdAt: .start)
            self.face = face
            let keys = servers.a.keys
            let app = try await servers.a.write { tables in
                let account = AccountRecord.new(
                    CaptureRecordsTests.user, AccountProfile(username: "ada"), keys: keys,
                    at: .start)
                try tables.accounts.insert(account, names: [LoginName("ada", kind: .username)])
                try tables.authenticators.insert(face, of: account.record)
                return try #require(try tables.apps.find(.shop))
            }
            try await a.open(
                CaptureRequest(purpose: .authentication, user: .id(CaptureRecordsTests.user)),
                for: CaptureOrigin(
                    run: InstanceID("run_1")!, app: app, device: nil, signedIn: nil),
                under: LivenessRules(server: LivenessPolicy(), app: LivenessPolicy()),
                id: CaptureRecordsTests.id,
                tokenHash: [1], until: .start + .seconds(3600))
        }

        func begin(_ records: CaptureRecords) async throws -> (
            CaptureRecord, CaptureRecords.Content
        ) {
            let (stored, content) = try #require(try await records.find(CaptureRecordsTests.id))
            let (open, again) = try await records.reopened(stored, content)
            let (begun, started) = records.begun(open, again, until: .start + .seconds(60))
            try await records.write(begun, started, from: open, [:])
            return (begun, started)
        }

        func wrongFaces() async throws -> Int {
            try await servers.a.read { [face] in try $0.locks.lock(of: face, device: nil).total }
        }
    }

    private static func isStale(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return (error as? StoreError)?.code == .stale }
        return false
    }

    @Test("a server that was paused cannot end what another one has begun again, however it ended")
    func paused() async throws {
        // However many pictures the second session took: the record's number of frames must not
        // become that of the first one.
        for looks in 0...4 {
            let stage = try await Stage(), id = Self.id
            let (first, content) = try await stage.begin(stage.a)
            let (seen, opened) = try #require(try await stage.b.find(id))
            let reason = try #require(try await stage.b.loss(seen, opened, isHere: false))
            #expect(reason == "interrupted")
            let (lost, why) = stage.b.ended(seen, opened, as: .failed, looks: 0, [reason])
            try await stage.b.write(lost, why, from: seen, [:])
            let (second, again) = try await stage.begin(stage.b)
            let (passed, result) = stage.b.ended(second, again, as: .passed, looks: looks, [])
            try await stage.b.write(passed, result, from: second, [:])
            let (late, refused) = stage.a.ended(first, content, as: .failed, looks: 9, ["late"])
            #expect(
                await Self.isStale {
                    try await stage.a.write(late, refused, from: first, [:], countingGuess: true)
                })
            #expect(try await stage.b.find(id)?.0.state == .passed)
            #expect(try await stage.wrongFaces() == 1, "no guess is free")
        }
    }

    @Test("an end that is written again, because its outcome was unknown, counts one wrong face")
    func repeated() async throws {
        let stage = try await Stage()
        let (begun, content) = try await stage.begin(stage.a)
        let (failed, why) = stage.a.ended(begun, content, as: .failed, looks: 7, ["blink"])
        for _ in 0..<3 {
            try await stage.a.write(failed, why, from: begun, [:], countingGuess: true)
        }
        #expect(try await stage.wrongFaces() == 1)
    }

    @Test("of two servers that begin a capture at once, one does, and the other leaves it alone")
    func ownership() async throws {
        let stage = try await Stage()
        let (seen, opened) = try #require(try await stage.b.find(Self.id))
        _ = try await stage.begin(stage.a)
        let (begun, started) = stage.b.begun(seen, opened, until: .start + .seconds(60))
        #expect(
            await Self.isStale { try await stage.b.write(begun, started, from: seen, [:]) })
        try await stage.servers.a.write { try $0.servers.announce("a", at: "", seen: .start) }
        let (now, content) = try #require(try await stage.b.find(Self.id))
        #expect(try await stage.b.owner(of: content) == "a")
        await #expect(throws: ServerBusy.self) {
            _ = try await stage.b.loss(now, content, isHere: false)
        }
        #expect(try await stage.a.loss(now, content, isHere: true) == nil)
        stage.servers.pass(.seconds(16))
        #expect(try await stage.b.loss(now, content, isHere: false) == "interrupted")
        stage.servers.pass(.seconds(50))
        #expect(try await stage.a.loss(now, content, isHere: true) == "timed_out")
    }
}
