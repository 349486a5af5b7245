import Foundation
import MienClient
import MienCore

/// A server that answers as a recording of docs/conformance says.
enum RecordedServer {
    /// The recordings that a client replays, by name.
    ///
    /// - Parameter repository: The folder that contains Package.swift.
    static func recordings(of client: String, in repository: URL) throws -> [(String, JSONValue)] {
        let folder = repository.appending(path: "docs/conformance")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
                let data = try Data(contentsOf: folder.appending(path: name))
                let recording = try JSONDecoder().decode(JSONValue.self, from: data)
                let clients = recording["clients"]?.arrayValue ?? []
                return clients.contains(.string(client)) ? (name, recording) : nil
            }
    }

    /// Makes the calls of a recording against `scripts/exchanges replay`.
    ///
    /// - Parameter hasNews: Whether the answers have what only later servers send.
    /// - Returns: what the calls gave, and the requests had, otherwise than recorded.
    static func faults(
        of name: String, _ recording: JSONValue, hasNews: Bool, device: BiometricDevice,
        in repository: URL
    ) async throws -> [String] {
        let process = Process(), input = Pipe(), output = Pipe()
        process.executableURL = repository.appending(path: "scripts/exchanges")
        process.arguments =
            ["replay", repository.appending(path: "docs/conformance/\(name)").path]
            + (hasNews ? ["--news"] : [])
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        let out = output.fileHandleForReading, address = await read(out, toEnd: false)
        let fault = try await RecordedPlayer(recording, address: address, device: device).play()
        try input.fileHandleForWriting.close()
        let problems = await read(out, toEnd: true).split(separator: "\n").map(String.init)
        return [fault].compactMap(\.self) + problems
    }

    /// Reads a line, or what is left. A thread of its own waits.
    private static func read(_ handle: FileHandle, toEnd: Bool) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var data = Data()
                while toEnd || !data.contains(10) {
                    let more = handle.availableData
                    if more.isEmpty { break }
                    data += more
                }
                let text = String(decoding: data, as: UTF8.self)
                continuation.resume(returning: toEnd ? text : String(text.prefix { $0 != "\n" }))
            }
        }
    }
}
