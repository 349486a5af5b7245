import MienAPI
import MienClient
import MienCore
import MienJourney
import MienStore
import MienTesting
import Testing

@testable import MienServer

@Suite("Methods of a recovery", .enabled(if: Installed.isThere, Installed.reason))
struct RecoveryMethodsTests {
    @Test(
        "a hold that began before tokens named the liveness of a face counts as the same, and so does one that began after it"
    )
    func liveness() async throws {
        for (first, second) in [
            (["face"], ["face", "x_live"]), (["face", "x_live"], ["face"]),
            (["face", "x_live_passive"], ["x_live", "face"]),
        ] {
            try await TestServer.run(in: ScratchFolder()) { server in
                try await server.makeUser()
                let found = try #require(try await server.admin.findUser("ada"))
                let user = try #require(UserID(found.id))
                let store = server.server.parts.store, time = server.time
                let app = try #require(
                    try await store.read { try $0.apps.find(AppID("default_application")!) })
                let service = RecoveryService(
                    store: store, mail: server.server.parts.mail,
                    policy: RecoveryPolicy(holdHours: 24), clock: time.clock,
                    publicURL: { "https://login.example.org" })
                func held(_ methods: [String]) async throws -> Instant? {
                    guard
                        case .recovery(_, .held(let until)) = try await service.request(
                            user, methods, app: app)
                    else { return nil }
                    return until
                }
                func count() async throws -> Int {
                    try await store.read { try $0.recoveries.all(of: user).count }
                }
                let until = try #require(try await held(first))
                time.advance(.seconds(60))
                #expect(try await held(second) == until, "\(first), \(second)")
                #expect(try await count() == 1)
                // Another method is another request.
                #expect(try await held(["otp"]) != until)
                #expect(try await count() == 2)
                time.advance(.seconds(24 * 3600))
                #expect(try await held(second) == nil, "the hold is over")
            }
        }
    }
}
