import Foundation
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

/// Connections over TCP to a PostgreSQL that has a certificate.
@Suite(
    .enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"),
    .enabled(if: OpenSSLAuthority.isThere, "\(OpenSSLAuthority.reason)"))
struct PostgresTLSTests {
    private let folder: ScratchFolder
    private let ours, others: OpenSSLAuthority
    private let cluster: PostgresCluster

    init() async throws {
        folder = try ScratchFolder()
        ours = try await OpenSSLAuthority("ours", in: folder)
        others = try await OpenSSLAuthority("others", in: folder)
        let files = try await ours.issue(for: "localhost")
        cluster = try await PostgresCluster.start(
            listening: .init(certificate: files.certificate, key: files.key))
    }

    /// - Parameters:
    ///   - authority: The one that the client trusts.
    ///   - own: The client's certificate.
    /// - Returns: whether the connection is encrypted, as PostgreSQL sees it.
    private func connect(
        host: String = "localhost", trusting authority: OpenSSLAuthority,
        own: OpenSSLAuthority.Files? = nil
    ) async throws -> Bool {
        let certificate =
            own.map { "&sslcert=\($0.certificate.path)&sslkey=\($0.key.path)" } ?? ""
        var settings = try PostgresSettings(
            "postgresql://mien@\(host):\(cluster.port)/postgres?sslmode=verify-full&sslrootcert=\(authority.certificate.path)\(certificate)",
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
        try await reload("ssl", "off")
        let bare = await refusal { try await connect(trusting: ours) }
        #expect(bare.contains("does not support SSL"), "\(bare)")
    }

    @Test func `a certificate of the server's own signs it in, and another one does not`()
        async throws
    {
        defer { cluster.stop() }
        // PostgreSQL takes the user's name from the certificate, which its authority has issued.
        try await cluster.sql(
            "COPY (VALUES ('local all all trust'), ('hostssl all all all cert')) TO '\(cluster.folder.path)/data/pg_hba.conf'"
        )
        try FileManager.default.copyItem(
            at: ours.certificate, to: cluster.folder.appending(path: "ours.pem"))
        try await reload("ssl_ca_file", "'\(cluster.folder.path)/ours.pem'")
        #expect(try await connect(trusting: ours, own: ours.issue(for: "mien")))
        for (own, words) in [
            (nil, "requires a valid client certificate"),
            (try await ours.issue(for: "eve"), "certificate authentication failed"),
            (try await others.issue(for: "mien"), "unknown ca"),
        ] as [(OpenSSLAuthority.Files?, String)] {
            let refused = await refusal { try await connect(trusting: ours, own: own) }
            #expect(refused.contains(words), "\(refused)")
        }
    }

    /// Changes a setting of the server, which takes a moment.
    private func reload(_ setting: String, _ value: String) async throws {
        try await cluster.sql("ALTER SYSTEM SET \(setting) = \(value)")
        try await cluster.control("reload")
        let plain = value.filter { $0 != "'" }
        let shown = try await Patience.see {
            try await cluster.sql("SHOW \(setting)")
        } until: {
            $0 == plain
        }
        #expect(shown == plain)
        // Sessions that begin now have it, too: the new one is read by PostgreSQL's first process.
        try await Task.sleep(for: .milliseconds(300))
    }
}
