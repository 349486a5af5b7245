import Foundation
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienServer

/// Two whole servers on one PostgreSQL, with mutual TLS between them.
struct WholeServers {
    private let scratch: ScratchFolder, other: ScratchFolder

    init() throws { (scratch, other) = (try ScratchFolder(), try ScratchFolder()) }

    /// Starts both. The second ends before the first, so that `afterwards` sees one that is alone.
    func run(
        _ settings: [String: String] = [:],
        _ body:
            @escaping @Sendable (_ first: TestServer, _ second: TestServer) async throws -> Void,
        afterwards: @escaping @Sendable (_ first: TestServer) async throws -> Void = { _ in }
    ) async throws {
        let cluster = try await PostgresCluster.shared(), time = HandClock()
        let certificate = scratch("servers.pem"), key = scratch("servers.key")
        // A certificate that signed itself is also its authority.
        try await OpenSSL.certificate(certificate, key)
        let settings = settings.merging([
            "MIEN_STORE_URL": cluster.url(try await cluster.database(for: scratch)),
            "MIEN_KEY_PATH": scratch("keys/master.key").path,
            "MIEN_CLUSTER_CERTIFICATE": certificate.path, "MIEN_CLUSTER_KEY": key.path,
            "MIEN_CLUSTER_CA": certificate.path,
        ]) { $1 }
        let ports = [try #require(LoopbackPort.free()), try #require(LoopbackPort.free())]
        try await server(0, port: ports[0], settings, time) { first in
            try await server(
                1, port: ports[1], settings, time, credential: first.credential
            ) { second in
                try await Self.meet([first, second])
                try await body(first, second)
            }
            try await afterwards(first)
        }
    }

    /// One server, and what runs while it does.
    private func server(
        _ number: Int, port: Int, _ settings: [String: String], _ time: HandClock,
        credential: Sensitive<String>? = nil,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let own = settings.merging([
            "MIEN_CLUSTER_LISTEN": "127.0.0.1:\(port)", "MIEN_CLUSTER_ADDRESS": "localhost:\(port)",
        ]) { $1 }
        try await TestServer.run(
            in: number == 0 ? scratch : other, settings: own, time: time, credential: credential,
            reader: WordReader(), body)
    }

    /// Makes the servers known to each other at the time of the test's clock, which may run ahead of
    /// their heartbeats.
    static func meet(_ servers: [TestServer]) async throws {
        for server in servers {
            let parts = server.server.parts, now = server.time.now
            let name = try #require((parts.presence as? any CapturePeers)?.name)
            let configuration = server.server.configuration
            let address = try #require(configuration.cluster?.address)
            // As a heartbeat says it. If it said less, the other server would hold all faces until the
            // next one, and a part of them for another minute.
            let holdsFaces = configuration.galleryBytes > 0
            try await parts.store.write {
                try $0.servers.announce(name, at: address, holdsFaces: holdsFaces, seen: now)
            }
        }
    }
}
