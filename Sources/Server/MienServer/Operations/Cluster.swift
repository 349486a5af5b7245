internal import AsyncHTTPClient
internal import HTTPTypes
package import Logging
internal import MienCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import ServiceLifecycle

/// Sends requests to other servers over mutual TLS: those about live captures to the servers that have
/// them, and searches to those that have faces in memory.
package final class Cluster: CapturePeers, GalleryPeers, Service {
    /// The largest answer about a capture.
    private static let maxAnswer = 1 << 20
    /// Headers that are about a connection, or that this server sets itself.
    private static let ownHeaders: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect",
        "content-length", "host", "x-forwarded-for", "forwarded",
    ]

    private let presence: Presence
    private let logger: Logger
    private let tls: TLSConfiguration
    /// Open while the server runs.
    private let client = Locked<HTTPClient?>(nil)

    package var name: String { presence.name }

    /// - Parameters:
    ///   - presence: Publishes the address at which other servers reach this one.
    ///   - files: How the servers prove who they are.
    /// - Throws: ``ServerStartError`` that names the file and its problem.
    package init(_ presence: Presence, _ files: TLSFiles, logger: Logger) throws {
        (self.presence, self.logger) = (presence, logger)
        tls = try files.clientConfiguration()
    }

    package func run() async throws {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(1), read: .seconds(10))
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.client.withLock { $0 = client }
        try await presence.run()
        self.client.withLock { $0 = nil }
        try await client.shutdown()
    }

    package func isAlive(_ server: String) async throws -> Bool {
        try await presence.isAlive(server)
    }

    package func galleryServers() async throws -> [String] {
        try await presence.holdingFaces()
    }

    package func searchGallery(
        _ query: [UInt8], on server: String, within time: Duration
    ) async throws -> [UInt8] {
        guard let client = client.withLock({ $0 }),
            let address = try await presence.address(of: server), !address.isEmpty
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
            let address = try await presence.address(of: server), !address.isEmpty
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
