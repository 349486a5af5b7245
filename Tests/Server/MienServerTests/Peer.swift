import Foundation
import MienCore
import MienTesting
import Synchronization
import Testing

/// A program of Tests/Support/Peers, running: the outside world, in Python. Gone with the last
/// reference.
final class Peer: Sendable {
    /// It did not say in two minutes what was waited for, or did not end.
    struct Silence: Error {}

    static let reason: Comment = "needs aiosmtpd, PyJWT and Authlib: run scripts/peers"
    static let isThere = FileManager.default.contentsEqual(
        atPath: place.appending(path: "requirements").path,
        andPath: repository.appending(path: "scripts/requirements-peers.txt").path)
    static let repository = Repository.root
    private static let place = repository.appending(path: ".build/peers")

    private let process: Process
    private let keepsRunning: Pipe
    private let said = Mutex<(lines: [JSONValue], taken: Int, isEnded: Bool)>(([], 0, false))

    /// - Parameter settings: its one argument.
    init(_ name: String, _ settings: [String: JSONValue] = [:]) throws {
        process = Process()
        keepsRunning = Pipe()
        let output = Pipe()
        process.executableURL = Self.place.appending(path: "bin/python3")
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
                // What there is; read(upToCount:) would wait for as much as it may have.
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

    /// What it says next; waits for it.
    func next() async throws -> JSONValue { try #require(try await found { _ in true }) }

    /// What it says next that has `member`; what comes before is passed over.
    func next(with member: String) async throws -> JSONValue {
        try #require(
            try await found { $0[member] != nil }, "the peer ended and never said “\(member)”")
    }

    func port() async throws -> Int {
        Int(try #require(try await next(with: "port")["port"]?.numberValue))
    }

    /// All it has said so far.
    var all: [JSONValue] { said.withLock { $0.lines } }

    /// All it says until it ends.
    func rest() async throws -> [JSONValue] {
        let begun = ContinuousClock.now
        while !said.withLock({ $0.isEnded }) {
            if ContinuousClock.now - begun > .seconds(120) { throw Silence() }
            try await Task.sleep(for: .milliseconds(10))
        }
        return all
    }

    /// Ends it. What it has said and nobody has read yet is there, too.
    ///
    /// - Returns: all it ever said.
    func end() async throws -> [JSONValue] {
        try keepsRunning.fileHandleForWriting.close()
        return try await rest()
    }

    private func found(where isWanted: (JSONValue) -> Bool) async throws -> JSONValue? {
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
            if ContinuousClock.now - begun > .seconds(120) { throw Silence() }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// An authority and its certificates: ca.pem; localhost, elsewhere, expired with .pem and .key.
    static func certificates(in scratch: ScratchFolder) async throws -> URL {
        _ = try await Peer("certificates", ["folder": .string(scratch.url.path)]).rest()
        try #require(FileManager.default.fileExists(atPath: scratch("expired.key").path))
        return scratch.url
    }
}
