import Foundation
import MienCore
import MienTesting
import Synchronization
import Testing

/// A running Python program of Tests/Support/Peers that represents the outside world. Ends with its
/// last reference.
final class Peer: Sendable {
    /// The peer did not send the expected line, or did not exit, within two minutes.
    struct Silence: Error {}

    static let reason: Comment =
        "needs aiosmtpd, PyJWT, Authlib, scim2-tester, and Tornado: run scripts/peers"
    static let isThere = FileManager.default.contentsEqual(
        atPath: folder.appending(path: "requirements").path,
        andPath: repository.appending(path: "scripts/requirements-peers.txt").path)
    static let repository = Repository.root
    private static let folder = repository.appending(path: ".build/peers")

    private let process: Process
    private let keepsRunning: Pipe
    private let said = Mutex<(lines: [JSONValue], taken: Int, isEnded: Bool)>(([], 0, false))

    /// - Parameter settings: The program's only argument, as JSON.
    init(_ name: String, _ settings: [String: JSONValue] = [:]) throws {
        process = Process()
        keepsRunning = Pipe()
        let output = Pipe()
        process.executableURL = Self.folder.appending(path: "bin/python3")
        process.arguments = [
            "-B", Self.repository.appending(path: "Tests/Support/Peers/\(name).py").path,
            JSONText.write(.object(settings)),
        ]
        process.standardInput = keepsRunning
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
        let reading = output.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            var rest = Data()
            while true {
                // Take what is available; read(upToCount:) would wait for the full count.
                let more = reading.availableData
                if more.isEmpty { break }
                rest += more
                while let end = rest.firstIndex(of: 10) {
                    let line = try? JSONText.parse(
                        [UInt8](rest[..<end]), limits: .init(maxBytes: 1 << 20, maxDepth: 32))
                    rest = Data(rest[(end + 1)...])
                    if let line { self?.said.withLock { $0.lines.append(line) } }
                }
            }
            self?.said.withLock { $0.isEnded = true }
        }
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Waits for the next line.
    func next() async throws -> JSONValue { try #require(try await found { _ in true }) }

    /// Waits for the next line that has `member`, and skips lines before it.
    func next(with member: String) async throws -> JSONValue {
        try #require(
            try await found { $0[member] != nil }, "the peer ended without sending “\(member)”")
    }

    /// As ``next(with:)``, but calls `nudge` first, and again after each few seconds of silence. For
    /// a server whose clock the test sets: it may not have stored yet when it is to try again.
    func next(with member: String, nudging nudge: () throws -> Void) async throws -> JSONValue {
        let begun = ContinuousClock.now
        while true {
            try nudge()
            do {
                return try #require(
                    try await found(within: .seconds(5)) { $0[member] != nil },
                    "the peer ended without sending “\(member)”")
            } catch is Silence {
                if ContinuousClock.now - begun > .seconds(120) { throw Silence() }
            }
        }
    }

    func port() async throws -> Int {
        Int(try #require(try await next(with: "port")["port"]?.numberValue))
    }

    /// All lines received so far.
    var all: [JSONValue] { said.withLock { $0.lines } }

    /// All lines until the peer ends.
    func rest() async throws -> [JSONValue] {
        let begun = ContinuousClock.now
        while !said.withLock({ $0.isEnded }) {
            if ContinuousClock.now - begun > .seconds(120) { throw Silence() }
            try await Task.sleep(for: .milliseconds(10))
        }
        return all
    }

    /// Ends the peer. Lines that were sent but not yet read are included.
    ///
    /// - Returns: All lines the peer ever sent.
    func end() async throws -> [JSONValue] {
        try keepsRunning.fileHandleForWriting.close()
        return try await rest()
    }

    private func found(
        within limit: Duration = .seconds(120), where isWanted: (JSONValue) -> Bool
    ) async throws -> JSONValue? {
        let begun = ContinuousClock.now
        while true {
            let (found, isEnded) = said.withLock { said -> (JSONValue?, Bool) in
                while said.taken < said.lines.count {
                    said.taken += 1
                    if isWanted(said.lines[said.taken - 1]) {
                        return (said.lines[said.taken - 1], false)
                    }
                }
                return (nil, said.isEnded)
            }
            if let found { return found }
            if isEnded { return nil }
            if ContinuousClock.now - begun > limit { throw Silence() }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Creates an authority and its certificates: ca.pem, and .pem and .key for localhost,
    /// elsewhere, and expired.
    static func certificates(in scratch: ScratchFolder) async throws -> URL {
        _ = try await Peer("certificates", ["folder": .string(scratch.url.path)]).rest()
        try #require(FileManager.default.fileExists(atPath: scratch("expired.key").path))
        return scratch.url
    }
}
