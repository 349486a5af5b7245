import Crypto
import Foundation
import MienCore
import MienKeys
import Testing

/// A device that gets an OTP token and computes codes, written from docs/one-time-codes.md.
struct TokenDevice: Sendable {
    let key = P256.KeyAgreement.PrivateKey()

    /// An OTP token as stored on the device.
    struct Token: Sendable {
        let id: String
        let secret: OTPSecret
        let digits: Int
        /// The `cap` object of a CAP token.
        var card: JSONValue?

        func code(counter: UInt64) throws -> String {
            try HOTP(digits: digits, hash: .sha256).code(at: counter, with: secret).text
        }
        func code(at time: Instant) throws -> String {
            try TOTP(digits: digits, hash: .sha256).code(at: time, with: secret).text
        }

        /// Signs the displayed data, after checking that the challenge covers it.
        func signature(of data: [String: JSONValue], challenge: String) throws -> String {
            let digest = Base64URL.encode(
                SHA256.hash(data: Array(JSONText.write(.object(data)).utf8)))
            #expect(challenge.hasSuffix("." + digest))
            return try sign(challenge)
        }

        func sign(_ challenge: String) throws -> String {
            let suite = try OCRASuite("OCRA-1:HOTP-SHA256-8:QH64")
            let question = SHA256.hash(data: Array(challenge.utf8)).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }.joined()
            return try OCRA(suite).response(
                to: OCRAInput(question: OCRAQuestion(question, for: suite)), with: secret
            ).text
        }
    }

    var jwk: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    func ask(_ code: String, _ server: any ServerUnderTest, changed: [String: JSONValue] = [:])
        async throws -> (status: Int, body: JSONValue)
    {
        let body: [String: JSONValue] = [
            "registration_code": .string(code), "public_key": jwk, "name": "Ada's phone",
            "os": "linux",
        ]
        return try await server.sendJSON(
            .post, "/v1/otp/tokens", body: JSONText.write(.object(body.merging(changed) { $1 })))
    }

    func redeem(_ code: String, _ server: any ServerUnderTest, app: String = "default_application")
        async throws -> Token
    {
        let answer = try await ask(code, server)
        #expect(answer.status == 201, "\(answer.body)")
        func text(_ name: String) throws -> String { try #require(answer.body[name]?.stringValue) }
        #expect(
            try text("app_id") == app)
        if try text("kind") == "cap" {
            #expect(
                try text("algorithm") == "3DES" && answer.body["counter"] == 1
                    && answer.body["signature_suite"] == nil)
        } else {
            #expect(
                try text("algorithm") == "SHA256"
                    && text("signature_suite") == "OCRA-1:HOTP-SHA256-8:QH64")
            #expect(
                try text("kind") == "totp"
                    ? answer.body["period"] == 30 : answer.body["counter"] == 0)
        }
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: .P256_SHA256_AES_GCM_256,
            info: Data("mien/v1/otp-secret \(app) \(try text("token_id"))".utf8),
            encapsulatedKey: Data(try #require(Base64URL.decode(text("encapsulated_key")))))
        let secret = try recipient.open(
            Data(try #require(Base64URL.decode(text("encrypted_secret")))))
        return Token(
            id: try text("token_id"), secret: try OTPSecret(bytes: Array(secret)),
            digits: Int(answer.body["digits"]?.numberValue ?? 0), card: answer.body["cap"])
    }
}
