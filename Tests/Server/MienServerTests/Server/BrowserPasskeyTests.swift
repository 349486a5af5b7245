import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienServer

private enum Chromium {
    static let path = "/usr/bin/chromium"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)
    static let reason: Comment = "needs Debian's chromium: run scripts/setup --tests"
}

@Suite(
    "Passkeys in Chromium", .enabled(if: Peer.isThere, Peer.reason),
    .enabled(if: Installed.isThere, Installed.reason),
    .enabled(if: Chromium.isThere, Chromium.reason), .timeLimit(.minutes(10)))
struct BrowserPasskeyTests {
    @Test(
        "a page registers passkeys and signs in with them; the browser or the server refuses invalid requests"
    )
    func browser() async throws {
        let scratch = try ScratchFolder()
        try await TestServer.run(in: scratch, settings: ["MIEN_HOST": "localhost"]) { server in
            for name in ["ada", "eve"] { try await server.makeUser(name) }
            let client = TokenClient(server: server)
            let access = try await ["ada", "eve"].asyncMap {
                try #require(try await client.signIn($0)["access_token"])
            }
            let lines = try await Peer(
                "browser",
                [
                    "chromium": .string(Chromium.path), "server": .string(server.address),
                    "ada": .string(access[0]), "eve": .string(access[1]),
                ]
            ).rest()
            let scenes = Dictionary(
                lines.compactMap { line in line["scene"]?.stringValue.map { ($0, line) } }
            ) { first, _ in first }
            try #require(
                scenes["end"] != nil, "the browser stopped early: \(scenes.keys.sorted())")
            func status(_ scene: String) -> JSONValue? { scenes[scene]?["status"] }
            func error(_ scene: String) -> JSONValue? { scenes[scene]?["error"] }

            let ada = try await server.userID("ada")
            #expect(status("register") == 200, "\(scenes["register"] ?? .null)")
            #expect(
                scenes["register"]?["body"]?["transports"] == ["internal"]
                    && scenes["register"]?["body"]?["attestation"] == "none")
            #expect(error("register twice") == "InvalidStateError")
            for scene in ["sign in", "sign in by name", "sign in again", "no clone"] {
                #expect(status(scene) == 200, "\(scene): \(scenes[scene] ?? .null)")
                let claims = try TokenClient.claims(
                    scenes[scene]?["body"]?["id_token"]?.stringValue)
                #expect(claims["sub"] == .string(ada.text) && claims["amr"] == ["pop", "mfa"])
            }
            #expect(error("sign in as nobody") == "NotAllowedError")
            for scene in ["replay", "clone", "another user", "another origin"] {
                #expect(
                    status(scene) == 401
                        && scenes[scene]?["body"]?["code"] == "invalid_credentials",
                    "\(scene): \(scenes[scene] ?? .null)")
            }
            #expect(
                Set(
                    ["replay", "clone", "another user", "another origin"].map {
                        scenes[$0]?["body"]?["detail"]
                    }
                ).count == 1)
            #expect(status("registered elsewhere") == 400)
            let why = scenes["registered elsewhere"]?["body"]?["errors"]?.arrayValue?.first?[
                "message"]?.stringValue
            #expect(why?.hasPrefix("webauthn.origin") == true)
            #expect(
                status("attested") == 200
                    && scenes["attested"]?["body"]?["attestation"] == "unanchored packed",
                "\(scenes["attested"] ?? .null)")
            #expect(
                scenes["attested"]?["body"]?["transports"] == ["usb"]
                    && status("eve signs in") == 200)
            #expect(error("not verified") == "NotAllowedError" && error("u2f") == "NotAllowedError")

            let audit = try await server.admin.audit().items
            #expect(audit.count { $0.event == "passkey.possible_clone" } == 1)
            let refusals = audit.filter { $0.event == "passkey.refused" }
            // Used challenges are only counted. Refusals that passed the lock gate have their own
            // entries.
            #expect(
                refusals.filter { $0.detail["reason"] == "challenge" }.compactMap {
                    $0.detail["count"]?.numberValue
                }.reduce(0, +) == 2)
            #expect(
                refusals.filter { $0.detail["count"] == nil }.compactMap { $0.detail["reason"] }
                    == ["webauthn.origin"])
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Output>(_ body: (Element) async throws -> Output) async rethrows
        -> [Output]
    {
        var outputs: [Output] = []
        for element in self { outputs.append(try await body(element)) }
        return outputs
    }
}
