#if os(Linux)
internal import Foundation
internal import MienCore
internal import Subprocess
internal import SystemPackage

/// The Secret Service of a Linux desktop, such as GNOME Keyring or KWallet, through the program
/// `secret-tool` (Debian package `libsecret-tools`).
///
/// Secrets pass through pipes, never through arguments, which other processes can read.
struct SecretService: SecretStore {
    /// `secret-tool` cuts off a longer secret without an error.
    static let maxBytes = 8191
    /// A secret, or a message, with room to spare.
    private static let maxOutputBytes = 65_536

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
        // The program fails for a missing secret, too, but prints no message.
        if !result.succeeded, result.error.isEmpty { return nil }
        guard result.succeeded else { throw Self.failure(result) }
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
        guard result.succeeded else { throw Self.failure(result) }
    }

    func remove(_ name: SecretName) async throws {
        let result = try await run(["clear"] + Self.attributes(of: name))
        guard result.succeeded || result.error.isEmpty else { throw Self.failure(result) }
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
        let succeeded: Bool
        let output, error: String
    }

    /// Runs `secret-tool`. It may wait for the person to unlock the keyring; canceling the task ends
    /// it.
    private func run(_ arguments: [String], input: String = "") async throws -> Result {
        let program = FilePath(program)
        var variables: [Environment.Key: String] = [:]
        for (name, value) in environment {
            if let key = Environment.Key(rawValue: name) { variables[key] = value }
        }
        do {
            let result = try await Subprocess.run(
                .path(program), arguments: Arguments(arguments), environment: .custom(variables),
                input: .string(input), output: .string(limit: Self.maxOutputBytes),
                error: .string(limit: Self.maxOutputBytes))
            try Task.checkCancellation()
            return Result(
                succeeded: result.terminationStatus.isSuccess,
                output: result.standardOutput, error: result.standardError)
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            throw SecretStoreError(
                reason: error.code == .executableNotFound
                    ? "\(program) cannot be run. Install the package libsecret-tools."
                    : "\(program) failed: \(error.code).")
        }
    }
}
#endif
