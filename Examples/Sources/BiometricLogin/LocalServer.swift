import Foundation
import Logging
import MienAPI
import MienClient
import MienCore
import MienModels
import MienServer

/// A new server inside this program, with one account. Your own program connects to a server that
/// runs elsewhere.
struct LocalServer {
    /// The account's user name and password.
    let user = "ada", password = "password-\(UUID().uuidString)"
    let app = "default_application"
    /// The user's ID.
    let id: UserID
    let address: String
    let admin: MienAdmin

    func options() -> MienOptions {
        MienOptions(serverPath: address, applicationId: app, logLevel: .error)
    }

    /// Runs a server with its data in `folder`, until `body` has ended.
    static func run(in folder: URL, _ body: (LocalServer) async throws -> Void) async throws {
        var logger = Logger(label: "server") { StreamLogHandler.standardError(label: $0) }
        // A server that is canceled instead of shut down reports the connections that it drops.
        logger.logLevel = .critical
        // Port 0 is any free one.
        let settings = [
            "MIEN_DATA": folder.path, "MIEN_PORT": "0", "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
        ]
        let home = MienHome(environment: ProcessInfo.processInfo.environment).folder
        let (addresses, listening) = AsyncStream<String>.makeStream()
        // The address of the admin API comes first.
        let server = try await Server(
            ServerConfiguration(environment: settings, home: home), logger: logger,
            onListening: { listening.yield($0) }, onAdminListening: { listening.yield($0) })
        let running = Task {
            defer { listening.finish() }
            try await server.run()
        }
        var found = addresses.makeAsyncIterator()
        if let admin = await found.next(), let address = await found.next(),
            let first = server.firstStart
        {
            do {
                try await body(LocalServer(address, admin, first.adminCredential))
            } catch {
                running.cancel()
                try? await running.value
                throw error
            }
        }
        running.cancel()
        try await running.value
    }

    private init(_ address: String, _ adminAddress: String, _ credential: Sensitive<String>)
        async throws
    {
        self.address = address
        admin = try MienAdmin(
            MienOptions(serverPath: adminAddress, logLevel: .error), credential: credential)
        let made = try await admin.createUser(UserRequest(username: user, password: password))
        guard let id = UserID(made.id) else {
            throw MienError(.serverError, "The server returned a malformed identifier.")
        }
        self.id = id
    }
}
