internal import Foundation
internal import Hummingbird
public import Logging
internal import MienAPI
public import MienCore
internal import MienJourney
internal import MienStore
internal import MienVault
public import ServiceLifecycle
internal import Synchronization

/// The complete server. `mien serve` and the tests run it.
///
///     let server = try await Server(configuration, logger: logger)
///     try await server.run()          // until the task is canceled, or SIGTERM
public final class Server: Service {
    /// Facts that are only available on the first start.
    public struct FirstStart: Sendable {
        /// The credential for the admin API. Only its hash is stored.
        public let adminCredential: Sensitive<String>
        /// The code with which the first administrator sets up the portal, once.
        public let setupCode: PortalSetupCode
        public let sampleApp: AppID
        public let journeys: [JourneyID]
    }

    /// A one-time code with which an administrator sets up the sign-in to the portal.
    public struct PortalSetupCode: Sendable {
        let offer: NewAdministratorOffer
        let portal: PublicURL

        /// The link to open in a browser within a day. Call it once the server listens.
        public var link: Sensitive<String> { offer.link(at: portal.text) }
    }

    /// `nil` on every start except the first.
    public let firstStart: FirstStart?
    /// The new credential of the only administrator, if a renewal was requested and this is not the
    /// first start.
    public let renewedCredential: Sensitive<String>?
    /// The code with which that administrator sets up the portal.
    public let renewedSetupCode: PortalSetupCode?
    /// Apps that accepted a photo as a capture (liveness mode `image`) when the server started.
    public let appsTakingPhotos: [AppID]
    public let configuration: ServerConfiguration
    let parts: ServerParts
    private let logger: Logger
    private let driver: any SQLDriver
    private let data: DataFolder
    private let certificate: ServedCertificate?
    private let portalURL: PublicURL
    private let publicListener: HTTPListener
    private let adminListener: HTTPListener
    /// For other servers that share the database.
    private let clusterListener: HTTPListener?
    private let onListening: @Sendable (_ address: String) -> Void
    private let onAdminListening: @Sendable (_ address: String) -> Void

