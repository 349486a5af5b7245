internal import Foundation
internal import Hummingbird
public import Logging
internal import MienAccess
public import MienCore
internal import MienStore
internal import MienVault
public import ServiceLifecycle
internal import Synchronization

/// The server, whole: what `mien serve` runs and what tests run.
///
///     let server = try await Server(configuration, logger: logger)
///     try await server.run()          // until the task is cancelled, or SIGTERM
public final class Server: Service {
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
    /// Apps from before apps had a party. They are third-party apps until an operator decides.
    public let undecidedApps: [AppID]
    public let configuration: ServerConfiguration
    let parts: ServerParts
    private let logger: Logger
    private let driver: SQLiteDriver
    private let data: DataFolder
    private let publicListener: HTTPListener
    private let adminListener: HTTPListener
    private let onListening: @Sendable (_ address: String) -> Void
    private let onAdminListening: @Sendable (_ address: String) -> Void

    /// Opens or makes the data folder, the master key, the database; loads the model pack. Listens
    /// only in ``run()``.
    ///
    /// - Parameters:
    ///   - publishesSignUp: Whether the first start publishes the sample journey with which anyone
    ///     can create an account.
    ///   - renewsAdminCredential: whether the credentials there are stop to do, and a new one takes
    ///     their place.
    ///   - onListening: Called once with the public address, e.g. `http://127.0.0.1:8080`. The
    ///     server then accepts connections on both.
    ///   - onAdminListening: Called once, before `onListening`, with the address of the admin API
    ///     and metrics, e.g. `http://127.0.0.1:8081`.
    /// - Throws: what is wrong with the certificate, folder, key, database, or pack;
    ///   ``ServerStartError`` `.inUse` if another server uses the folder.
    public convenience init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock = .system,
        publishesSignUp: Bool = false,
        renewsAdminCredential: Bool = false,
        onListening: @escaping @Sendable (_ address: String) -> Void = { _ in },
        onAdminListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        try await self.init(
            configuration, logger: logger, clock: clock, publishesSignUp: publishesSignUp,
            renewsAdminCredential: renewsAdminCredential, reader: nil,
            onListening: onListening, onAdminListening: onAdminListening)
    }

    /// - Parameter reader: looks at frames of live captures in the model pack's place: for tests.
    init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock,
        publishesSignUp: Bool = false, renewsAdminCredential: Bool = false,
        reader: (any LiveFrameReader)?,
        onListening: @escaping @Sendable (_ address: String) -> Void,
        onAdminListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        (self.configuration, self.logger) = (configuration, logger)
        (self.onListening, self.onAdminListening) = (onListening, onAdminListening)
        publicListener = try HTTPListener(
            ListenAddress(host: configuration.host, port: configuration.port),
            setting: "host, port", usesTLS: true, configuration, logger: logger)
        // Loopback stays plain http: no certificate names 127.0.0.1, and nothing leaves the
        // machine.
        adminListener = try HTTPListener(
            configuration.adminListen, setting: "admin.listen",
            usesTLS: !configuration.adminListen.isLoopback, configuration, logger: logger)
        data = try DataFolder(configuration.dataFolder)
        let store: Store
        do {
            driver = try SQLiteDriver(path: data.database.path)
            store = try await Store(driver, keys: StoreKeys(data.masterKey))
        } catch let error as StoreError {
            throw ServerStartError(.store, "\(data.database.path): \(error.reason)")
        }
        let place = PublicPlace(configuration.publicURL)
        parts = try await ServerParts(
            configuration, store: store, place: place, clock: clock, logger: logger, reader: reader)
        let detached = try await store.detachUnverifiedEmails(at: clock.now)
        if detached > 0 {
            logger.warning(
                "accounts had addresses that nobody verified; they are no longer login names. The audit log lists them as user.email-detached",
                metadata: ["account.count": "\(detached)"])
        }
        firstStart = try await FirstStartWork(
            publishesSignUp: publishesSignUp, store: store, clock: clock
        ).run()
        if renewsAdminCredential, firstStart == nil {
            let admin = NewAdmin(store.keys)
            try await admin.replaceAll(in: store, at: clock.now)
            renewedCredential = admin.credential
        } else {
            renewedCredential = nil
        }
        let apps = try await store.read { try $0.apps.all() }
        undecidedApps = apps.filter { $0.party == .undecided }.map(\.id)
        for app in undecidedApps {
            logger.warning(
                "users cannot manage their authenticators through this app until it is marked as first-party or third-party",
                metadata: ["app.id": "\(app.text)"])
        }
        appsTakingPhotos =
            apps.filter {
                LivenessRules(server: configuration.liveness, app: $0.settings.liveness).mode
                    == .image
            }.map(\.id)
        for app in appsTakingPhotos {
            logger.warning(
                "a photo of a person passes as the person: the liveness mode is image; liveness_active asks for a live one",
                metadata: ["app.id": "\(app.text)"])
        }
    }

    /// Until the task is cancelled, or told to shut down gracefully: then requests under way have
    /// `shutdown_seconds` to end.
    ///
    /// - Throws: ``ServerStartError`` when it cannot listen.
    public func run() async throws {
        var failure: (any Error)?
        do { try await serve() } catch { failure = error }
        do { try await parts.sweeper.writeCounted() } catch {
            logger.error(
                "refusals that were counted are not in the audit log yet; they are written at the next start"
            )
        }
        // The log is folded into the database, and nothing is written to its folder any more.
        let closing = Result { try driver.close() }
        data.release()
        try closing.get()
        if let failure { throw failure }
    }

    /// Where the admin API and metrics are served, such as `http://127.0.0.1:8081`; `nil` until the
    /// server listens.
    public var adminAddress: String? { adminListener.url }

    private func serve() async throws {
        let place = parts.place, onListening = onListening, onAdminListening = onAdminListening
        let (adminIsListening, admin) = AsyncStream<Void>.makeStream()
        let adminService = ListenerService(
            listener: adminListener,
            application: adminListener.application(parts.adminRouter()) { address in
                onAdminListening(address)
                admin.finish()
            })
        var application = publicListener.application(
            parts.publicRouter(), services: [parts.mail, parts.sweeper, adminService]
        ) { address in
            place.listening(at: address)
            onListening(address)
        }
        // Once the public address is announced, the admin API can be used, too.
        application.beforeServerStarts {
            for await _ in adminIsListening {}
            try Task.checkCancellation()
        }
        do { try await untilStopped(application) } catch { throw publicListener.explained(error) }
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
                    logger.warning(
                        "stopped before all requests were done",
                        metadata: ["shutdown.seconds": "\(seconds)"])
                }
            } catch is CancellationError {}
            tasks.cancelAll()
            // What ends because it was told to has not failed.
            while !tasks.isEmpty { _ = try? await tasks.next() }
        }
    }

    /// Removes what has expired and renews signing keys now, not when the minute is over.
    package func sweep() async { await parts.sweeper.sweep() }
}

/// How clients reach the server: configured, or known once it listens.
final class PublicPlace: Sendable {
    private let url: Mutex<String>
    private let isConfigured: Bool

    init(_ configured: String?) {
        url = Mutex(configured ?? "http://localhost")
        isConfigured = configured != nil
    }

    func listening(at address: String) {
        if !isConfigured { url.withLock { $0 = address } }
    }
    var text: String { url.withLock { $0 } }
}
