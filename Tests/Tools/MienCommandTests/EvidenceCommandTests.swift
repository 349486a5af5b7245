import Foundation
import MienCore
import MienIdentity
import MienKeys
import MienTesting
import Testing

@testable import mien

/// `mien evidence verify`
@Suite struct EvidenceCommandTests {
    private static let record = EvidenceRecord(
        attempt: IdentityAttemptID("idv_1")!, kind: .personalData, user: UserID("usr_1")!,
        app: AppID("shop")!, begunAt: Instant(milliseconds: 1_793_000_000_000),
        concludedAt: Instant(milliseconds: 1_793_000_001_000), sources: ["registry"],
        isSimulated: false, checks: IdentityChecks([.name: .passed]), rulesVersion: "standard-1",
        recommendation: .allow, isVerified: true)

    private static func signed(
        _ payload: JSONValue = record.json, by signer: SoftwareSigner,
        type: String = EvidenceRecord.mediaType
    ) async throws -> String {
        try await JWS.sign(
            header: ["typ": .string(type), "kid": .string(signer.publicKey.thumbprint)],
            payload: Array(JSONText.write(payload).utf8), with: signer)
    }

    @Test func `genuine evidence is shown, and anything else is not genuine`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let signer = try SoftwareSigner.generate(.es256),
            other = try SoftwareSigner.generate(.es256)
        let keys = try home.write(
            JSONText.write(["keys": [signer.publicKey.jwk]]).utf8, as: "keys.json")
        func verify(_ text: String) async throws -> MienProgram.Result {
            let file = try home.write(text.utf8, as: "evidence.jws")
            return try await home.mien("evidence", "verify", file, "--keys", keys, "--json")
        }
        let good = try await Self.signed(by: signer)
        let genuine = try await verify(good + "\n")
        #expect(try genuine.status == 0 && genuine.json["genuine"] as? Bool == true, "\(genuine)")
        let file = try home.write(good.utf8, as: "good.jws")
        let shown = try await home.mien("evidence", "verify", file, "--keys", keys)
        #expect(shown.status == 0 && shown.out.contains("name=passed"), "\(shown)")
        var changed = Array(good.utf8)
        let dot = try #require(changed.firstIndex(of: UInt8(ascii: ".")))
        changed[dot + 20] = changed[dot + 20] == 65 ? 66 : 65
        var more = Self.record.json.objectValue ?? [:]
        more["name"] = "Ada"
        for text in [
            try await Self.signed(by: other), try await Self.signed(by: signer, type: "JWT"),
            String(decoding: changed, as: UTF8.self),
            try await Self.signed(.object(more), by: signer), "", "a.b.c",
        ] {
            let refused = try await verify(text)
            #expect(
                try refused.status == 1 && refused.json["genuine"] as? Bool == false,
                "\(refused)")
        }
        let none = try await home.mien("evidence", "verify", "none", "--keys", keys, "--json")
        #expect(try none.status == 2 && none.error.code == "evidence.file")
        let empty = try await home.mien("evidence", "verify", file, "--keys", file, "--json")
        #expect(try empty.status == 2 && empty.error.code == "evidence.keys")
    }
}
