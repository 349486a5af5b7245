import Foundation
import MienCore
import MienLoad

/// Measures the verification of identities on a server in its own process: the import of an invented
/// registry with `mien admin registry import`, and requests that verify personal data against it.
struct IdentityBench {
    /// The number of people in the registry.
    let people: Int
    let verifications: Int
    /// The `mien` program.
    let program: URL

    /// Each has the attempts of several users, as on a server in use.
    private static let users = 10
    /// The share of people who verify themselves without being in the registry: one of so many.
    private static let strangers = 4

    struct Result: Encodable {
        let people: Int
        let importSeconds: Double
        var importedPerSecond: Double { Double(people) / importSeconds }
        /// Milliseconds of one request at a time, of people in the registry under `verified` and of
        /// others under `denied`; of all under `all`.
        let latencies: [String: LoadFigures.Latency]
        /// MiB after the first tenth of the verifications, after half of them, and after all.
        let memory: Memory

        struct Memory: Encodable { let start, middle, end, maximum: Double }

        private enum Key: String, CodingKey {
            case people, importSeconds, importedPerSecond, latencies, memory
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(people, forKey: .people)
            try container.encode(importSeconds, forKey: .importSeconds)
            try container.encode(importedPerSecond, forKey: .importedPerSecond)
            try container.encode(latencies, forKey: .latencies)
            try container.encode(memory, forKey: .memory)
        }
    }

    func run(_ stage: () -> Void) async throws -> Result {
        stage()
        let file = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-people-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try writePeople(to: file)
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging([
                "MIEN_IDENTITY_SOURCES": "registry", "MIEN_IDENTITY_CONSENT": "false",
                "MIEN_IDENTITY_PII_ATTEMPTS": "3",
            ]) { $1 })
        defer { server.stop() }
        stage()
        let importSeconds = try importPeople(file, into: server)
        return try await SetupClient.with(server) { setup in
            let registry = try await setup.admin.request(
                "GET", "/v1/registry", bearer: setup.adminCredential)
            guard registry.bodyText.contains("\"people\":\(people)") else {
                throw LoadError("not everybody was imported: \(registry.bodyText)")
            }
            var users: [User] = []
            for index in 0..<Self.users { users.append(try await User("person-\(index)", setup)) }
            let load = Load(setup: setup, users: users, people: people)
            stage()
            let tenth = max(1, verifications / 10)
            try await load.verify(0..<tenth)
            let start = server.residentMebibytes.now
            stage()
            try await load.verify(tenth..<(verifications / 2))
            let middle = server.residentMebibytes.now
            try await load.verify((verifications / 2)..<verifications)
            let (end, maximum) = server.residentMebibytes
            return Result(
                people: people, importSeconds: importSeconds,
                latencies: await load.times.mapValues { LoadFigures.Latency($0) },
                memory: .init(start: start, middle: middle, end: end, maximum: maximum))
        }
    }

    private func writePeople(to file: URL) throws {
        try Data(InventedPerson.header.utf8).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        let part = 10_000
        for start in stride(from: 0, to: people, by: part) {
            var text = ""
            for number in start..<min(people, start + part) { text += InventedPerson(number).row }
            try handle.write(contentsOf: Data(text.utf8))
        }
    }

    /// - Returns: the seconds that the program took, with its start.
    private func importPeople(_ file: URL, into server: LoadServer) throws -> Double {
        let process = Process(), errors = Pipe(), started = ContinuousClock.now
        process.executableURL = program
        process.arguments = ["admin", "registry", "import", file.path, "--json"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MIEN_ADMIN_SERVER": "http://127.0.0.1:\(server.adminPort)",
            "MIEN_ADMIN_CREDENTIAL": server.adminCredential,
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw LoadError(
                "the import failed: \(String(decoding: said.suffix(500), as: UTF8.self))")
        }
        return (ContinuousClock.now - started) / .seconds(1)
    }

    private struct User: Sendable {
        let id, access: String

        init(_ name: String, _ setup: SetupClient) async throws {
            access = try await TokenLoad.signUp(name, setup)
            let state = try await setup.client.request("GET", "/v1/identity", bearer: access)
            guard let owner = state.text("owner") else {
                throw LoadError("no verification state: \(state.bodyText)")
            }
            id = owner
        }
    }

    /// Users who verify themselves in turn, one at a time. An administrator then resets the user's
    /// state, which is not measured.
    private actor Load {
        private(set) var times: [String: [Double]] = [:]
        private let setup: SetupClient
        private let users: [User]
        private let people: Int
        private var chance = SeededGenerator(seed: 15)

        init(setup: SetupClient, users: [User], people: Int) {
            (self.setup, self.users, self.people) = (setup, users, people)
        }

        func verify(_ numbers: Range<Int>) async throws {
            for number in numbers {
                let isStranger = number % IdentityBench.strangers == 0
                // Nobody beyond the registry's people is in it.
                let person = InventedPerson(
                    Int.random(in: 0..<people, using: &chance) + (isStranger ? people : 0))
                let user = users[number % users.count], request = person.request
                let began = ContinuousClock.now
                let answer = try await setup.client.post(
                    "/v1/identity/verify", json: request, bearer: user.access)
                let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
                guard answer.status == 200,
                    answer.bodyText.contains("\"verified\":\(!isStranger)")
                else {
                    throw LoadError(
                        "verification \(number): \(answer.status) instead of \"verified\":\(!isStranger)"
                    )
                }
                times["all", default: []].append(milliseconds)
                times[isStranger ? "denied" : "verified", default: []].append(milliseconds)
                try await setup.call(
                    "POST", "/v1/users/\(user.id)/verification/reset", "{}", asAdmin: true)
            }
        }
    }
}
