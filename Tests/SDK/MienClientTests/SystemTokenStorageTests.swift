#if os(Linux)
import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienClient

/// A session bus with GNOME Keyring, in a folder of its own. Both programs end with the process of
/// the tests, even if that is killed.
private final class Keyring: @unchecked Sendable {
    static let reason: Comment =
        "needs dbus-daemon, gnome-keyring, and libsecret-tools: apt-get install dbus gnome-keyring libsecret-tools"
    static let isThere = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    // One test at a time uses the processes.
    private let home: URL
    private let bus = Process()
    private var keyring: Process?
    private(set) var environment: [String: String]

    init() async throws {
        home = FileManager.default.temporaryDirectory.appending(
            path: "mien-keyring-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        environment = [
            "PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_RUNTIME_DIR": home.path,
            "XDG_DATA_HOME": home.path, "XDG_CACHE_HOME": home.path,
        ]
        let out = Pipe()
        bus.prepare(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address=1"],
            until: ProcessInfo.processInfo.processIdentifier)
        bus.environment = environment
        bus.standardOutput = out
        bus.standardError = FileHandle.nullDevice
        try bus.run()
        let address = try await out.fileHandleForReading.firstLine()
        try #require(!address.isEmpty, "dbus-daemon ended")
        environment["DBUS_SESSION_BUS_ADDRESS"] = address
    }

    /// Starts the keyring, unlocked with a password.
    func unlock() async throws {
        let process = Process(), input = Pipe(), output = Pipe()
        process.prepare(
            "/usr/bin/gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"],
            until: ProcessInfo.processInfo.processIdentifier)
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("pass phrase".utf8))
        try input.fileHandleForWriting.close()
        keyring = process
        // It prints its control folder once it listens.
        _ = try await output.fileHandleForReading.firstLine()
    }

    var secrets: SecretService {
        var secrets = SecretService()
        secrets.environment = environment
        return secrets
    }

    deinit {
        keyring?.terminate()
        bus.terminate()
        try? FileManager.default.removeItem(at: home)
    }
}

extension Process {
    /// Prepares a program that ends when this process is terminated or when another one is gone.
    fileprivate func prepare(_ program: String, _ arguments: [String], until parent: Int32) {
        // What a shell starts in the background reads from /dev/null unless its input comes from
        // another descriptor. The shell keeps no end of the program's pipes. Programs that a thread of
        // Dispatch starts block SIGTERM.
        let script = """
            parent=$1; shift
            exec 3<&0
            "$@" <&3 3<&- &
            exec </dev/null >/dev/null 2>&1 3<&-
            trap "kill -KILL $!" TERM
            while kill -0 "$parent" && kill -0 $!; do sleep 0.2; done
            kill -KILL $!
            """
        executableURL = URL(filePath: "/bin/sh")
        self.arguments = ["-c", script, "sh", "\(parent)", program] + arguments
    }
}

@Suite("Tokens in the operating system's store of secrets")
struct SystemTokenStorageTests {
    private static let key = DeviceTokenKey(
        server: "https://login.example", application: "shop")

    private static func tokens(_ text: String) -> SessionTokens {
        SessionTokens(
            accessToken: Sensitive(text), expiresAt: Instant(seconds: 7),
            refreshToken: Sensitive("refresh"), idToken: nil, scope: "openid",
            repeatKey: Sensitive("repeat"), keyThumbprint: "print")
    }

    @Test(
        "the Secret Service keeps tokens and keys of each app, and gives them to the next start",
        .enabled(if: Keyring.isThere, Keyring.reason), .timeLimit(.minutes(10)))
    func secretService() async throws {
        let keyring = try await Keyring()
        try await keyring.unlock()
        // The daemon takes its name on the bus a moment after it starts.
        let isUsable = try await Patience.holds {
            await keyring.secrets.isUsable(for: "org.example.shop")
        }
        try #require(isUsable)
        let storage = SystemTokenStorage(keyring.secrets, service: "org.example.shop")
        #expect(try await storage.tokens(for: Self.key) == nil)
        #expect(try await storage.proofKey(for: Self.key) == nil)
        let kept = try await storage.keepProofKey(ProofKey(), for: Self.key)
        try await storage.store(Self.tokens("first"), for: Self.key)
        try await storage.store(Self.tokens("second\nline “ü”"), for: Self.key)

        let next = SystemTokenStorage(keyring.secrets, service: "org.example.shop")
        let read = try #require(try await next.tokens(for: Self.key))
        #expect(read.accessToken.use { $0 } == "second\nline “ü”")
        #expect(read.expiresAt == Instant(seconds: 7) && read.keyThumbprint == "print")
        #expect(read.refreshToken?.use { $0 } == "refresh" && read.idToken == nil)
        #expect(
            try await next.keepProofKey(ProofKey(), for: Self.key).publicKey == kept.publicKey)

