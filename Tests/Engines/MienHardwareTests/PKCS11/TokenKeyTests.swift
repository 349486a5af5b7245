import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienHardware

/// With SoftHSM, a token in software.
@Suite(.serialized, .enabled(SoftToken.reason) { await SoftToken.areThere.value })
struct TokenKeyTests {
    private static let secret = (0..<32).map { UInt8($0) }
    private static let nonce = [UInt8](repeating: 5, count: TokenKey.nonceSize)

    /// The code and the reason of the error that `body` throws.
    private func refusal(_ body: () throws -> Void) -> (code: TokenError.Code, reason: String)? {
        do {
            try body()
            return nil
        } catch { return (error as? TokenError).map { ($0.code, $0.reason) } }
    }

    @Test func `a key made in the token encrypts and decrypts, and never leaves it`() throws {
        let key = SoftToken.key("made")
        #expect(refusal { _ = try key.facts() }?.code == .key)
        try key.create()
        #expect(try key.facts() == TokenKey.Facts(kind: .aes, isGuarded: true))
        let wrapped = try key.encrypt(Self.secret, nonce: Self.nonce, context: [1])
        #expect(wrapped.count == 32 + 16)
        #expect(try key.decrypt(wrapped, nonce: Self.nonce, context: [1]) == Self.secret)
        let twice = refusal { try key.create() }
        #expect(twice?.code == .key && twice?.reason.contains("already has") == true)
    }

    @Test func `what the key did not encrypt is refused, in every byte`() throws {
        let key = SoftToken.key("bytes")
        try key.create()
        let wrapped = try key.encrypt(Self.secret, nonce: Self.nonce, context: [1])
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            #expect(
                refusal { _ = try key.decrypt(changed, nonce: Self.nonce, context: [1]) }?.code
                    == .refused, "byte \(index)")
        }
        #expect(
            refusal { _ = try key.decrypt(wrapped, nonce: Self.nonce, context: [2]) }?.code
                == .refused)
        let namesake = SoftToken.key("bytes", token: "other")
        try namesake.create()
        let other = refusal {
            _ = try namesake.decrypt(wrapped, nonce: Self.nonce, context: [1])
        }
        #expect(other?.code == .refused && other?.reason.contains("another key") == true)
        // A refusal does not break what follows.
        #expect(try key.decrypt(wrapped, nonce: Self.nonce, context: [1]) == Self.secret)
    }

    @Test func `an RSA key pair encrypts and decrypts`() throws {
        let key = SoftToken.key("pair")
        #expect(try key.facts().kind == .rsa)
        let wrapped = try key.encrypt(Self.secret, nonce: Self.nonce, context: [])
        #expect(wrapped.count == 256)
        #expect(try key.decrypt(wrapped, nonce: Self.nonce, context: []) == Self.secret)
        var changed = wrapped
        changed[100] ^= 1
        #expect(
            [.refused, .failed].contains(
                refusal { _ = try key.decrypt(changed, nonce: Self.nonce, context: []) }?.code))
    }

    @Test func `errors say what is wrong, and do not contain the PIN`() {
        let wrong = refusal { _ = try SoftToken.key("made", pin: "999999").facts() }
        #expect(wrong?.code == .pin && wrong?.reason.contains("999999") == false)
        #expect(wrong?.reason.contains("“mien”") == true)
        let absent = refusal { _ = try SoftToken.key("made", token: "nowhere").facts() }
        #expect(absent?.code == .absent && absent?.reason.contains("“other”") == true)
        let twin = refusal { _ = try SoftToken.key("made", token: "twin").facts() }
        #expect(twin?.code == .absent && twin?.reason.contains("several") == true)
        let none = refusal { _ = try SoftToken.key("nothing").facts() }
        #expect(none?.code == .key && none?.reason.contains("“nothing”") == true)
    }

    @Test func `eight threads at once get what they encrypted`() async throws {
        let key = SoftToken.key("shared")
        try key.create()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 as Range<UInt8> {
                group.addTask {
                    let secret = [UInt8](repeating: number, count: 32)
                    let nonce = [UInt8](repeating: number, count: TokenKey.nonceSize)
                    let wrapped = try key.encrypt(secret, nonce: nonce, context: [])
                    #expect(try key.decrypt(wrapped, nonce: nonce, context: []) == secret)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Uses a module that fails on purpose, and files of other kinds.
@Suite(.serialized) struct TokenErrorTests {
    private static let fake = TestLibrary.token.path

    private func refusal(_ module: String) -> (code: TokenError.Code, reason: String)? {
        let key = TokenKey(
            module: module, token: "test", key: "key", pin: Sensitive(Array("8675309".utf8)))
        do {
            _ = try key.facts()
            return nil
        } catch { return (error.code, error.reason) }
    }

    @Test(arguments: [
        ("locked", TokenError.Code.locked, "locked after too many wrong PINs"),
        ("locks", .locked, "locked after too many wrong PINs"),
        ("last-try", .locked, "so none was tried"),
        ("no-pin", .absent, "no user PIN"),
        ("broken", .failed, "CKR_DEVICE_ERROR"),
    ])
    func `a token that accepts no PIN says why`(
        state: String, code: TokenError.Code, words: String
    ) {
        setenv("MIEN_TEST_TOKEN", state, 1)
        defer { unsetenv("MIEN_TEST_TOKEN") }
        let found = refusal(Self.fake)
        #expect(found?.code == code && found?.reason.contains(words) == true, "\(found as Any)")
        #expect(found?.reason.contains("8675309") == false)
    }

    @Test func `a module that is missing, or is none, is named`() {
        let missing = refusal("/nowhere/token.so")
        #expect(missing?.code == .module && missing?.reason.contains("/nowhere/token.so") == true)
        let other = refusal(TestLibrary.clock.path)
        #expect(other?.code == .module && other?.reason.contains("not a PKCS #11 module") == true)
    }

    @Test func `codes are stable`() {
        #expect(
            TokenError.Code.allCases.map(\.rawValue) == [
                "pkcs11.module", "pkcs11.absent", "pkcs11.pin", "pkcs11.locked", "pkcs11.key",
                "pkcs11.refused", "pkcs11.failed",
            ])
    }
}
