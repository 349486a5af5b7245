import Foundation
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// The restore that docs/operate-many.md describes: a base backup, the archived log, and the master key,
/// which is kept elsewhere.
@Suite(
    "A restore of PostgreSQL to a point in time", .timeLimit(.minutes(10)),
    .enabled(if: Installed.isThere && PostgresCluster.isInstalled, Installed.reason))
struct PointInTimeTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func start(
        _ cluster: PostgresCluster, _ name: String, credential: Sensitive<String>? = nil
    ) async throws -> AttackedServer {
        try await AttackedServer.start(
            in: scratch,
            [
                "MIEN_STORE_URL": cluster.url("mien"), "MIEN_DATA": scratch(name).path,
                "MIEN_KEY_PATH": scratch("keys/master.key").path,
                "MIEN_FACE_LIVENESS_MODE": "image",
            ], credential: credential)
    }

    @Test(
        "the users of that moment are there and sign in, later ones are not, and the log is whole")
    func restore() async throws {
        let cluster = try await PostgresCluster.start(isDurable: true, isArchived: true)
        defer { cluster.stop() }
        try await cluster.sql("CREATE DATABASE mien")
        let server = try await start(cluster, "data")
        try await server.makeUser("ada")
        try await cluster.backUp()
        try await server.makeUser("grace")
        // What an administrator notes from time to time.
        let noted = try await server.admin.verifyAudit()
        let moment = try await cluster.now()
        try await Task.sleep(for: .milliseconds(100))
        try await server.makeUser("mallory")
        try await cluster.archiveAll()
        // The machine is lost, with its data folder.
        server.process.signal(SIGKILL)
        await server.process.ended()
        try await cluster.control("-m immediate stop")

        let restored = try await PostgresCluster.start(isDurable: true, restored: moment)
        defer { restored.stop() }
        try await eventually { try await !restored.isRecovering() }
        let again = try await start(restored, "new", credential: server.credential)
        for name in ["ada", "grace"] {
            #expect(try await again.admin.findUser(name) != nil, "\(name)")
            _ = try await again.signIn(name)
        }
        #expect(try await again.admin.findUser("mallory") == nil)
        let audit = try await again.admin.verifyAudit()
        #expect(audit.isWhole)
        let (entries, before) = (try #require(audit.entries), try #require(noted.entries))
        #expect(entries >= before, "\(audit) after \(noted)")
        try await again.makeUser("mallory")
        #expect(await again.process.stop() == 0)
    }

    @Test("without the master key, the restored records stay closed")
    func withoutKey() async throws {
        let cluster = try await PostgresCluster.start(isDurable: true)
        defer { cluster.stop() }
        try await cluster.sql("CREATE DATABASE mien")
        let server = try await start(cluster, "data")
        #expect(await server.process.stop() == 0)
        try FileManager.default.removeItem(at: scratch("keys"))
        await #expect(throws: ServeProcess.NotListening.self) {
            _ = try await start(cluster, "new", credential: server.credential)
        }
    }
}