    /// Opens or creates the data folder, the master key, and the database, and loads the model
    /// pack. Does not listen until ``run()``.
    ///
    /// - Parameters:
    ///   - publishesSignUp: Whether the first start publishes the sample journey with which anyone
    ///     can create an account.
    ///   - renewsAdminCredential: Whether a new administrator credential replaces all existing
    ///     ones.
    ///   - acceptsLoss: Whether a database is used although it may lack committed data.
    ///   - onListening: Called once with the public address, e.g. `http://127.0.0.1:8080`. The
    ///     server then accepts connections on both addresses.
    ///   - onAdminListening: Called once, before `onListening`, with the address of the admin API
    ///     and metrics, e.g. `http://127.0.0.1:8081`.
    /// - Throws: An error about the certificate, folder, key, database, or pack;
    ///   ``ServerStartError`` `.inUse` if another server uses the folder.
    public convenience init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock = .system,
        publishesSignUp: Bool = false,
        renewsAdminCredential: Bool = false, acceptsLoss: Bool = false,
        onListening: @escaping @Sendable (_ address: String) -> Void = { _ in },
        onAdminListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        try await self.init(
            configuration, logger: logger, clock: clock, publishesSignUp: publishesSignUp,
            renewsAdminCredential: renewsAdminCredential, acceptsLoss: acceptsLoss, reader: nil,
            onListening: onListening, onAdminListening: onAdminListening)
    }

    /// - Parameters:
    ///   - reader: Reads the frames of capture sessions instead of the model pack. For tests.
    ///   - documents: Checks documents. For tests.
    ///   - engines: Makes the engines of model packs. For tests.
    init(
        _ configuration: ServerConfiguration, logger: Logger, clock: ServerClock,
        publishesSignUp: Bool = false, renewsAdminCredential: Bool = false,
        acceptsLoss: Bool = false,
        reader: (any LiveFrameReader)?, documents: (any DocumentVerifier)? = nil,
        engines: EngineSource = .own,
        onListening: @escaping @Sendable (_ address: String) -> Void,
        onAdminListening: @escaping @Sendable (_ address: String) -> Void = { _ in }
    ) async throws {
        (self.configuration, self.logger) = (configuration, logger)
        (self.onListening, self.onAdminListening) = (onListening, onAdminListening)
        certificate = try configuration.tls.map {
            try ServedCertificate(TLSFiles(certificate: $0.certificate, key: $0.key))
        }
        publicListener = HTTPListener(
            ListenAddress(host: configuration.host, port: configuration.port),
            setting: "host, port", certificate: certificate,
            isBehindProxy: configuration.trustsProxy, configuration, logger: logger)
        // Loopback uses plain HTTP: no certificate names 127.0.0.1, and the traffic stays on the
        // machine.
        adminListener = HTTPListener(
            configuration.adminListen, setting: "admin.listen",
            certificate: configuration.adminListen.isLoopback ? nil : certificate,
            isBehindProxy: configuration.adminTrustsProxy, configuration, logger: logger)
        clusterListener = try configuration.cluster.map {
            HTTPListener(
                $0.listen, setting: "cluster.listen", certificate: try ServedCertificate($0.files),
                isBehindProxy: configuration.trustsProxy, configuration, logger: logger)
        }
        // Before anything is created: the only copy of the credential would be printed by a server
        // that then fails.
        for listener in [publicListener, adminListener, clusterListener].compactMap({ $0 }) {
            try await listener.requireFreeAddress()
        }
        let data = try DataFolder(
            configuration.dataFolder, keyFile: ServerKeys.file(of: configuration))
        self.data = data
        let database = try ServerDatabase(configuration, file: data.database)
        let opened: ServerDatabase.Opened, store: Store
        do {
            opened = try await database.open(besides: data.database, acceptsLoss: acceptsLoss) {
                try data.keys(of: database.place, hasRecords: $0)
            }
            driver = opened.driver
            store = try await Store(
                driver, keys: StoreKeys(opened.keys),
                source: MasterKeySource(data.keyFile, containing: opened.keys))
        } catch let error as StoreError {
            if error.code == .foreignKey {
                throw data.foreignKey(of: database.place, isShared: database.isShared, error.reason)
            }
            if error.code == .incomplete, case .file = database {
                throw data.incomplete(error.reason)
            }
            throw ServerStartError(.store, "\(database.place): \(error.reason)")
        }
        for warning in opened.warnings { logger.warning("\(warning)") }
        let publicURL = PublicURL(configuration.publicURL), portalURL = PublicURL(nil)
        self.portalURL = portalURL
        parts = try await ServerParts(
            configuration, store: store, publicURL: publicURL, portalURL: portalURL,
            clock: clock, logger: logger,
            certificate: certificate,
            reader: reader, documents: documents, engines: engines)
        if let flaw = opened.flaw {
            logger.warning("started with a database that may lack writes: it \(flaw)")
            let now = clock.now
            try await store.write {
                try $0.audit.append(
                    AuditEvent(
                        "server.loss-accepted", actor: "system", detail: ["found": .string(flaw)]),
                    at: now)
            }
        }
        let first = FirstStartWork(
            publishesSignUp: publishesSignUp, store: store, clock: clock)
        firstStart = try await first.run(portal: portalURL)
        try await first.addPageJourneys()
        if renewsAdminCredential, firstStart == nil {
            let now = clock.now
            let admin = NewAdmin(named: NewAdmin.firstName, as: .owner, store.keys, at: now)
            let setup = NewAdministratorOffer(
                settingUp: admin.record, by: nil, store.keys, at: now)
            try await admin.replaceAll(in: store, with: setup, at: now)
            renewedCredential = admin.credential
            renewedSetupCode = PortalSetupCode(offer: setup, portal: portalURL)
        } else {
            (renewedCredential, renewedSetupCode) = (nil, nil)
        }
        let apps = try await store.read { try $0.apps.all() }
        appsTakingPhotos =
            apps.filter {
                LivenessRules(server: configuration.liveness, app: $0.settings.liveness).mode
                    == .image
            }.map(\.id)
        for app in appsTakingPhotos {
            logger.warning(
                "liveness mode is image: a photo of a person is accepted as that person. Use liveness_active to require a live capture",
                metadata: ["app.id": "\(app.text)"])
        }
        for warning in parts.identities.warnings(apps: apps) { logger.warning("\(warning)") }
        if parts.presentation == .require {
            logger.info(
                "presentation check of live captures",
                metadata: ["face.presentation": "\(parts.presentation.rawValue)"])
        } else {
            logger.warning(
                "live captures are accepted without the presentation check, so a good screen or print may pass: set face.presentation to require, with a model pack that has the network",
                metadata: ["face.presentation": "\(parts.presentation.rawValue)"])
        }
        for app in apps {
            let rules = LivenessRules(
                server: configuration.liveness, app: app.settings.liveness)
            let raised = rules.raised(for: .authentication, presentation: parts.presentation)
            guard raised.mode != rules.mode else { continue }
            logger.notice(
                "liveness mode is liveness_passive, but sign-ins use liveness_active: a recording on a screen passes the passive mode unless face.presentation is require",
                metadata: ["app.id": "\(app.id.text)"])
        }
        for found in try await parts.catalog.uncheckedDocuments(
            checksDocuments: parts.identities.checksDocuments)
        {
            logger.warning(
                "an identity verification answers challenge instead of allow, because this server checks no documents: publish a version with documents set to none to accept a live selfie alone",
                metadata: [
                    "journey.id": "\(found.journey.text)", "journey.version": "\(found.version)",
                    "journey.step": "\(found.step)",
                ])
        }
    }

    /// Serves until the task is canceled or a graceful shutdown begins. Requests in progress then
    /// have `shutdown_seconds` to finish.
    ///
    /// - Throws: ``ServerStartError`` if the server cannot listen.
    public func run() async throws {
        var failure: (any Error)?
        do { try await serve() } catch { failure = error }
        do { try await parts.sweeper.writeCounted() } catch {
            logger.error(
                "counted refusals could not be written to the audit log; they are written at the next start"
            )
        }
        // Closing folds the write-ahead log into the database; nothing is written to the folder
        // after this.
        var closing: (any Error)?
        do {
            try await WorkerThread.run(name: "mien.close") { [driver] in try driver.close() }
        } catch { closing = error }
        data.release()
        if let error = closing ?? failure { throw error }
    }

    /// The URL of the admin API and metrics, such as `http://127.0.0.1:8081`. `nil` until the
    /// server listens.
    public var adminAddress: String? { adminListener.url }

    /// Reads the certificate and key files again, for renewed certificates. Connections in progress
    /// keep theirs. If the files are unusable, the log says why, and the server keeps serving the
    /// certificate that it has.
    public func reloadCertificate() {
        guard let certificate else {
            return logger.notice("no certificate to reload: tls.certificate is not set")
        }
        do throws(ServerStartError) {
            try certificate.reload()
            logger.notice("reloaded the certificate")
        } catch {
            logger.error(
                "the certificate could not be reloaded; the earlier one remains in use",
                metadata: ["tls.reason": "\(error)"])
        }
    }

    private func serve() async throws {
        let publicURL = parts.publicURL, onListening = onListening,
            onAdminListening = onAdminListening, portalURL = portalURL,
            configuration = configuration
        let (adminIsListening, admin) = AsyncStream<Void>.makeStream()
        let adminService = ListenerService(
            listener: adminListener,
            application: adminListener.application(parts.adminRouter()) { address in
                let port = address.split(separator: ":").last.flatMap { Int($0) } ?? 0
                portalURL.listening(at: configuration.adminURL(port: port))
                onAdminListening(address)
                admin.finish()
            })
        var others: [any Service] = []
        if let presence = parts.presence { others.append(presence) }
        if let clusterListener {
            let application = clusterListener.application(parts.clusterRouter()) { _ in }
            others.append(ListenerService(listener: clusterListener, application: application))
        }
        var application = publicListener.application(
            parts.publicRouter(),
            services: others + [
                parts.mail, parts.sweeper, parts.changeWatch, parts.logouts, parts.masterKeys,
                parts.galleries, parts.duplicateSearch,
                parts.identityWorker, parts.identityNews, adminService,
            ]
        ) { address in
            publicURL.listening(at: address)
            onListening(address)
        }
        // Announce the public URL only once the admin API is ready, too.
        application.beforeServerStarts {
            for await _ in adminIsListening {}
            try Task.checkCancellation()
        }
        do { try await untilStopped(application) } catch { throw publicListener.explained(error) }
    }

    /// Runs the application. If shutdown takes too long, cancels the remaining requests.
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
            // Errors from canceled tasks are not failures.
            while !tasks.isEmpty { _ = try? await tasks.next() }
        }
    }

    /// Runs one sweep immediately: removes expired records and renews signing keys.
    package func sweep() async { await parts.sweeper.sweep() }
}

/// The server's public URL: configured, or known once the server listens.
final class PublicURL: Sendable {
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
