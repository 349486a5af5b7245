import FakePhone
import Foundation
import MienAPI
import MienClient
import MienCore

/// A real `mien serve` with a data folder of its own.
@MainActor final class Server {
    let address: String
    let admin: MienAdmin
    /// Where mails are written.
    let outbox: URL
    private let process: Process
    private let folder: URL
    private var count = 0
    /// The users' IDs by their names.
    private(set) var ids: [String: String] = [:]

    fileprivate init(_ settings: [String: String]) async throws {
        let environment = ProcessInfo.processInfo.environment
        let program = try require(environment["MIEN_PROGRAM"], "MIEN_PROGRAM is not set")
        folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-apple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        outbox = folder.appending(path: "outbox")
        try FileManager.default.createDirectory(at: outbox, withIntermediateDirectories: true)
        let home =
            environment["MIEN_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share/mien"
        var variables = environment.filter { !$0.key.hasPrefix("MIEN_") }
        let own = [
            "DATA": folder.appending(path: "data").path, "HOME": home, "HOST": "localhost",
            "FACE_CACHE": home + "/cache/networks",
            "PORT": "0", "ADMIN_LISTEN": "127.0.0.1:0", "PASSWORD_MEMORY_KIB": "8192",
            "PASSWORD_PASSES": "1", "LIMIT_GUESSES_PER_MINUTE": "1000", "MAIL_OUTBOX": outbox.path,
            "LIMIT_STARTS_PER_MINUTE": "10000", "LIMIT_LIVE_CAPTURES_PER_MINUTE": "1000",
            // Drawn heads are no faces to the network against prints, and look alike each time.
            "FACE_PRESENTATION": "off", "FACE_LIVENESS_REPLAY_DAYS": "0", "FACE_PRECISION": "f32",
        ]
        for (name, value) in own.merging(settings, uniquingKeysWith: { $1 }) {
            variables["MIEN_" + name] = value
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["serve", "--with-samples"]
        process.environment = variables
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        try process.run()
        func text() -> String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
        let process = process
        try await wait("the server to start: \(text().suffix(500))", seconds: 120) {
            text().contains("\nListening on ") || !process.isRunning
        }
        let found = text()
        guard process.isRunning,
            let address = found.firstMatch(of: /\nListening on (\S+)/)?.1,
            let adminAddress = found.firstMatch(of: /\nAdmin API on (\S+)/)?.1,
            let credential = found.firstMatch(of: /adm_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/)?.0
        else { throw Failure(description: "the server did not start:\n\(found.suffix(2000))") }
        self.address = String(address)
        admin = try MienAdmin(
            MienOptions(serverPath: String(adminAddress), deviceTokens: MemoryDeviceTokens()),
            credential: Sensitive(String(credential)))
    }

    fileprivate func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Preparation

    func name(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    static let password = "correct horse battery"

    /// A user with a password. Returns the name.
    func user() async throws -> String {
        let name = name("ada")
        let made = try await admin.createUser(
            UserRequest(
                username: name, email: "\(name)@example.org", password: Self.password))
        ids[name] = made.id
        return name
    }

    /// A first-party app whose captures need `mode`. Returns its ID.
    func app(mode: String = "image", _ settings: [String: JSONValue] = [:]) async throws -> String {
        let name = name("app")
        let own: [String: JSONValue] = [
            "liveness": ["mode": .string(mode)], "sign_in_page": true,
            "redirect_uris": ["com.example.shop://signed-in"],
        ]
        _ = try await admin.createApp(
            AppRequest(
                id: name, name: "Shop", isFirstParty: true,
                settings: .object(own.merging(settings) { $1 })))
        return name
    }

    func journey(_ definition: JSONValue) async throws {
        let id = try require(definition["id"]?.stringValue.flatMap { JourneyID($0) })
        _ = try await admin.putJourney(
            id, version: 1, definition: Array(JSONText.write(definition).utf8))
        _ = try await admin.publishJourney(id, version: 1)
    }

    func options(_ app: String) -> MienOptions {
        MienOptions(serverPath: address, applicationId: app)
    }

    /// A session of a user who has signed in with the password.
    func session(
        _ app: String, _ user: String, device: BiometricDevice? = nil,
        storage: (any TokenStorage)? = nil
    ) async throws -> MienSession {
        let session =
            if let storage {
                try MienSession(options(app), tokenStorage: storage, biometrics: device)
            } else { try MienSession(options(app), biometrics: device) }
        try await session.configure()
        let journey = try await JourneyClient(options(app)).start("password-login")
        try await journey.respond(
            "password", ["username": .string(user), "password": .string(Self.password)])
        guard case .success(let token) = await journey.outcome() else {
            throw Failure(description: "\(user) could not sign in")
        }
        try await session.signIn(journeyToken: token)
        return session
    }
}

/// Servers by their settings, which tests share: a test makes users and apps of its own.
@MainActor enum Servers {
    private static var running: [[String: String]: Server] = [:]

    static func server(_ settings: [String: String] = [:]) async throws -> Server {
        if let server = running[settings] { return server }
        let server = try await Server(settings)
        running[settings] = server
        return server
    }

    static func stop() async { for server in running.values { server.stop() } }
}

/// The pictures that a camera sees.
enum Pictures {
    /// A drawn picture of Tests/Apple/Pictures.
    static func drawn(_ name: String, _ sizes: [Int]) throws -> FakePicture {
        var jpegs: [Int: Data] = [:]
        for size in sizes {
            jpegs[size] = try Data(
                contentsOf: URL(fileURLWithPath: "Tests/Apple/Pictures/\(name)-\(size).jpg"))
        }
        let largest = sizes.max() ?? 0
        return FakePicture(width: largest, height: largest * 3 / 4, sizes: jpegs)
    }

    static func owner() throws -> FakePicture { try drawn("owner", [640, 1280]) }

    /// The owner, who is never quite still.
    static func living() throws -> @Sendable () -> FakePicture {
        let pictures = try (1...40).map { try drawn("owner-\($0)", [640]) }
        let count = Locked(0)
        return {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return pictures[number % pictures.count]
        }
    }

    /// A photo of the demo, which is not in the repository.
    static func photo(_ name: String) throws -> FakePicture {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["MIEN_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share/mien"
        guard let data = FileManager.default.contents(atPath: "\(home)/demo/photos/\(name)") else {
            throw Skipped(reason: "needs the demo photos: run scripts/setup")
        }
        return FakePicture(width: 1280, height: 960, sizes: [1280: data])
    }
}
