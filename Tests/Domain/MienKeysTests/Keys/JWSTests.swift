import MienCore
import MienKeys
import Testing

@Suite struct JWSTests {
    private static func refusal(_ text: String, limits: JWS.Limits = JWS.Limits()) -> JWSError.Code?
    {
        do {
            _ = try JWS.parse(compact: text, limits: limits)
            return nil
        } catch { return error.code }
    }

    private static func compact(
        _ header: String, _ payload: String = "{}", signature: [UInt8] = [1]
    ) -> String {
        [
            Base64URL.encode(header.utf8), Base64URL.encode(payload.utf8),
            Base64URL.encode(signature),
        ].joined(separator: ".")
    }

    @Test(arguments: [
        (Vectors.a2, Vectors.a2Key, DeviceKeyAlgorithm.rs256), (Vectors.a3, Vectors.a3Key, .es256),
        (Vectors.rfc8037, Vectors.rfc8037Key, .edDSA),
    ])
    func `examples of RFC 7515 and RFC 8037 verify`(
        text: String, key: JSONValue, algorithm: DeviceKeyAlgorithm
    ) throws {
        let message = try JWS.parse(compact: text),
            verified = try message.verify(with: DevicePublicKey(jwk: key))
        #expect(
            message.algorithm == algorithm && verified.key.algorithm == algorithm
                && message.keyID == nil && message.key == nil)
        #expect(
            verified.payload == message.unverifiedPayload
                && verified.header == ["alg": .string(algorithm.rawValue)])
        #expect(
            algorithm != .edDSA
                || String(decoding: verified.payload, as: UTF8.self) == "Example of Ed25519 signing"
        )
    }

    @Test func `signing repeats the example of RFC 8037`() async throws {
        let seed = try #require(Base64URL.decode(Vectors.rfc8037Private))
        let signer = try SoftwareSigner(ed25519: seed)
        #expect(try signer.publicKey == DevicePublicKey(jwk: Vectors.rfc8037Key))
        #expect(
            try await JWS.sign(payload: Array("Example of Ed25519 signing".utf8), with: signer)
                == Vectors.rfc8037)
        let p256 = try SoftwareSigner(p256: #require(Base64URL.decode(Vectors.a3Private)))
        #expect(try p256.publicKey == DevicePublicKey(jwk: Vectors.a3Key))
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `a signed message verifies with its own key, and changing any character breaks it`(
        algorithm: DeviceKeyAlgorithm
    ) async throws {
        let signer = try SoftwareSigner.generate(algorithm)
        let header: [String: JSONValue] = [
            "alg": "none", "typ": "vnd.test+jwt", "kid": "key-one-1", "jwk": signer.publicKey.jwk,
        ]
        let text = try await JWS.sign(
            header: header, payload: Array("{\"iat\":1}".utf8), with: signer)
        let message = try JWS.parse(compact: text), key = try #require(message.key)
        let verified = try message.verify(with: key)
        #expect(
            key == signer.publicKey && verified.type == "vnd.test+jwt"
                && verified.keyID == "key-one-1")
        #expect(verified.payload == Array("{\"iat\":1}".utf8))
        for index in text.utf8.indices {
            var wrong = Array(text.utf8)
            let offset = text.utf8.distance(from: text.utf8.startIndex, to: index)
            wrong[offset] =
                wrong[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JWSError.self) {
                try JWS.parse(compact: String(decoding: wrong, as: UTF8.self)).verify(with: key)
            }
        }
    }

    @Test(arguments: [
        ("", JWSError.Code.form), ("a", .form), ("a.b", .form), ("a.b.c.d", .form),
        (Vectors.a3 + "=", .form), (Vectors.a3 + ".", .form),
        (" " + Vectors.a3, .form), (compact(#"["ES256"]"#), .header), (compact("{"), .header),
        (compact(#"{"alg":"ES256","alg":"ES256"}"#), .header),
        (compact(#"{"alg":"ES256","alg":"RS256"}"#), .header),
        (compact(#"{"alg":"ES256"} x"#), .header),
        (compact(#"{"alg":"ES256","a":[[[[1]]]]}"#), .header), (compact("{}"), .algorithm),
        (compact(#"{"alg":"none"}"#), .algorithm),
        (compact(#"{"alg":"HS256"}"#), .algorithm), (compact(#"{"alg":"es256"}"#), .algorithm),
        (compact(#"{"alg":"PS256"}"#), .algorithm),
        (compact(#"{"alg":1}"#), .header), (compact(#"{"alg":"ES256","kid":1}"#), .header),
        (compact(#"{"alg":"ES256","typ":null}"#), .header),
        (compact(#"{"alg":"ES256","crit":["b64"],"b64":false}"#), .critical),
        (compact(#"{"alg":"ES256","crit":[]}"#), .critical),
        (compact(#"{"alg":"ES256","jwk":{"kty":"oct","k":"AQAB"}}"#), .key),
        (compact(#"{"alg":"ES256","jwk":null}"#), .key),
    ])
    func `a malformed message is rejected with its code`(text: String, code: JWSError.Code) {
        #expect(Self.refusal(text) == code)
    }

    @Test func `a private key in the header is rejected, and the error does not repeat it`() throws
    {
        var jwk = try #require(Vectors.a3Key.objectValue)
        jwk["d"] = .string(Vectors.a3Private)
        let text = Self.compact(JSONText.write(.object(["alg": "ES256", "jwk": .object(jwk)])))
        let error = try #require(throws: JWSError.self) { try JWS.parse(compact: text) }
        #expect(
            error.code == .key && error.reason.contains("“d”")
                && !error.reason.contains(Vectors.a3Private))
        let twice = try #require(throws: JWSError.self) {
            try JWS.parse(compact: Self.compact(#"{"secret-1":1,"secret-1":2}"#))
        }
        #expect(!twice.description.contains("secret-1"))
    }

    @Test func `a message of the maximum length is parsed, one byte more is rejected`() {
        let limits = JWS.Limits(maxBytes: Vectors.a3.utf8.count)
        #expect(
            Self.refusal(Vectors.a3, limits: limits) == nil
                && Self.refusal(Vectors.a3 + "A", limits: limits) == .tooLong)
        #expect(
            Self.refusal(String(repeating: "A", count: 16 * 1024 + 1)) == .tooLong
                && Self.refusal(String(repeating: "A", count: 16 * 1024)) == .form)
    }

    @Test func `the key fixes the algorithm`() throws {
        let es256 = try JWS.parse(compact: Vectors.a3)
        for key in [Vectors.a2Key, Vectors.rfc8037Key] {
            #expect(throws: JWSError(.algorithmMismatch, "")) {
                try es256.verify(with: DevicePublicKey(jwk: key))
            }
        }
        #expect(throws: JWSError(.signature, "")) {
            try es256.verify(with: SoftwareSigner.generate(.es256).publicKey)
        }
        #expect(DeviceKeyAlgorithm(joseName: "Ed25519") == .edDSA)
    }

    @Test func `an ES256 signature in DER is rejected`() throws {
        let parts = Vectors.a3.split(separator: "."), raw = try #require(Base64URL.decode(parts[2]))
        let der = try #require(ES256Signature.der(raw: raw))
        let text = parts[0] + "." + parts[1] + "." + Base64URL.encode(der)
        #expect(throws: JWSError(.signature, "")) {
            try JWS.parse(compact: text).verify(with: DevicePublicKey(jwk: Vectors.a3Key))
        }
    }

    private struct Faulty: DeviceSigner {
        let publicKey: DevicePublicKey
        let answer: [UInt8]
        func sign(_ message: [UInt8]) async throws -> [UInt8] { answer }
    }

    @Test func `a wrong signature of a device is detected before it is released`() async throws {
        let key = try SoftwareSigner.generate(.es256).publicKey
        await #expect(throws: JWSError(.signer, "")) {
            try await JWS.sign(
                payload: [1], with: Faulty(publicKey: key, answer: [UInt8](repeating: 1, count: 64))
            )
        }
    }

    @Test func `error codes are stable`() {
        #expect(
            JWSError.Code.allCases.map(\.rawValue) == [
                "jws.too-long", "jws.form", "jws.header", "jws.algorithm", "jws.critical",
                "jws.key", "jws.algorithm-mismatch", "jws.signature",
                "jws.signer",
            ])
    }
}
