import Logging
import MienAPI
import MienCore
import MienIdentity
import Testing

@testable import MienServer
@testable import MienStore

/// Records that cannot be decrypted, beside others.
@Suite("Sweeping damaged records")
struct SweepingTests {
    typealias World = IdentityServiceTests.World

    private static func insert(_ ids: [String], _ world: World, expiresAt: Instant) async throws {
        try await world.store.write { tables in
            for id in ids {
                try tables.verificationSessions.insert(
                    VerificationSessionRecord(
                        id: IdentityAttemptID(id)!, tokenHash: [], app: World.app,
                        owner: .relyingParty,
                        session: VerificationSession(parts: [.document], expiresAt: expiresAt),
                        createdAt: World.start, contentExpiresAt: expiresAt + .seconds(60),
                        recordExpiresAt: expiresAt + .seconds(120),
                        content: SessionContent().sealed))
            }
        }
    }

    /// Runs SQL beside the store.
    private static func damage(_ statement: String, _ world: World) async throws {
        let driver = try SQLiteDriver(path: world.folder("mien.sqlite").path)
        _ = try await driver.write(.always) { try $0.execute(statement, []) }
    }

    @Test("a session that cannot be read keeps no other from expiring, and goes with its retention")
    func session() async throws {
        let world = try await World(), end = World.start + .seconds(10)
        try await Self.insert(["idv_a", "idv_b", "idv_c"], world, expiresAt: end)
        try await Self.damage(
            "UPDATE verification_session SET content_sealed = (SELECT content_sealed FROM verification_session WHERE id = 'idv_a') WHERE id = 'idv_b'",
            world)
        let service = world.service()
        #expect(try await service.sweep(at: end) == 1)
        let states = try await world.store.read { tables in
            try ["idv_a", "idv_c"].map {
                try tables.verificationSessions.find(IdentityAttemptID($0)!)?.session.status
            }
        }
        #expect(states == [.expired, .expired])
        #expect(try await service.sweep(at: end + .seconds(1)) == 1, "counted while it is there")
        _ = try await service.sweep(at: end + .seconds(120))
        #expect(try await service.sweep(at: end + .seconds(121)) == 0)
        #expect(
            try await world.store.read {
                try $0.verificationSessions.account(of: IdentityAttemptID("idv_b")!)
            } == nil)
        #expect(
            try await world.store.read {
                try $0.verificationSessions.open(of: World.app, owner: .relyingParty)
            } == 0)
    }

    @Test("a job whose pictures cannot be read ends, and the next one is judged")
    func job() async throws {
        let world = try await World(), verifier = IdentityJobTests.Verifier(isOpen: false)
        let first = IdentityJobTests.Process(world, verifier)
        _ = try await first.send(world)
        try await IdentityJobTests.eventually("begun") { verifier.begun == 1 }
        first.cancel()
        verifier.set(error: .unavailable)
        try await first.stop()
        try await Self.damage("UPDATE identity_image SET content_sealed = x'00'", world)
        let second = IdentityJobTests.Process(world, IdentityJobTests.Verifier())
        try await IdentityJobTests.eventually("given back") {
            try await IdentityJobTests.jobs(world) == 0
        }
        let state = try await world.store.read { try $0.verifications.find(world.account.id).state }
        #expect(state.open == nil && state.documentAttempts == 0)
        #expect(try await second.send(world).documentVerificationStatus == .pending)
        try await IdentityJobTests.eventually("judged") {
            try await second.status(world) == .succeeded
        }
        try await second.stop()
    }

    @Test("an interrupted attempt that cannot be read is given back with the others")
    func attempt() async throws {
        let world = try await World(), id = IdentityAttemptID("idv_torn")!
        let account = world.account
        try await world.store.write { tables in
            var record = try tables.verifications.find(account.id)
            try record.state.begin(
                .personalData, id: id, under: VerificationPolicy(), at: World.start)
            try tables.verifications.update(record, at: World.start)
            try tables.verificationAttempts.insert(
                AttemptRecord(
                    id: id, account: account.id, app: World.app, kind: .personalData,
                    begunAt: World.start, contentExpiresAt: World.start + .seconds(9000),
                    content: Sensitive([1, 2])), of: account)
        }
        try await Self.damage("UPDATE identity_attempt SET content_sealed = x'00'", world)
        _ = try await world.service().sweep(at: World.start + .seconds(301))
        let state = try await world.store.read { try $0.verifications.find(account.id).state }
        #expect(state.open == nil && state.piiAttempts == 0)
    }
}
