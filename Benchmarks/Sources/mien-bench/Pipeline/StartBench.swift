import Foundation
import MienTools

/// Measures the time from the start of a process to its first verdict, and its memory, with an
/// empty and with a filled cache of compiled networks: docs/facts.md §5, row 4.
struct StartBench {
    /// The `mien` program.
    let program: URL

    struct Result: Encodable {
        let coldMilliseconds: Double
        let cachedMilliseconds: Double
        /// The largest resident set of the started processes, in MiB.
        let residentMebibytes: Double
    }

    /// - Parameters:
    ///   - photo: a photo that is verified against itself, in a temporary store.
    ///   - packs: the folder of installed packs.
    func run(photo: String, packs: URL, pack: String) throws -> Result {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "mien-start-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: home) }
        try FileManager.default.createSymbolicLink(
            at: home.appending(path: "packs"), withDestinationURL: packs)
        try start(home, ["face", "enroll", "someone", photo, "--pack", pack])
        let verify = ["face", "verify", "someone", photo, "--pack", pack]
        let cold = try (0..<3).map { _ in
            try? FileManager.default.removeItem(at: home.appending(path: "cache"))
            return try start(home, verify)
        }.min()!
        let cached = try (0..<5).map { _ in try start(home, verify) }.min()!
        var usage = rusage()
        unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return Result(
            coldMilliseconds: cold, cachedMilliseconds: cached,
            residentMebibytes: Double(usage.ru_maxrss) / 1024)
    }

    @discardableResult
    private func start(_ home: URL, _ arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["MIEN_HOME": home.path])
        { $1 }
        process.standardOutput = FileHandle.nullDevice
        let started = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                .notSetUp, "bench.start",
                "mien \(arguments.joined(separator: " ")) exited with \(process.terminationStatus)")
        }
        return (ContinuousClock.now - started) / .milliseconds(1)
    }
}
