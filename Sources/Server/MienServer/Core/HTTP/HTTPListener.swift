internal import Foundation
package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import MienCore
internal import NIOCore
internal import NIOPosix
package import ServiceLifecycle
internal import Synchronization

/// One address the server listens on, with the routes served there.
///
/// The public listener serves apps and browsers; the admin listener serves the admin API and
/// metrics. Each has its own connection limits, so that a flood of public connections leaves the
/// admin API reachable.
package final class HTTPListener: Sendable {
    /// Connections waiting to be accepted. The system may allow fewer.
    private static let backlog = 1024

    private let address: ListenAddress
    /// The setting that names the address, for messages.
    private let setting: String
    private let scheme: String
    private let http: HTTPServerBuilder
    private let maxConnections: Int
    private let logger: Logger
    private let listeningAt = Mutex<String?>(nil)

    /// - Parameters:
    ///   - certificate: Serve https with this certificate; `nil` for plain http.
    ///   - isBehindProxy: Whether all connections come from a proxy, and have its address.
    package init(
        _ address: ListenAddress, setting: String, certificate: ServedCertificate?,
        isBehindProxy: Bool, _ configuration: ServerConfiguration, logger: Logger
    ) {
        (self.address, self.setting, self.logger) = (address, setting, logger)
        let seconds = configuration.requestSeconds
        let connections =
            isBehindProxy
            ? nil : AddressConnections(maxPerAddress: configuration.connectionsPerAddress)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: (connections.map { [AddressGate($0, logger: logger)] } ?? [])
                + [
                    MalformedRequests(logger: logger), ExpectContinue(),
                    RequestDeadline(seconds: seconds), HangUpHandler(),
                ],
            idleTimeout: .seconds(Int64(seconds)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: RequestLimits.headerBytes,
                maxHeaderListSize: RequestLimits.headerBytes,
                maxHeaderFieldCount: RequestLimits.headers))
        maxConnections = configuration.connections
        if let certificate {
            scheme = "https"
            self.http = HTTPServerBuilder { responder in
                SecuredChannel(HTTP1Channel(responder: responder, configuration: http), certificate)
            }
        } else {
            scheme = "http"
            self.http = .http1(configuration: http)
        }
    }

    /// The URL that it listens at, such as `http://127.0.0.1:8081`; `nil` before it listens.
    package var url: String? { listeningAt.withLock { $0 } }

    package func application(
        _ router: Router<MienRequestContext>, services: [any Service] = [],
        onListening: @escaping @Sendable (_ url: String) -> Void
    ) -> Application<RouterResponder<MienRequestContext>> {
        Application(
            router: router, server: http,
            configuration: .init(
                address: .hostname(address.host, port: address.port), serverName: "mien",
                backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(maxConnections, logger: logger)),
            services: services,
            onServerRunning: { [self] channel in
                let url =
                    "\(scheme)://\(address.hostInURL):\(channel.localAddress?.port ?? address.port)"
                listeningAt.withLock { $0 = url }
                onListening(url)
            }, logger: logger)
    }

    /// Binds the address and releases it again.
    ///
    /// - Throws: ``ServerStartError`` if the listener could not listen there.
    package func requireFreeAddress() async throws {
        do {
            // Connections that a server left behind when it ended must not make the address look
            // taken.
            let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            try await bootstrap.bind(host: address.host, port: address.port).get().close().get()
        } catch { throw explained(error) }
    }

    /// Names the address and the remedy if `error` kept the listener from listening.
    package func explained(_ error: any Error) -> any Error {
        guard url == nil, !(error is ServerStartError), !(error is CancellationError) else {
            return error
        }
        return ServerStartError(
            .listen, "cannot listen on \(address) (\(setting)): \(Self.words(error))")
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "another program is listening there; stop it, or set another port"
        case EACCES:
            "permission denied; ports below 1024 need root, so run as root or set another port"
        case EADDRNOTAVAIL: "this machine has no such address; set another host"
        default: "\(error)"
        }
    }
}

/// Runs a listener's application, and says which address failed.
package struct ListenerService: Service, NamedByType {
    let listener: HTTPListener
    let application: Application<RouterResponder<MienRequestContext>>

    package func run() async throws {
        do { try await application.run() } catch { throw listener.explained(error) }
    }
}
