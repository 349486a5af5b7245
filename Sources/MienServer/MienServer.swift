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
    /// The one administrator's, when it was asked for and this is not the first start.
    public let renewedCredential: Sensitive<String>?
    /// Apps whose captures take any good picture, as they were set when the server started.
    public let appsTakingPhotos: [AppID]
    public let configuration: ServerConfiguration
    let parts: ServerParts
    private let logger: Logger
    private let driver: SQLiteDriver
    private let http: HTTPServerBuilder
    private let onListening: @Sendable (_ address: String) -> Void

    /// Opens or makes the data folder, the master key, the database; loads the model pack. Listens only in ``run()``.
    ///
    /// - Parameters:
    ///   - renewsAdminCredential: whether the credentials there are stop to do, and a new one takes their place.
    ///   - onListening: told once where the server listens, e.g. `http://127.0.0.1:8080`.
    /// - Throws: what is wrong with certificate, folder, key, database or pack.
    public convenience init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock = .system, renewsAdminCredential: Bool = false,
        onListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        try await self.init(
            configuration, logger: logger, clock: clock, renewsAdminCredential: renewsAdminCredential, reader: nil, onListening: onListening)
    }

    /// - Parameter reader: looks at frames of live captures in the model pack's place: for tests.
    init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock, renewsAdminCredential: Bool = false, reader: (any LiveFrameReader)?,
        onListening: @escaping @Sendable (_ address: String) -> Void
    ) async throws {
        (self.configuration, self.logger, self.onListening) = (configuration, logger, onListening)
        http = try Self.http(configuration)
        let data = try DataFolder(configuration.dataFolder)
        let store: Store
        do {
            driver = try SQLiteDriver(path: data.database.path)
            store = try await Store(driver, keys: StoreKeys(data.masterKey))
        } catch let error as StoreError { throw ServerStartError(.store, "\(data.database.path): \(error.reason)") }
        let place = PublicPlace(configuration.publicURL)
        parts = try await ServerParts(
            configuration, store: store, place: place, clock: clock, logger: logger, reader: reader)
        firstStart = try await FirstStartWork(store: store, clock: clock).run()
        if renewsAdminCredential, firstStart == nil {
            let admin = NewAdmin(store.keys)
            try await admin.replaceAll(in: store, at: clock.now)
            renewedCredential = admin.credential
        } else {
            renewedCredential = nil
        }
        appsTakingPhotos = try await store.read { try $0.apps.all() }
            .filter { LivenessRules(server: configuration.liveness, app: $0.settings.liveness).mode == .image }.map(\.id)
        for app in appsTakingPhotos {
            logger.warning(
                "a photo of a person passes as the person: the liveness mode is image; liveness_active asks for a live one",
                metadata: ["app.id": "\(app.text)"])
        }
    }

    /// Until the task is cancelled, or told to shut down gracefully: then requests under way have `shutdown_seconds` to end.
    ///
    /// - Throws: ``ServerStartError`` when it cannot listen.
    public func run() async throws {
        var failure: (any Error)?
        do { try await serve() } catch { failure = error }
        await parts.stop()
        // The log is folded into the database, and nothing is written to its folder any more.
        try driver.close()
        if let failure { throw failure }
    }

    private func serve() async throws {
        let configuration = configuration
        let place = parts.place
        let scheme = configuration.tls == nil ? "http" : "https"
        let shown = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let onListening = onListening
        let application = Application(
            router: parts.router(), server: http,
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "mien", backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(configuration.connections, logger: logger)),
            services: [parts.mail, parts.sweeper],
            onServerRunning: { channel in
                let address = "\(scheme)://\(shown):\(channel.localAddress?.port ?? configuration.port)"
                place.listening(at: address)
                onListening(address)
            }, logger: logger)
        do { try await untilStopped(application) } catch  where !place.isListening {
            throw ServerStartError(.listen, "cannot listen on \(shown):\(configuration.port): \(Self.words(error))")
        }
    }

    /// Runs it; when it is told to stop and is not done in time, ends what is under way.
    private func untilStopped(_ application: some ApplicationProtocol) async throws {
        let seconds = configuration.shutdownSeconds
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await application.run()
                return true
            }
            tasks.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: .seconds(seconds))
                return false
            }
            do {
                if try await tasks.next() == false {
                    logger.warning("stopped before all requests were done", metadata: ["shutdown.seconds": "\(seconds)"])
                }
            } catch is CancellationError {}
            tasks.cancelAll()
            // What ends because it was told to has not failed.
            while !tasks.isEmpty { _ = try? await tasks.next() }
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "something listens there already; stop it, or set another port"
        case EACCES: "this user may not; ports below 1024 are for root, or set another port"
        case EADDRNOTAVAIL: "this machine has no such address; set another host"
        default: "\(error)"
        }
    }

    /// Removes what has expired and renews signing keys now, not when the minute is over.
    package func sweep() async { await parts.sweeper.sweep() }

    /// Connections that wait to be accepted; the system may allow fewer.
    private static let backlog = 1024

    private static func http(_ configuration: ServerConfiguration) throws -> HTTPServerBuilder {
        let seconds = configuration.requestSeconds
        let connections = configuration.connectionsPerAddress.map { AddressConnections(most: $0) }
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: (connections.map { [AddressGate($0)] } ?? []) + [MalformedRequests(), RequestDeadline(seconds: seconds)],
            idleTimeout: .seconds(Int64(seconds)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: RequestLimits.headerBytes, maxHeaderListSize: RequestLimits.headerBytes,
                maxHeaderFieldCount: RequestLimits.headers))
        guard let tls = configuration.tls else { return .http1(configuration: http) }
        return try .tls(.http1(configuration: http), tlsConfiguration: TLSFiles(certificate: tls.certificate, key: tls.key).setup())
    }
}

/// How clients reach the server: configured, or known once it listens.
final class PublicPlace: Sendable {
    private struct State {
        var url: String
        var isListening = false
    }
    private let state: Mutex<State>
    private let isConfigured: Bool

    init(_ configured: String?) {
        state = Mutex(State(url: configured ?? "http://localhost"))
        isConfigured = configured != nil
    }

    func listening(at address: String) {
        state.withLock { state in
            state.isListening = true
            if !isConfigured { state.url = address }
        }
    }
    var text: String { state.withLock { $0.url } }
    var isListening: Bool { state.withLock { $0.isListening } }
}
