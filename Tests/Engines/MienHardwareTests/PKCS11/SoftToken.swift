import Foundation
import MienCore
import MienHardware
import MienTesting
import Testing

/// Tokens of SoftHSM, in a folder of their own. All are made before the module is loaded, which looks
/// at its folder once.
enum SoftToken {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    static let pin = "314159"

    static let reason: Comment = "needs tokens of SoftHSM: scripts/setup installs softhsm2"
    /// Whether they could be made.
    static let areThere = Task {
        let manager = FileManager.default
        guard manager.fileExists(atPath: module), manager.fileExists(atPath: tool) else {
            return false
        }
        return (try? await make()) != nil
    }

    static func key(_ key: String, token: String = "mien", pin: String = pin) -> TokenKey {
        TokenKey(module: module, token: token, key: key, pin: Sensitive(Array(pin.utf8)))
    }

    private static let tool = "/usr/bin/softhsm2-util"

    private static func make() async throws {
        // Not removed: the module may write to it until the process ends. Each process has its own:
        // another run of the tests must not take the tokens away.
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-softhsm-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: folder)
        let tokens = folder.appending(path: "tokens")
        try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
        let settings = folder.appending(path: "softhsm2.conf")
        try Data("directories.tokendir = \(tokens.path)\nlog.level = ERROR\n".utf8).write(
            to: settings)
        setenv("SOFTHSM2_CONF", settings.path, 1)
        for label in ["mien", "other", "twin", "twin"] {
            try await ProgramRun.output(
                of: tool,
                ["--init-token", "--free", "--label", label, "--so-pin", "271828", "--pin", pin])
        }
        let key = folder.appending(path: "rsa.pem")
        try await ProgramRun.output(
            of: "/usr/bin/openssl",
            [
                "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048",
                "-out", key.path,
            ])
        try await ProgramRun.output(
            of: tool,
            [
                "--import", key.path, "--token", "mien", "--label", "pair", "--id", "0101", "--pin",
                pin,
            ])
    }
}
