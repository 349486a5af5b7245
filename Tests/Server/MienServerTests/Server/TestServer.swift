import Foundation
import Logging
import MienAPI
import MienClient
import MienCore
import MienModels
import MienTesting
import ServiceLifecycle
import Synchronization
import Testing

@testable import MienServer

/// Test requirements on the machine: the default model pack and the demo's photos.
enum Installed {
    static let home = MienHome(environment: ProcessInfo.processInfo.environment)
    static let reason: Comment =
        "needs the default model pack and the demo's photos: run scripts/setup"
    static let isThere =
        FileManager.default.fileExists(
            atPath: home.packs.appending(path: "mien-basic-1/manifest.json").path)
        && ["biden", "obama", "obama2", "obama3"].allSatisfy {
            FileManager.default.fileExists(atPath: path($0))
        }

    /// Networks compiled for this machine, which all servers share. Removed when the tests end.
    static let networkCache: URL = {
        atexit { try? FileManager.default.removeItem(at: Installed.networkCacheFolder) }
        return networkCacheFolder
    }()
    private static var networkCacheFolder: URL {
        FileManager.default.temporaryDirectory.appending(
            path: "mien-server-cache-\(getpid())", directoryHint: .isDirectory)
    }

    /// Gives servers the engines of former ones, because loading the networks takes most of a
    /// server's start. Packs of other folders are the tests' own, and may change.
    static let engines: EngineSource = {
        let kept = Mutex<[KeptEngine]>([])
        return EngineSource { pack, specification in
            guard pack.folder.path.hasPrefix(home.packs.path) else {
                return try EngineSource.own.make(pack, specification)
            }
            return try kept.withLock { kept in
                if let same = kept.first(where: {
                    $0.folder == pack.folder && $0.specification == specification
                }) {
                    return same.engine
                }
                let engine = try EngineSource.own.make(pack, specification)
                // Each has the networks in memory.
                if kept.count == 3 { kept.removeFirst() }
                kept.append(
                    KeptEngine(folder: pack.folder, specification: specification, engine: engine))
                return engine
            }
        }
    }()
    private struct KeptEngine: Sendable {
        let folder: URL
        let specification: EngineSource.Specification
        let engine: FaceEngine
    }

    /// The numbers in a descriptor of the pack that servers use by default.
    static let dimensions =
        (try? PackLibrary(folder: home.packs).pack().manifest.geometry.descriptor.dimensions) ?? 128

    /// Whether the pack that servers use by default has networks against prints and screens.
    static let hasPresentationNetworks =
        (try? PackLibrary(folder: home.packs).pack().manifest.file(of: .presentationAttack)) != nil

    static func path(_ name: String) -> String {
        home.demoPhotos.appending(path: "\(name).jpg").path
    }
    static func photo(_ name: String) -> [UInt8] {
        [UInt8](try! Data(contentsOf: URL(filePath: path(name))))
    }
    static func frames(_ photos: [String]) -> AsyncStream<CaptureFrame> {
        AsyncStream { stream in
            for photo in photos { stream.yield(CaptureFrame(Self.photo(photo), .jpeg)) }
            stream.finish()
        }
    }
}

/// A clock that tests advance manually.
final class HandClock: Sendable {
    private let time: Mutex<Instant>
    init(_ start: Instant = Instant(milliseconds: 1_800_000_000_000)) { time = Mutex(start) }
    var clock: ServerClock { ServerClock { self.time.withLock { $0 } } }
    var now: Instant { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// Captures the server's log, to check that it contains no secrets.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.add("\(event.message) \(metadata) \(event.metadata ?? [:])")
        }
    }
}

/// The same server that `mien serve` runs, on a free port, with new data, cheap password hashes,
/// and the test's own clock.
struct TestServer: Sendable {
    let address: String
    /// The URL of the admin API and metrics.
    let adminAddress: String
    let admin: MienAdmin
    let credential: Sensitive<String>
    let server: Server
    let time: HandClock
    let logs: LogLines
    let folder: URL

