import Foundation
import MienTesting
import Testing

/// Settings of servers whose master keys something wraps.
struct KeySources {
    private static let module = "/usr/lib/softhsm/libsofthsm2.so"
    private static let tool = "/usr/bin/softhsm2-util"
    private static let pin = "314159"
    static let hasToken = [module, tool].allSatisfy(FileManager.default.fileExists)

    private let scratch: ScratchFolder

    init(_ scratch: ScratchFolder) { self.scratch = scratch }

    /// The settings of a server with a credential of systemd.
    func credential() throws -> [String: String] {
        try scratch.write(
            (0..<32).map { _ in UInt8.random(in: 0...255) }, to: "credentials/mien.master-key")
        return [
            "MIEN_KEY_SOURCE": "credential", "CREDENTIALS_DIRECTORY": scratch("credentials").path,
        ]
    }

    /// The settings of a server with a new token of SoftHSM.
    func token() async throws -> [String: String] {
        try scratch.write(
            Array("directories.tokendir = \(scratch("tokens").path)\nlog.level = ERROR\n".utf8),
            to: "softhsm2.conf")
        try FileManager.default.createDirectory(
            at: scratch("tokens"), withIntermediateDirectories: true)
        let pinFile = try scratch.write(Array("\(Self.pin)\n".utf8), to: "token.pin")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: pinFile.path)
        let settings = [
            "SOFTHSM2_CONF": scratch("softhsm2.conf").path, "MIEN_KEY_SOURCE": "pkcs11",
            "MIEN_KEY_PKCS11_MODULE": Self.module, "MIEN_KEY_PKCS11_TOKEN": "keys",
            "MIEN_KEY_PKCS11_PIN_FILE": pinFile.path,
        ]
        let made = try await ProgramRun.run(
            URL(filePath: Self.tool),
            [
                "--init-token", "--free", "--label", "keys", "--so-pin", "271828", "--pin",
                Self.pin,
            ], environment: settings)
        #expect(made.status == 0, "\(made.err)")
        return settings
    }
}
