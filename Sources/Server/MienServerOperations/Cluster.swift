internal import AsyncHTTPClient
internal import HTTPTypes
package import Logging
internal import MienCore
package import MienServerCore
package import MienServerFaces
internal import MienServerGalleries
package import MienStore
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import ServiceLifecycle

/// Announces this server in the database that servers share, and sends requests to others over mutual
/// TLS: those about live captures to the servers that have them, and searches to those that have faces
/// in memory.
package final class Cluster: CapturePeers, GalleryPeers, Service {
    /// The live captures of a server that was silent for so long end.
    package static let patience = Presence.patience
    /// The largest answer about a capture.
    private static let maxAnswer = 1 << 20
    /// Headers that are about a connection, or that this server sets itself.
    private static let ownHeaders: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect",
        "content-length", "host", "x-forwarded-for", "forwarded",
    ]

    package let name: String
    private let address: String
    private let holdsFaces: Bool
    private let store: Store
    private let clock: ServerClock
    private let logger: Logger
    private let tls: TLSConfiguration
    /// Open while the server runs.
    private let client = Locked<HTTPClient?>(nil)

    /// - Parameters:
    ///   - name: The name of this process.
    ///   - settings: Where the others reach it, and how they prove who they are.
    ///   - holdsFaces: Whether the others may let it search faces in its memory.
    /// - Throws: ``ServerStartError`` that names the file and its problem.
    package init(
        name: String, _ settings: ClusterSettings, holdsFaces: Bool = false, store: Store,
        clock: ServerClock, logger: Logger
    ) throws {
        (self.name, address, self.store) = (name, settings.address, store)
        self.holdsFaces = holdsFaces
        (self.clock, self.logger) = (clock, logger)
        tls = try settings.files.clientConfiguration()
    }

    package func run() async throws {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(1), read: .seconds(10))
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.client.withLock { $0 = client }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.announce()
                try? await Task.sleep(for: Presence.pause)
            }
        }
        let name = name
        self.client.withLock { $0 = nil }
        try? await store.write(.process) { try $0.servers.remove(name) }
        try await client.shutdown()
    }

    /// Says that this server lives.
    package func announce() async {
        await store.announce(
            name, at: address, holdsFaces: holdsFaces, clock: clock, logger: logger)
    }

    package func isAlive(_ server: String) async throws -> Bool {
        try await address(of: server) != nil
    }

    private func address(of server: String) async throws -> String? {
        let since = clock.now - Self.patience
        return try await store.read { try $0.servers.address(of: server, seenSince: since) }
    }

    package func galleryServers() async throws -> [String] {
        let since = clock.now - Self.patience
        return try await store.read { try $0.servers.holdingFaces(seenSince: since) }
    }

    package func searchGallery(
        _ query: [UInt8], on server: String, within time: Duration
    ) async throws -> [UInt8] {
        guard let client = client.withLock({ $0 }),
            let address = try await address(of: server), !address.isEmpty
        else { throw ServerBusy() }
        var request = HTTPClientRequest(url: "https://\(address)\(GalleryRoutes.path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: GalleryRoutes.contentType)
        request.body = .bytes(ByteBuffer(bytes: query))
        let response = try await client.execute(
            request, timeout: .milliseconds(Int64(time / .milliseconds(1))))
        let body = try await response.body.collect(upTo: GalleryMessage.maxBytes)
        guard response.status == .ok else { throw ServerBusy() }
        return Array(body.readableBytesView)
    }

    package func pass(_ passed: PassedRequest, to server: String) async throws -> PassedAnswer {
        guard let client = client.withLock({ $0 }),
            let address = try await address(of: server), !address.isEmpty
        else { throw ServerBusy() }
        var request = HTTPClientRequest(url: "https://\(address)\(passed.path)")
        request.method = .init(rawValue: passed.method.rawValue)
        for field in passed.headers where !Self.ownHeaders.contains(field.name.canonicalName) {
            request.headers.add(name: field.name.rawName, value: field.value)
        }
        request.headers.add(name: "x-forwarded-for", value: passed.client)
        if !passed.body.isEmpty { request.body = .bytes(ByteBuffer(bytes: passed.body)) }
        do {
            let response = try await client.execute(request, timeout: .seconds(15))
            let body = try await response.body.collect(upTo: Self.maxAnswer)
            var headers = HTTPFields()
            for name in [HTTPField.Name.contentType, .retryAfter, .cacheControl] {
                headers[name] = response.headers.first(name: name.rawName)
            }
            return PassedAnswer(
                status: .init(code: Int(response.status.code)), headers: headers,
                body: Array(body.readableBytesView))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // It may have just died. The client tries again; then, or once the server counts as
            // dead, it gets a result.
            logger.warning(
                "another server did not answer a request about its live capture",
                metadata: ["error.type": "\(type(of: error))"])
            throw ServerBusy()
        }
    }
}