    static func run(
        in scratch: ScratchFolder, settings: [String: String] = [:], time: HandClock = HandClock(),
        credential: Sensitive<String>? = nil,
        reader: (any LiveFrameReader)? = nil, documents: (any DocumentVerifier)? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let folder = scratch("server"), logs = LogLines()
        let standard = [
            "MIEN_DATA": folder.path, "MIEN_PORT": "0", "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
            "MIEN_PASSWORD_MEMORY_KIB": "8192",
            "MIEN_PASSWORD_PASSES": "1",
            // Servers of tests start often.
            "MIEN_FACE_PRECISION": "f32", "MIEN_FACE_CACHE": Installed.networkCache.path,
            "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000", "MIEN_LIMIT_STARTS_PER_MINUTE": "100000",
            "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
            // Tests compute beside each other, so judgments take longer than people would wait.
            "MIEN_IDENTITY_DOCUMENT_WAIT_SECONDS": "60",
            // Most tests only have photos. Live capture tests set their own mode.
            "MIEN_FACE_LIVENESS_MODE": "image",
        ]
        let configuration = try ServerConfiguration(
            environment: standard.merging(settings) { $1 }, home: Installed.home.folder)
        let (addresses, listening) = AsyncStream<String>.makeStream()
        let server = try await Server(
            configuration, logger: logs.logger, clock: time.clock, publishesSignUp: true,
            reader: reader, documents: documents, engines: Installed.engines
        ) {
            listening.yield($0)
        }
        let group = ServiceGroup(services: [server], logger: logs.logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let address = try #require(await addresses.first { _ in true })
            let adminAddress = try #require(server.adminAddress)
            let known = try #require(server.firstStart?.adminCredential ?? credential)
            let admin = try MienAdmin(
                MienOptions(serverPath: adminAddress, retry: RetryPolicy(attempts: 1)),
                credential: known)
            let result = await Result {
                try await body(
                    TestServer(
                        address: address, adminAddress: adminAddress, admin: admin,
                        credential: known, server: server, time: time, logs: logs,
                        folder: folder))
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }

    /// Returns a client on a new device, or on the same device if given its token storage.
    func client(
        _ devices: any DeviceTokenStorage = MemoryDeviceTokens(),
        app: String = "default_application"
    ) throws -> JourneyClient {
        try JourneyClient(
            MienOptions(
                serverPath: address, applicationId: app, retry: RetryPolicy(attempts: 1),
                deviceTokens: devices))
    }

    /// Sends a raw request and returns the raw response. Requests to the admin API go to its own
    /// address.
    func send(
        _ method: HTTPTransportRequest.Method, _ path: String,
        headers: [String: String] = ["content-type": "application/json"], _ body: String = ""
    ) async throws -> (status: Int, body: JSONValue) {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: url(path), headers: headers, body: Array(body.utf8),
                timeout: .seconds(300)))
        return (
            answer.status,
            answer.body.isEmpty
                ? .null
                : try JSONText.parse(answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))
        )
    }

    func status(
        _ method: HTTPTransportRequest.Method, _ path: String,
        headers: [String: String] = ["content-type": "application/json"], _ body: String = ""
    ) async throws -> Int {
        try await send(method, path, headers: headers, body).status
    }
}

/// The paths that only the admin listener serves.
enum AdminPaths {
    static func contains(_ path: String) -> Bool {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        switch parts.first {
        case "metrics": return true
        case "v1":
            guard parts.count > 1 else { return false }
            if parts[1] == "journeys" {
                // A journey may be named like a route.
                if parts.count == 4, parts[3] == "start" { return false }
                return parts.count == 2 || (parts.count > 3 && parts[3] == "versions")
                    || ["steps", "check", "code", "simulate", "trial", "webhook"].contains(
                        parts[2])
            }
            return [
                "users", "apps", "administrator", "administrators", "audit", "faces", "face-groups",
                "product-keys", "page-settings",
                "verifications", "registry", "organizations",
            ].contains(parts[1])
        default: return false
        }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
