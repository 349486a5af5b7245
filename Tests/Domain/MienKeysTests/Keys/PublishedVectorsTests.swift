import Crypto
import Foundation
import MienCore
import MienKeys
import MienTesting
import Testing

/// Compares docs/biometric-login.vectors.json, which is for clients in other languages, with this
/// library.
@Suite struct PublishedVectorsTests {
    private let vectors: JSONValue
    private let key: DevicePublicKey

    init() throws {
        let repository = Repository.root
        vectors = try JSONText.parse(
            [UInt8](
                Data(contentsOf: repository.appending(path: "docs/biometric-login.vectors.json"))))
        key = try DevicePublicKey(jwk: vectors["key"]?["jwk"] ?? .null)
    }

    private func text(_ part: String, _ name: String) throws -> String {
        try #require(vectors[part]?[name]?.stringValue)
    }

    @Test func `all forms of the key are the same key`() throws {
        #expect(try key.thumbprint == text("key", "thumbprint"))
        let spki = try #require(Data(base64Encoded: text("key", "spki_base64")))
        #expect(try DevicePublicKey(spki: [UInt8](spki)) == key)
        let secret = try #require(Base64URL.decode(text("key", "d")))
        #expect(try SoftwareSigner(p256: secret).publicKey == key)
    }

    @Test(arguments: ["setup", "authenticate"])
    func `requests verify and match their description`(part: String) throws {
        let message = try JWS.parse(compact: text(part, "jwt"))
        let verified = try message.verify(with: key), payload = try JSONText.parse(verified.payload)
        #expect(.object(verified.header) == vectors[part]?["header"])
        #expect(payload == vectors[part]?["payload"])
        #expect((message.key == key) == (part == "setup"))
    }

    @Test
    func
        `a transaction's signed text is derived from its data, and both forms of the signature verify`()
        throws
    {
        let data = try #require(vectors["transaction"]?["approval_data"])
        let digest = Base64URL.encode(SHA256.hash(data: Data(JSONText.write(data).utf8)))
        #expect(try digest == text("transaction", "approval_data_sha256"))
        let signed = try text("transaction", "signed_text")
        #expect(try signed == text("transaction", "challenge") + "." + digest)
        let raw = try #require(Base64URL.decode(text("transaction", "signature_raw"))),
            der = try #require(Base64URL.decode(text("transaction", "signature_der")))
        #expect(
            key.isValid(raw, over: Array(signed.utf8))
                && key.isValid(der, over: Array(signed.utf8), form: .der))
        #expect(!key.isValid(raw, over: Array((signed + "x").utf8)))
    }

    @Test func `App Attest's client data names challenge and key`() throws {
        let client = try text("app_attest", "client_data")
        #expect(try client == text("app_attest", "challenge") + "." + key.thumbprint)
        #expect(
            try Base64URL.encode(SHA256.hash(data: Data(client.utf8)))
                == text("app_attest", "client_data_hash"))
    }
}
