#if os(Linux)
internal import Dispatch
internal import Foundation
internal import MienCore

/// The Secret Service of a Linux desktop, such as GNOME Keyring or KWallet, through the program
/// `secret-tool` (Debian package `libsecret-tools`).
///
/// Secrets pass through pipes, never through arguments, which other processes can read.
struct SecretService: SecretStore {
    /// `secret-tool` cuts off a longer secret without an error.
    static let maxBytes = 8191

    /// The program and its environment, for tests.
    var program = "/usr/bin/secret-tool"
    var environment = ProcessInfo.processInfo.environment

    /// Whether a secret can be stored now: the program is installed, a session bus is there, and
    /// the keyring is unlocked, or the person unlocked it when asked.
    func isUsable(for service: String) async -> Bool {
        let probe = SecretName(
            service: service, kind: .key, owner: DeviceTokenKey(server: "probe", application: ""))
        do {
            try await write(Sensitive("probe"), as: probe)
            let isThere = try await read(probe)?.use { $0 } == "probe"
            try await remove(probe)
            return isThere
        } catch { return false }
    }

    func read(_ name: SecretName) async throws -> Sensitive<String>? {
        let result = try await run(["lookup"] + Self.attributes(of: name))
        // The status of a missing secret is 1, too, but without a message.
        if result.status == 1, result.error.isEmpty { return nil }
        guard result.status == 0 else { throw Self.failure(result) }
        return Sensitive(result.output)
    }

    func write(_ secret: Sensitive<String>, as name: SecretName) async throws {
        let text = secret.use { $0 }
        guard text.utf8.count <= Self.maxBytes else {
            throw SecretStoreError(
                reason:
                    "The tokens have \(text.utf8.count) bytes, and the Secret Service takes \(Self.maxBytes). Use PersistentTokenStorage with a file."
            )
        }
        let result = try await run(
            ["store", "--label=\(name.service): sign-in"] + Self.attributes(of: name), input: text)
        guard result.status == 0 else { throw Self.failure(result) }
    }

    func remove(_ name: SecretName) async throws {
        let result = try await run(["clear"] + Self.attributes(of: name))
        guard result.status == 0 || result.error.isEmpty else { throw Self.failure(result) }
    }

    private static func attributes(of name: SecretName) -> [String] {
        [
            "service", name.service, "kind", name.kind.rawValue, "server", name.owner.server,
            "application", name.owner.application,
        ]
    }

    private static func failure(_ result: Result) -> SecretStoreError {
        SecretStoreError(
            reason:
                "The Secret Service failed (\(result.error.prefix(200).filter { !$0.isNewline })). Unlock the keyring, or use PersistentTokenStorage with a file."
        )
    }

    // MARK: Running the program

    private struct Result: Sendable {
        let status: Int32
        let output, error: String
    }

    /// Runs `secret-tool` on a thread that may block.
    private func run(_ arguments: [String], input: String = "") async throws -> Result {
        let (program, environment) = (program, environment)
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: .init {
                        try Self.result(of: program, arguments, environment, input: input)
                    })
            }
        }
    }

    private static func result(
        of program: String, _ arguments: [String], _ environment: [String: String], input: String
    ) throws -> Result {
        let process = Process(), (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        process.standardError = stderr
        do { try process.run() } catch {
            throw SecretStoreError(
                reason: "\(program) cannot be run. Install the package libsecret-tools.")
        }
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        // Both fit into a pipe's buffer: a secret is small, and so is a message.
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let error = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            error: String(decoding: error, as: UTF8.self))
    }
}
#endif