        for other in [
            SystemTokenStorage(keyring.secrets, service: "org.example.other"),
            next,
        ] {
            let key =
                other === next
                ? DeviceTokenKey(server: "https://b.example", application: "shop") : Self.key
            #expect(try await other.tokens(for: key) == nil)
        }
        try await next.remove(Self.key)
        try await next.remove(Self.key)
        #expect(try await storage.tokens(for: Self.key) == nil)
        #expect(try await storage.proofKey(for: Self.key) != nil, "the key outlasts a sign-out")

        await #expect(throws: SecretStoreError.self, "secret-tool would cut it off") {
            try await storage.store(
                Self.tokens(String(repeating: "x", count: 9000)), for: Self.key)
        }
    }

    @Test(
        "without a keyring, an error says what to do",
        .enabled(if: Keyring.isThere, Keyring.reason),
        .timeLimit(.minutes(10)))
    func noService() async throws {
        var secrets = SecretService()
        secrets.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
        #expect(await secrets.isUsable(for: "org.example.shop") == false)
        let storage = SystemTokenStorage(secrets, service: "org.example.shop")
        let error = await #expect(throws: SecretStoreError.self) {
            try await storage.store(Self.tokens("secret words"), for: Self.key)
        }
        #expect(error?.reason.contains("Unlock the keyring") == true)
        #expect(error?.reason.contains("secret words") == false)
    }

    @Test("the programs of a keyring end with the tests", .timeLimit(.minutes(10)))
    func orphans() async throws {
        let tests = Process()
        tests.executableURL = URL(filePath: "/bin/sleep")
        tests.arguments = ["600"]
        let testsEnd = try tests.started()
        let bus = Process(), out = Pipe()
        bus.prepare("/bin/sh", ["-c", "echo $$; exec sleep 600"], until: tests.processIdentifier)
        bus.standardOutput = out
        let busEnds = try bus.started()
        let program = try #require(Int32(await out.fileHandleForReading.firstLine()))
        #expect(kill(program, 0) == 0)
        kill(tests.processIdentifier, SIGKILL)
        for await _ in testsEnd {}
        for await _ in busEnds {}
        while kill(program, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("without secret-tool, tokens go to the file")
    func noProgram() async throws {
        var secrets = SecretService()
        secrets.program = "/nonexistent/secret-tool"
        #expect(await secrets.isUsable(for: "org.example.shop") == false)
        await #expect(throws: SecretStoreError.self) {
            try await SystemTokenStorage(secrets, service: "s").tokens(for: Self.key)
        }
    }

    @Test("canceling ends a program that waits for a person", .timeLimit(.minutes(10)))
    func canceled() async throws {
        let path = FileManager.default.temporaryDirectory.appending(
            path: "secret-tool-\(UUID().uuidString)")
        try Data("#!/bin/sh\nexec sleep 600\n".utf8).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path.path)
        defer { try? FileManager.default.removeItem(at: path) }
        var secrets = SecretService()
        secrets.program = path.path
        let storage = SystemTokenStorage(secrets, service: "s")
        let reading = Task { try await storage.tokens(for: Self.key) }
        try await Task.sleep(for: .milliseconds(100))
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test("a key is kept once, however many callers create one at the same time")
    func oneKey() async throws {
        let storage = SystemTokenStorage(SlowSecrets(), service: "s")
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await storage.keepProofKey(ProofKey(), for: Self.key).publicKey.thumbprint
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    /// Secrets in memory that take a moment.
    private actor SlowSecrets: SecretStore {
        private var secrets: [SecretName: Sensitive<String>] = [:]
        func read(_ name: SecretName) async throws -> Sensitive<String>? {
            await Task.yield()
            return secrets[name]
        }
        func write(_ secret: Sensitive<String>, as name: SecretName) async throws {
            await Task.yield()
            secrets[name] = secret
        }
        func remove(_ name: SecretName) async throws { secrets[name] = nil }
    }
}
#endif
