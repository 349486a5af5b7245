import ArgumentParser
import CMienSystem
import Foundation
import Logging
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienModels
import MienServer
import MienTools
import ServiceLifecycle
import Synchronization
import UnixSignals

/// `mien serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server.",
        discussion: """
            The first start creates the data folder, the master key, an admin credential (printed \
            once), a sample app, and sample journeys. SIGTERM and SIGINT let running requests finish, \
            for at most shutdown_seconds; a second signal ends them at once. SIGHUP reloads the \
            certificate and its key. Settings come from a YAML \
            file and from environment variables, which override it: tls.key is MIEN_TLS_KEY.

            EXAMPLE
              mien serve
              mien serve --config mien.yaml --print-config
            """)

    @Option(help: ArgumentHelp("A YAML file with settings.", valueName: "mien.yaml")) var config:
        String?
    @Flag(
        help:
            "On the first start, also publish the sample journey that lets anyone create an account."
    ) var withSamples = false
    @Flag(help: "Print every setting with its effective value, with secrets hidden, and exit.")
    var printConfig = false
    @Flag(
        help:
            "Remove all administrators, and create one with a new credential and setup link. For operators who have lost every way in."
    ) var renewAdminCredential = false
    @Flag(
        help:
            "Start with a database that was copied without its write-ahead log, or that is older than its server's last commit. What is missing is lost."
    ) var acceptLostWrites = false

    func run() async throws {
        let configuration = try ServerSettings.load(config)
        if printConfig {
            print(configuration.printed)
            return
        }
        // Before there are many threads.
        _ = mien_process_share_memory()
        // Before the master key is read.
        ProcessIntegrity.harden()
        let logger = ServerLog.logger(level: configuration.logLevel, json: configuration.logsJSON)
        let hint = FirstStartHint(), setup = SetupHint(), server: Server
        do {
            // Unbuffered, so that scripts can wait for the lines.
            server = try await Server(
                configuration, logger: logger, publishesSignUp: withSamples,
                renewsAdminCredential: renewAdminCredential, acceptsLoss: acceptLostWrites,
                onListening: { FileHandle.standardOutput.write(Data("Listening on \($0)\n".utf8)) },
                onAdminListening: {
                    FileHandle.standardOutput.write(
                        Data("Admin API on \($0)\n\(setup.text)\(hint.text(admin: $0))".utf8))
                })
        } catch let error as ConfigurationError {
            throw Failure(.notSetUp, "server.folder", error.description)
        }
        if let first = server.firstStart {
            Self.tell(first, configuration)
            hint.show(for: first.sampleApp, mode: configuration.liveness.mode ?? .livenessActive)
        }
        setup.show(server.firstStart?.setupCode ?? server.renewedSetupCode)
        if let credential = server.renewedCredential {
            FileHandle.standardOutput.write(
                Data("New admin credential, shown only once:\n  \(credential.use { $0 })\n".utf8))
        }
        if !server.appsTakingPhotos.isEmpty {
            let apps = server.appsTakingPhotos.map(\.text).joined(separator: ", ")
            FileHandle.standardOutput.write(
                Data("Liveness mode image accepts photos instead of live people: \(apps)\n".utf8))
        }
        try await Self.untilSignalled(server, logger)
    }

    /// Lets running requests finish after the first signal, and ends them at the second one.
    private static func untilSignalled(_ server: Server, _ logger: Logger) async throws {
        let group = ServiceGroup(services: [server], logger: logger)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                var isStopping = false
                for await signal in signals {
                    if signal == .sighup {
                        server.reloadCertificate()
                        continue
                    }
                    if isStopping { return endSoon(logger) }
                    isStopping = true
                    await group.triggerGracefulShutdown()
                }
            }
            try await tasks.next()
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    /// Ends the process if it does not end by itself, because something waits without an end, such as
    /// for a disk.
    private static func endSoon(_ logger: Logger) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 10)
            logger.error("the server did not end in time; it ends without closing its database")
            _exit(1)
        }
    }

    private static func tell(_ first: Server.FirstStart, _ configuration: ServerConfiguration) {
        let text = """
            First start: created \(configuration.dataFolder.path) with a master key. Back the key up: without it, no data can be decrypted.
            Admin credential, shown only once:
              \(first.adminCredential.use { $0 })
            Sample app: \(first.sampleApp.text); journeys: \(first.journeys.map(\.text).joined(separator: ", "))

            """
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

/// The link with which the administrator of a new credential sets up the portal. It names the admin
/// listener, so it waits for its address.
private final class SetupHint: Sendable {
    private let code = Mutex<Server.PortalSetupCode?>(nil)

    func show(_ code: Server.PortalSetupCode?) { self.code.withLock { $0 = code } }

    /// Returns nothing if there is no code.
    var text: String {
        guard let code = code.withLock({ $0 }) else { return "" }
        return """
            Set up the admin portal in a browser within 24 hours, once:
              \(code.link.use { $0 })

            """
    }
}

/// Commands to try after the first start. They name the admin API, so they wait for its address.
private final class FirstStartHint: Sendable {
    private let shown = Mutex<(app: AppID, mode: LivenessPolicy.Mode)?>(nil)

    func show(for app: AppID, mode: LivenessPolicy.Mode) { shown.withLock { $0 = (app, mode) } }

    /// Returns nothing unless this is the first start.
    func text(admin url: String) -> String {
        guard let (app, mode) = shown.withLock({ $0 }) else { return "" }
        let server = url == MienAdmin.defaultServerPath ? "" : " --server \(url)"
        return """
            Captures: \(mode.rawValue). To try it with photos only, run in another terminal, and paste the credential:
              read -rs MIEN_ADMIN_CREDENTIAL && export MIEN_ADMIN_CREDENTIAL
              mien admin app set \(app.text) --setting liveness.mode=image\(server)

            """
    }
}
