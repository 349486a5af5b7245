import Foundation
import MienTesting
import Testing

/// A computer with `pam_mien` and its service, as far as a test needs one: pam_wrapper reads the PAM
/// configuration from a folder of the test, and a library takes the place of logind.
final class Desktop {
    /// The account that signs in.
    static let user = "nobody"
    private static let tools = ["/usr/bin/pamtester", "/usr/bin/cc"]
    private static let wrapper = "libpam_wrapper.so"

    /// The service must be root's.
    static let isReady =
        getuid() == 0 && tools.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
        && ["/usr/include/security/pam_ext.h", "/usr/include/systemd/sd-login.h"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        } && wrapperPath != nil
    static let needs: Comment =
        "needs root and the packages pamtester, libpam-wrapper, libpam0g-dev, and libsystemd-dev"

    private static let wrapperPath: String? =
        ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/\(wrapper)" }.first {
            FileManager.default.fileExists(atPath: $0)
        }

    /// Where the person is.
    struct Place: Sendable, CustomStringConvertible {
        var rhost: String?
        var tty: String?
        var environment: [String: String] = [:]
        /// The logind session of the process.
        var session: String? = "local"

        var description: String {
            "\(rhost ?? "-") \(tty ?? "-") \(environment.keys.sorted()) \(session ?? "no session")"
        }
    }

    struct Result: Sendable {
        let isSuccess: Bool
        let text: String
    }

    /// Builds the module once.
    private static let modules = Task {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-pam-\(getpid())", directoryHint: .isDirectory)
        try await ProgramRun.output(
            of: Repository.file("scripts/build-pam").path, [folder.path, "--tests"])
        atexit {
            try? FileManager.default.removeItem(
                at: FileManager.default.temporaryDirectory.appending(path: "mien-pam-\(getpid())"))
        }
        return folder
    }

    private let home: TemporaryHome
    private let pack: String
    private let folder: URL
    private var services: URL { folder.appending(path: "pam.d", directoryHint: .isDirectory) }
    private var socket: String { folder.appending(path: "socket").path }
    private var logFile: URL { folder.appending(path: "log") }

    /// - Parameters:
    ///   - pack: A test of one that is not installed is skipped.
    ///   - photo: The photo whose person is enrolled; `nil` for nobody.
    ///   - seconds: The module's `timeout`.
    ///   - options: Further options of the module.
    init(
        pack: String, enrolling photo: String?, seconds: Int = 60, options: String = ""
    ) async throws {
        (home, self.pack) = (try TemporaryHome(pack: pack), pack)
        // A socket's path has at most 107 bytes.
        folder = URL(filePath: "/tmp/mien-pam-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: services, withIntermediateDirectories: true)
        let module = try await Self.modules.value.appending(path: "pam_mien.so").path
        let ours = "auth sufficient \(module) socket=\(socket) timeout=\(seconds) \(options)\n"
        try (ours + "auth required pam_deny.so\naccount required pam_permit.so\n").write(
            to: services.appending(path: "alone"), atomically: false, encoding: .utf8)
        // Accepts whatever was typed, as a module for passwords would accept the right one.
        try (ours + "auth required pam_permit.so\naccount required pam_permit.so\n").write(
            to: services.appending(path: "or-password"), atomically: false, encoding: .utf8)
        // Compares what was typed.
        try
            (ours
            + "auth required pam_exec.so quiet expose_authtok /usr/bin/grep -aq secretword\n"
            + "account required pam_permit.so\n").write(
                to: services.appending(path: "or-secretword"), atomically: false, encoding: .utf8)
        if let photo { try await enroll(photo) }
    }

    /// Enrolls a photo's person. That takes seconds, so the other tests get copies of what the first
    /// enrollment wrote. The suite runs one test at a time.
    private func enroll(_ photo: String) async throws {
        let kept = Self.enrollments.appending(path: "\(pack)-\(photo)").path
        let manager = FileManager.default
        if manager.fileExists(atPath: kept) {
            try await ProgramRun.output(of: "cp", ["-a", "\(kept)/.", home.mienHome.path])
            return
        }
        let before = Set(try manager.contentsOfDirectory(atPath: home.mienHome.path))
        let run = try await ProgramRun.run(
            Self.program, ["desktop-frames", "enroll", Self.user, home.photo(photo)],
            environment: environment)
        try #require(run.status == 0, "not enrolled: \(run.err)")
        let written = try manager.contentsOfDirectory(atPath: home.mienHome.path).filter {
            !before.contains($0)
        }
        try manager.createDirectory(atPath: kept, withIntermediateDirectories: true)
        try await ProgramRun.output(
            of: "cp", ["-a"] + written.map { home.mienHome.appending(path: $0).path } + [kept])
    }

    /// Removed when the tests end.
    private static let enrollments: URL = {
        atexit { try? FileManager.default.removeItem(at: Desktop.enrollmentFolder) }
        return enrollmentFolder
    }()
    private static var enrollmentFolder: URL {
        FileManager.default.temporaryDirectory.appending(
            path: "mien-pam-enrolled-\(getpid())", directoryHint: .isDirectory)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let program = ProgramRun.builtProgram("mien-test-program")
    private var environment: [String: String] {
        home.environment(temporary: folder, ["PACK": pack])
    }

    // MARK: The service

    /// Runs the service in front of a photo, or of nothing with `silent`.
    func serve(_ photo: String, _ body: () async throws -> Void) async throws {
        try Data().write(to: logFile)
        let process = Process()
        process.executableURL = Self.program
        process.arguments = [
            "desktop-frames", "serve", socket, photo == "silent" ? photo : home.photo(photo),
        ]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: logFile)
        let ends = try process.started()
        do {
            try await waitFor("Ready")
            try await body()
        } catch {
            process.terminate()
            for await _ in ends {}
            throw error
        }
        process.terminate()
        for await _ in ends {}
    }

    /// The lines that the service has logged.
    var log: String { get throws { try String(contentsOf: logFile, encoding: .utf8) } }

    func waitFor(_ line: String) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try !log.contains(line), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        let text = try log
        try #require(text.contains(line), "\(text)")
    }

    // MARK: The person

    func signIn(
        typing input: String, service: String = "alone", operations: [String] = ["authenticate"],
        at place: Place = Place()
    ) async throws -> Result {
        var arguments: [String] = []
        if let rhost = place.rhost { arguments += ["-I", "rhost=\(rhost)"] }
        if let tty = place.tty { arguments += ["-I", "tty=\(tty)"] }
        arguments += [service, Self.user] + operations
        var environment = place.environment.merging([
            "PATH": "/usr/bin:/bin", "PAM_WRAPPER": "1",
            "PAM_WRAPPER_SERVICE_DIR": services.path,
            "LD_PRELOAD":
                "\(try #require(Self.wrapperPath)) \(try await Self.modules.value.appending(path: "sessions.so").path)",
        ]) { $1 }
        environment["TEST_SESSION"] = place.session
        let run = try await ProgramRun.run(
            URL(filePath: "/usr/bin/pamtester"), arguments, environment: environment, input: input)
        let text = run.out + run.err
        return Result(
            isSuccess: run.status == 0 && text.contains("successfully authenticated"), text: text)
    }
}
