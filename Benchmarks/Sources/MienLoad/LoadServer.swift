public import Foundation

/// A temporary server: a process with a fresh data folder on a free port of this machine.
/// ``stop()`` ends it and removes the folder.
public final class LoadServer {
    public let port: Int
    /// The port of the admin API, or the public port if the program prints no other.
    public let adminPort: Int
    /// The admin credential that the first start prints; empty if there is none.
    public let adminCredential: String
    public let dataFolder: URL
    private let folder: URL
    private let process: Process

    /// Limits high enough not to affect a measurement.
    public static let unlimited = [
        "MIEN_LIMIT_STARTS_PER_MINUTE": "1000000", "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
        "MIEN_LIMIT_GUESSES_PER_MINUTE": "100000",
        "MIEN_LIMIT_LIVE_CAPTURES_PER_MINUTE": "100000",
    ]

    /// Starts `program` and waits until it prints the addresses it listens on.
    ///
    /// - Parameter environment: variables that override those of this process.
    public init(program: URL, arguments: [String] = ["serve"], environment: [String: String] = [:])
        throws
    {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-load-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        dataFolder = folder.appending(path: "server", directoryHint: .isDirectory)
        let log = folder.appending(path: "server.log"), output = Pipe(), process = Process()
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let standard = [
            "MIEN_DATA": dataFolder.path, "MIEN_HOST": "127.0.0.1", "MIEN_PORT": "0",
            "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
            "MIEN_LOG_LEVEL": "error",
        ]
        (process.executableURL, process.arguments) = (program, arguments)
        process.environment = ProcessInfo.processInfo.environment.merging(standard) { $1 }.merging(
            environment
        ) { $1 }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        self.process = process
        do {
            try process.run()
            (port, adminPort, adminCredential) = try Self.addresses(output.fileHandleForReading)
        } catch {
            if process.isRunning { process.terminate() }
            let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            try? FileManager.default.removeItem(at: folder)
            throw LoadError(
                "\(program.lastPathComponent) \(arguments.joined(separator: " ")) did not start: \(error) \(said.suffix(1000))"
            )
        }
    }

    private static func addresses(_ output: FileHandle) throws -> (
        port: Int, adminPort: Int, credential: String
    ) {
        var text = "", credential = "", adminPort: Int?
        while true {
            let data = output.availableData
            guard !data.isEmpty else { throw LoadError("it ended before it accepted connections") }
            text += String(decoding: data, as: UTF8.self)
            for line in text.split(separator: "\n", omittingEmptySubsequences: true).map({
                $0.trimmingCharacters(in: .whitespaces)
            }) {
                if line.hasPrefix("adm_") { credential = line }
                if line.hasPrefix("Admin API on http") {
                    adminPort = line.split(separator: ":").last.flatMap { Int($0) }
                }
                // Waits for the complete line, with its line break.
                if line.hasPrefix("Listening on http"), text.hasSuffix("\n"),
                    let port = line.split(separator: ":").last.flatMap({ Int($0) })
                {
                    return (port, adminPort ?? port, credential)
                }
            }
        }
    }

    public var isRunning: Bool { process.isRunning }
    public var processID: Int32 { process.processIdentifier }

    /// The process's resident memory now, and its maximum so far, in MiB.
    public var residentMebibytes: (now: Double, maximum: Double) {
        let status =
            (try? String(
                contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        func mebibytes(_ name: String) -> Double {
            status.split(separator: "\n").first { $0.hasPrefix(name) }?.split(
                whereSeparator: \.isWhitespace
            ).dropFirst().first
                .flatMap { Double($0) }.map { $0 / 1024 } ?? 0
        }
        return (mebibytes("VmRSS:"), mebibytes("VmHWM:"))
    }

    /// The processor time that the process has used, in seconds.
    public var processorSeconds: Double {
        let text =
            (try? String(
                contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        // After the name, which may contain anything: user and system time are the 12th and 13th.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        // Linux reports hundredths of a second on every platform.
        return (user + system) / 100
    }

    /// Asks the process to end, kills it if it does not, and removes its folder.
    public func stop() {
        if process.isRunning {
            process.terminate()
            for _ in 0..<300 where process.isRunning { usleep(50_000) }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
