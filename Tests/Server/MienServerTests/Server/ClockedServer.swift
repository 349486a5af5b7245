import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Synchronization
import Testing

/// A `mien serve` process whose clock a test advances. Strangers can sign up.
final class ClockedServer: ServerWithUsers {
    let address: String
    let adminAddress: String
    let admin: MienAdmin
    let time: ProcessClock
    /// The server's data folder.
    let folder: URL
    private let start: @Sendable ([String: String]) async throws -> ServeProcess
    private let process: Mutex<ServeProcess>

    var now: Instant { time.now }

    /// Starts a server, runs `body`, and stops the server.
    static func run(
        in scratch: ScratchFolder, settings: [String: String] = [:],
        _ body: (ClockedServer) async throws -> Void
    ) async throws {
        let server = try await ClockedServer(in: scratch, settings)
        try await body(server)
        #expect(await server.process.withLock { $0 }.stop() == 0)
    }

    private init(in scratch: ScratchFolder, _ settings: [String: String]) async throws {
        let standard = [
            "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000", "MIEN_LIMIT_STARTS_PER_MINUTE": "100000",
            "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
            // Most tests only have photos.
            "MIEN_FACE_LIVENESS_MODE": "image",
        ]
        let clock = try ProcessClock(in: scratch)
        let start = { @Sendable more in
            try await ServeProcess.start(
                in: scratch, standard.merging(settings) { $1 }.merging(more) { $1 },
                arguments: ["--with-samples"], clock: clock)
        }
        let process = try await start([:])
        (address, adminAddress) = (process.address, process.adminAddress)
        admin = try process.admin(try #require(process.credential))
        (time, folder, self.start) = (clock, scratch("data"), start)
        self.process = Mutex(process)
    }

    /// Restarts the process on the same ports. A server removes what has expired when it starts.
    func restart() async throws {
        #expect(await process.withLock { $0 }.stop() == 0)
        func port(_ url: String) throws -> Substring {
            try #require(url.split(separator: ":").last)
        }
        let next = try await start([
            "MIEN_PORT": String(port(address)),
            "MIEN_ADMIN_LISTEN": "127.0.0.1:\(port(adminAddress))",
        ])
        process.withLock { $0 = next }
    }

    func client(
        _ devices: any DeviceTokenStorage = MemoryDeviceTokens(),
        app: String = "default_application"
    ) throws -> JourneyClient {
        try process.withLock { $0 }.client(devices, app: app)
    }
}
