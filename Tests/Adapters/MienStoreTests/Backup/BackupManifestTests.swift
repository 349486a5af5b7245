import Foundation
import MienCore
import Testing

@testable import MienStore

@Suite struct BackupManifestTests {
    private static let manifest = BackupManifest(
        createdAt: 1_700_000_000_000, program: "mien 0.1.0", schema: "29-registry-numbers",
        auditNumber: 7, auditHash: Array(0..<32), stretching: .init(salt: Array(1...16)),
        files: [
            .init(name: "database", size: 24, sha256: Array(2..<34)),
            .init(name: "setting-identity.rules", size: 0, sha256: Array(3..<35)),
        ], code: Array(4..<36))

    private func refused(_ bytes: [UInt8]) -> Bool {
        do throws(BackupError) {
            _ = try BackupManifest(bytes: bytes)
            return false
        } catch { return error.code == .format && !error.reason.isEmpty }
    }

    @Test func `a written manifest is read as it was`() throws {
        let read = try BackupManifest(bytes: Self.manifest.bytes)
        #expect(read == Self.manifest && read.authenticated == Self.manifest.authenticated)
        #expect(Self.manifest.authenticated != Self.manifest.bytes)
    }

    @Test(
        "a manifest with other members, values, or file names is refused",
        arguments: [
            ("\"lanes\": 1", "\"lanes\": 5"), ("262144", "1048577"), ("262144", "1.5"),
            ("\"passes\": 3", "\"passes\": 17"), ("\"passes\": 3", "\"passes\": 3, \"x\": 1"),
            ("mien/v1/backup", "mien/v2/backup"), ("\"database\"", "\"../database\""),
            ("setting-identity.rules", "setting-.."), ("setting-identity.rules", "database"),
            ("setting-identity.rules", "setting-a/b"), ("\"size\": 24", "\"size\": -1"),
            ("\"number\": 7", "\"number\": \"7\""), ("\"hmac\"", "\"mac\""),
        ])
    func malformed(_ change: (String, String)) {
        let text = String(decoding: Self.manifest.bytes, as: UTF8.self)
        #expect(text.contains(change.0))
        #expect(refused(Array(text.replacing(change.0, with: change.1).utf8)))
    }

    @Test func `a manifest longer than its limit, or cut anywhere, is refused`() {
        let bytes = Self.manifest.bytes
        for count in stride(from: 0, to: bytes.count - 2, by: 7) {
            #expect(refused(Array(bytes.prefix(count))))
        }
        #expect(refused([UInt8](repeating: 0x20, count: BackupManifest.maxBytes + 1)))
    }

    @Test func `the code depends on the passphrase's key and on every byte`() {
        let key = BackupKey(Array(1...32)), bytes = Self.manifest.authenticated
        let code = key.code(ofManifest: bytes)
        #expect(key.isCode(code, ofManifest: bytes))
        #expect(!BackupKey(Array(2...33)).isCode(code, ofManifest: bytes))
        #expect(!key.isCode(code, ofManifest: bytes + [0x20]))
    }
}
