import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Real servers whose master keys something wraps: rotations while they run, moves while they are
/// stopped, and backups.
@Suite("What protects the master key", .enabled(if: Installed.isThere, Installed.reason))
struct KeySourceTests {
    private let scratch: ScratchFolder
    private let keys: URL

    init() throws {
        scratch = try ScratchFolder()
        keys = scratch("data/master.key")
    }

    private func credential() throws -> [String: String] { try KeySources(scratch).credential() }
    private func token() async throws -> [String: String] { try await KeySources(scratch).token() }

    private func mien(_ settings: [String: String], _ arguments: String...) async throws
        -> ProgramRun
    {
        let standard = MienTool(in: scratch, data: scratch("data")).environment
        return try await ProgramRun.run(
            ServeProcess.program, arguments, environment: standard.merging(settings) { $1 })
    }

    private func isWrapped() throws -> Bool {
        try Data(contentsOf: keys).starts(with: Array("mien-wrapped-keys 1\n".utf8))
    }

    /// Signs in, rotates twice, restarts, and signs in again.
    private func live(_ settings: [String: String]) async throws {
        var server = try await AttackedServer.start(in: scratch, settings)
        #expect(try isWrapped())
        try await server.makeUser("ada")
        for _ in 0..<2 {
            _ = try await server.admin.rotateMasterKey()
            let running = server
            try await eventually { try await !running.admin.masterKeys().isSealing }
            #expect(try isWrapped())
        }
        try await server.admin.removeMasterKey(version: 1)
        #expect(await server.process.stop() == 0)
        server = try await AttackedServer.start(
            in: scratch, settings, credential: server.credential)
        _ = try await server.signIn("ada")
        #expect(try await server.admin.masterKeys().keys.map(\.version) == [2, 3])
        #expect(await server.process.stop() == 0)
        let check = try await mien(settings, "master-key", "check", "--json")
        #expect(check.status == 0, "\(check.err)")
        #expect(try JSONText.parse(check.out)["versions"] == [2, 3])
    }

    @Test("a server with a credential of systemd rotates its keys, and never stores one in clear")
    func withCredential() async throws {
        let settings = try credential()
        try await live(settings)
        // Without the credential, or with another one, it does not start.
        var without = settings
        without["CREDENTIALS_DIRECTORY"] = nil
        #expect(try await refusal(without).contains("LoadCredentialEncrypted=mien.master-key"))
        let other = try credential()
        #expect(try await refusal(other).contains("key.credential-other"))
    }

    @Test(
        "a server with a key in a token rotates its keys, and never stores one in clear",
        .enabled(if: KeySources.hasToken, "SoftHSM is not installed"))
    func withToken() async throws {
        let settings = try await token()
        // The key is missing at first, and the message says how to make it.
        #expect(try await refusal(settings).contains("mien master-key create"))
        #expect(!FileManager.default.fileExists(atPath: keys.path))
        let made = try await mien(settings, "master-key", "create")
        #expect(made.status == 0 && made.out.contains("never leaves it"), "\(made.err)")
        try await live(settings)

        try scratch.write(Array("999999\n".utf8), to: "token.pin")
        let wrong = try await refusal(settings)
        #expect(wrong.contains("pkcs11.pin") && !wrong.contains("999999"))
        let check = try await mien(settings, "master-key", "check")
        #expect(check.status == 3 && check.err.contains("pkcs11.pin"))
        #expect(!(check.err + check.out).contains("999999"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: scratch("token.pin").path)
        #expect(try await refusal(settings).contains("chmod 600"))
    }

    @Test(
        "keys move from a file to a token, to a credential, and back, and stay the same",
        .enabled(if: KeySources.hasToken, "SoftHSM is not installed"))
    func moved() async throws {
        var server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        #expect(try !isWrapped())
        let inToken = try await token(), inCredential = try credential()
        #expect(try await mien(inToken, "master-key", "create").status == 0)
        let early = try await mien(inToken, "master-key", "move")
        #expect(early.status == 3 && early.err.contains("is in use by the server"))
        #expect(await server.process.stop() == 0)
        #expect(try await refusal(inToken).contains("key.not-wrapped"))

        let toToken = try await mien(inToken, "master-key", "move")
        #expect(toToken.status == 0 && toToken.out.contains("rotate"), "\(toToken.err)")
        #expect(try isWrapped())
        #expect(try await refusal([:]).contains("key.wrapped"))
        // A backup has the keys wrapped, and is restored where the token is.
        try scratch.write(Array("a passphrase for the test\n".utf8), to: "passphrase")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: scratch("passphrase").path)
        let backup = try await mien(
            inToken, "backup", scratch("backup").path, "--passphrase-file",
            scratch("passphrase").path)
        #expect(backup.status == 0, "\(backup.err)")
        let blind = try await mien(
            [:], "restore", scratch("backup").path, "--check", "--passphrase-file",
            scratch("passphrase").path)
        #expect(blind.status == 2 && blind.err.contains("--config"))
        try scratch.write([], to: "mien.yaml")
        let seeing = try await mien(
            inToken, "restore", scratch("backup").path, "--check", "--config",
            scratch("mien.yaml").path, "--passphrase-file", scratch("passphrase").path)
        #expect(seeing.status == 0, "\(seeing.err)")

        // From the token to a credential: the old settings are in a file.
        try scratch.write(Array(Self.yaml(inToken).utf8), to: "old.yaml")
        let between = inCredential.merging(["SOFTHSM2_CONF": inToken["SOFTHSM2_CONF"]!]) { $1 }
        try scratch.write(Array("key:\n  source: credential\n".utf8), to: "new.yaml")
        var environment = between
        environment["MIEN_KEY_SOURCE"] = nil
        let toCredential = try await mien(
            environment, "master-key", "move", "--config", scratch("new.yaml").path, "--from",
            scratch("old.yaml").path)
        #expect(toCredential.status == 0, "\(toCredential.err)")
        server = try await AttackedServer.start(
            in: scratch, inCredential, credential: server.credential)
        _ = try await server.signIn("ada")
        #expect(await server.process.stop() == 0)

        // Back to a file, at another path.
        try scratch.write(
            Array("key:\n  source: file\n  path: \(scratch("elsewhere/keys").path)\n".utf8),
            to: "file.yaml")
        let back = try await mien(
            environment, "master-key", "move", "--config", scratch("file.yaml").path, "--from",
            scratch("new.yaml").path)
        #expect(back.status == 0, "\(back.err)")
        #expect(!FileManager.default.fileExists(atPath: keys.path))
        server = try await AttackedServer.start(
            in: scratch, ["MIEN_KEY_PATH": scratch("elsewhere/keys").path],
            credential: server.credential)
        _ = try await server.signIn("ada")
        #expect(await server.process.stop() == 0)
    }

    /// The settings of the token in a file.
    private static func yaml(_ settings: [String: String]) -> String {
        """
        key:
          source: pkcs11
          pkcs11:
            module: \(settings["MIEN_KEY_PKCS11_MODULE"]!)
            token: \(settings["MIEN_KEY_PKCS11_TOKEN"]!)
            pin_file: \(settings["MIEN_KEY_PKCS11_PIN_FILE"]!)

        """
    }

    /// The message of a server that refuses to start.
    private func refusal(_ settings: [String: String]) async throws -> String {
        do {
            let server = try await AttackedServer.start(
                in: scratch, settings, credential: Sensitive("none"))
            await server.process.stop()
            Issue.record("the server started")
            return ""
        } catch let error as ServeProcess.NotListening {
            #expect(error.status == 3)
            return error.err
        }
    }
}
