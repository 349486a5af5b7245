internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
public import Logging
internal import MienAccess
public import MienCore
internal import MienStore
internal import MienVault
internal import NIOCore
internal import NIOSSL
public import ServiceLifecycle
internal import Synchronization

/// The server, whole: what `mien serve` runs and what tests run.
///
///     let server = try await MienServer(configuration, logger: logger)
///     try await server.run()          // until the task is cancelled, or SIGTERM
public final class MienServer: Service {
    /// What only the first start tells.
    public struct FirstStart: Sendable {
        /// For the admin API; stored as a hash only.
        public let adminCredential: Sensitive<String>
        public let sampleApp: AppID
        public let journeys: [JourneyID]
    }

    /// `nil` on every start but the first.
    public let firstStart: FirstStart?
    public let configuration: ServerConfiguration
    let parts: ServerParts
    private let logger: Logger
    private let driver: SQLiteDriver
    private let address = Mutex<(host: String, port: Int)?>(nil)
    private let onListening: @Sendable (_ address: String) -> Void

    /// Opens or makes the data folder, the master key, the database; loads the model pack. Listens only in ``run()``.
    ///
    /// - Parameter onListening: told once where the server listens, e.g. `http://127.0.0.1:8080`.
    /// - Throws: what is wrong with folder, key, database or pack.
    public init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock = .system,
        onListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        (self.configuration, self.logger, self.onListening) = (configuration, logger, onListening)
        let data = try DataFolder(configuration.dataFolder)
        driver = try SQLiteDriver(path: data.database.path)
        let store = try await Store(driver, keys: StoreKeys(data.masterKey))
        let place = PublicPlace(configuration.publicURL)
        parts = try await ServerParts(
            configuration, store: store, secret: data.webhookSecret(configuration.webhookSecret), place: place, clock: clock, logger: logger)
        firstStart = try await FirstStartWork(store: store, clock: clock).run()
    }

    public func run() async throws {
        let configuration = configuration
        let place = parts.place
        let scheme = configuration.tls == nil ? "http" : "https"
        let shown = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let onListening = onListening
        let application = Application(
            router: parts.router(), server: try Self.server(configuration),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "mien", backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(configuration.connections, logger: logger)),
            services: [parts.mail, parts.sweeper],
            onServerRunning: { channel in
                let address = "\(scheme)://\(shown):\(channel.localAddress?.port ?? configuration.port)"
                place.listening(at: address)
                onListening(address)
            }, logger: logger)
        try await application.run()
        await parts.stop()
        // The log is folded into the database, and nothing is written to its folder any more.
        try driver.close()
    }

    /// Removes what has expired and renews signing keys now, not when the minute is over.
    package func sweep() async { await parts.sweeper.sweep() }

    /// Connections that wait to be accepted; the system may allow fewer.
    private static let backlog = 1024

    private static func server(_ configuration: ServerConfiguration) throws -> HTTPServerBuilder {
        let seconds = configuration.requestSeconds
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadline(seconds: seconds)], idleTimeout: .seconds(Int64(seconds)))
        guard let tls = configuration.tls else { return .http1(configuration: http) }
        let chain = try NIOSSLCertificate.fromPEMFile(tls.certificate).map { NIOSSLCertificateSource.certificate($0) }
        var setup = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
        setup.minimumTLSVersion = .tlsv12
        return try .tls(.http1(configuration: http), tlsConfiguration: setup)
    }
}

/// How clients reach the server: configured, or known once it listens.
final class PublicPlace: Sendable {
    private let url: Mutex<String>
    private let isConfigured: Bool

    init(_ configured: String?) {
        url = Mutex(configured ?? "http://localhost")
        isConfigured = configured != nil
    }

    func listening(at address: String) { if !isConfigured { url.withLock { $0 = address } } }
    var text: String { url.withLock { $0 } }
}
