import MienCore
import MienStore
import MienStorePostgresTesting
import MienTesting
import Testing

@testable import MienStorePostgres

/// Connections over TCP to a PostgreSQL that has a certificate.
@Suite(
    .enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"),
    .enabled(if: TestAuthority.isThere, "\(TestAuthority.reason)"))
struct PostgresTLSTests {
    private let folder: ScratchFolder
    private let ours, others: TestAuthority
    private let cluster: PostgresCluster

    init() async throws {
        folder = try ScratchFolder()
        ours = try await TestAuthority("ours", in: folder)
        others = try await TestAuthority("others", in: folder)
        let files = try await ours.issue(for: "localhost")
        cluster = try PostgresCluster(
            listening: .init(certificate: files.certificate, key: files.key))
    }

    /// - Returns: whether the connection is encrypted, as PostgreSQL sees it.
    private func connect(host: String = "localhost", trusting authority: TestAuthority) async throws
        -> Bool
    {
        var settings = try PostgresSettings(
            "postgresql://mien@\(host):\(cluster.port)/postgres?sslmode=verify-full&sslrootcert=\(authority.certificate.path)",
            connections: 3)
        settings.patience = .milliseconds(300)
        let driver = try await PostgresDriver(settings)
        defer { driver.close() }
        return try await driver.read {
            try $0.rows("SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()", [])[0]
                .integer(0)
        } == 1
    }

    private func refusal(_ body: () async throws -> Bool) async -> String {
        do {
            _ = try await body()
            return "accepted"
        } catch let error as StoreError {
            return error.code == .unreachable ? error.reason : "\(error)"
        } catch { return "\(error)" }
    }

    @Test func `only the server with the right certificate for its name gets a connection`()
        async throws
    {
        defer { cluster.stop() }
        #expect(try await connect(trusting: ours))
        let unknown = await refusal { try await connect(trusting: others) }
        #expect(unknown.contains("certificate verify failed"), "\(unknown)")
        // It has the same certificate, which is for another name.
        let renamed = await refusal { try await connect(host: "127.0.0.1", trusting: ours) }
        #expect(renamed.contains("does not match host name"), "\(renamed)")
        try cluster.sql("ALTER SYSTEM SET ssl = off")
        try cluster.control("reload")
        let bare = await refusal { try await connect(trusting: ours) }
        #expect(bare.contains("does not support SSL"), "\(bare)")
    }
}
