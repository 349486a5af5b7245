import Foundation
import MienClient
import MienCore
import MienTesting
import Testing

/// A real `mien serve` process that tests can stop and kill.
final class ServeProcess: Sendable {
    /// The process ended, or does not listen.
    struct NotListening: Error {
        let status: Int32
        let out, err: String
    }

    static let program = ProgramRun.builtProgram("mien")

    let address: String
    /// The URL of the admin API and metrics.
    let adminAddress: String
    /// The credential that the first start printed.
    let credential: Sensitive<String>?
    /// The clock that the process reads; `nil` is the machine's.
    let clock: ProcessClock?
    private let running: Running

    private final class Running: @unchecked Sendable {
        // Only one test uses a process at a time; its output goes to files.
        let process = Process()
        let out: URL, err: URL
        let ends: AsyncStream<Void>

        init(
            _ folder: ScratchFolder, _ settings: [String: String], _ arguments: [String],
            _ clock: ProcessClock?, _ program: URL
        ) throws {
            let name = UUID().uuidString
            (out, err) = (
                try folder.write([], to: "\(name).out"), try folder.write([], to: "\(name).err")
            )
            process.executableURL = program
            process.arguments = ["serve"] + arguments
            let standard = [
                "MIEN_HOME": folder("home").path, "MIEN_PACKS": Installed.home.packs.path,
                "MIEN_DATA": folder("data").path, "MIEN_PORT": "0",
                "MIEN_ADMIN_LISTEN": "127.0.0.1:0", "MIEN_PASSWORD_MEMORY_KIB": "8192",
                "MIEN_PASSWORD_PASSES": "1", "MIEN_FACE_PRECISION": "f32",
                "MIEN_FACE_CACHE": Installed.networkCache.path,
                // Loading networks takes most of a start. The tests of processes show photos, one at a
                // time.
                "MIEN_FACE_WORKERS": "1", "MIEN_FACE_PRESENTATION": "off",
            ]
            process.environment = ProcessInfo.processInfo.environment.filter {
                !$0.key.hasPrefix("MIEN_")
            }
            .merging(standard) { $1 }.merging(clock?.environment ?? [:]) { $1 }
            .merging(settings) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: out)
            process.standardError = try FileHandle(forWritingTo: err)
            ends = try process.started()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        func text(_ file: URL) throws -> String {
            String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
    }

    private init(
        _ running: Running, address: String, adminAddress: String, credential: Sensitive<String>?,
        clock: ProcessClock?
    ) {
        (self.running, self.address, self.adminAddress, self.credential, self.clock) = (
            running, address, adminAddress, credential, clock
        )
    }

    /// Starts the server on a free port and waits until it listens.
    ///
    /// - Parameter program: Another version of `mien`.
    /// - Throws: ``NotListening`` if the process ends instead.
    static func start(
        in folder: ScratchFolder, _ settings: [String: String] = [:], arguments: [String] = [],
        clock: ProcessClock? = nil, program: URL = ServeProcess.program
    ) async throws -> ServeProcess {
        let running = try Running(folder, settings, arguments, clock, program)
        let deadline = ContinuousClock.now + .seconds(600)
        while running.process.isRunning, ContinuousClock.now < deadline {
            let said = try running.text(running.out)
            if let address = said.firstMatch(of: /Listening on (\S+)\n/),
                let admin = said.firstMatch(of: /Admin API on (\S+)\n/)
            {
                let credential = said.firstMatch(of: /\n\s+(adm_\S+)\n/).map {
                    Sensitive(String($0.1))
                }
                return ServeProcess(
                    running, address: String(address.1), adminAddress: String(admin.1),
                    credential: credential, clock: clock)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        if running.process.isRunning { kill(running.process.processIdentifier, SIGKILL) }
        for await _ in running.ends {}
        throw NotListening(
            status: running.process.terminationStatus, out: try running.text(running.out),
            err: try running.text(running.err))
    }

    var out: String { get throws { try running.text(running.out) } }
    var err: String { get throws { try running.text(running.err) } }
    var processID: Int32 { running.process.processIdentifier }
    var isRunning: Bool { running.process.isRunning }

    func signal(_ number: Int32) { kill(running.process.processIdentifier, number) }

    /// - Returns: The exit status; if a signal ended the process, the negative signal number.
    @discardableResult
    func ended() async -> Int32 {
        for await _ in running.ends {}
        let process = running.process
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }

    /// Sends SIGTERM and returns the exit status.
    @discardableResult
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await ended()
    }

    /// Returns `VmRSS` or `VmHWM`, in MiB.
    func memory(_ field: String) throws -> Int {
        let text = try String(
            contentsOfFile: "/proc/\(running.process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(field + ":") })
        return try #require(
            line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) / 1024
    }

    func admin(_ credential: Sensitive<String>) throws -> MienAdmin {
        try MienAdmin(
            MienOptions(serverPath: adminAddress, retry: RetryPolicy(attempts: 1)),
            credential: credential)
    }
}

/// A journey of pages without password or face, so that tests exercise only the server itself.
enum PagesJourney {
    static let pages = 60
    static let id = JourneyID("pages")!

    static var definition: String {
        let steps = (1...pages).map { i in
            #""p\#(i)": {"type": "information", "config": {"text": "Page \#(i)"}, "on": {"success": "\#(i == pages ? "form" : "p\(i + 1)")"}}"#
        }
        // A password step follows the pages, because a journey must be able to succeed. No test
        // gets there.
        return #"""
            {"id": "pages", "version": 1, "title": "Pages", "start": "p1", "steps": {\#(steps.joined(separator: ", ")),
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
              "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password", "failure_behavior": "abort"}, "on": {"success": "done"}},
              "done": {"type": "complete_journey"}}}
            """#
    }

    static func publish(by admin: MienAdmin) async throws {
        _ = try await admin.putJourney(id, version: 1, definition: Array(definition.utf8))
        _ = try await admin.publishJourney(id, version: 1)
    }

    static func start(_ connection: RawConnection) async throws -> RawAnswer {
        try await connection.post(
            "/v1/journeys/pages/start", #"{"client_id": "default_application"}"#)
    }

    static func next(_ connection: RawConnection, _ state: String) async throws -> RawAnswer {
        try await connection.post(
            "/v1/journeys/respond", #"{"state": "\#(state)", "option": "client_input"}"#)
    }
}
