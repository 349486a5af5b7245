import Foundation
import Logging
import MienClient
import MienCore
import MienServer
import MienTools
import ServiceLifecycle

/// Runs a temporary server for the duration of a closure, with fresh data in `folder` and a free
/// port of this machine.
struct LoopbackServer {
    let address: String
    let admin: MienAdmin
    /// The folder of its emails.
    let outbox: URL

    /// - Parameter environment: additional settings, in the form of `mien serve`.
    static func run<Output: Sendable>(
        in folder: URL, home: URL, environment: [String: String] = [:],
        _ body: @escaping @Sendable (LoopbackServer) async throws -> Output
    ) async throws -> Output {
        let settings = [
            "MIEN_DATA": folder.path, "MIEN_PORT": "0", "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
        ].merging(environment) { $1 }
        let configuration = try ServerConfiguration(environment: settings, home: home)
        var logger = Logger(label: "mien", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        let (addresses, listening) = AsyncStream<String>.makeStream()
        let server = try await Server(configuration, logger: logger, publishesSignUp: true) {
            listening.yield($0)
        }
        guard let first = server.firstStart else {
            throw Failure(.notSetUp, "server.folder", "\(folder.path) is not empty")
        }
        let group = ServiceGroup(services: [server], logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            guard let address = await addresses.first(where: { _ in true }),
                let adminAddress = server.adminAddress
            else {
                try await tasks.waitForAll()
                throw Failure(
                    .notSetUp, "server.start", "the server ended before it accepted connections")
            }
            let result: Result<Output, any Error>
            do {
                let admin = try MienAdmin(
                    MienOptions(serverPath: adminAddress), credential: first.adminCredential)
                result = .success(
                    try await body(
                        LoopbackServer(
                            address: address, admin: admin, outbox: configuration.mailOutbox)))
            } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }
}
