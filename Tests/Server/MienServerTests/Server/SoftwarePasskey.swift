import Crypto
import Foundation
import MienCore
import MienKeys
import Testing

/// A browser and its authenticator as the server sees them. Tests can change every part of them.
struct SoftwarePasskey: Sendable {
    static let origin = "https://login.example.org"

    var client: TokenClient
    let signer: SoftwareSigner
    let id: [UInt8]
    var origin = SoftwarePasskey.origin
    var rpID = "login.example.org"
    /// User present and user verified. At a registration, the flag for attested credential data is
    /// added.
    var flags: UInt8 = 0x05
    var counter: UInt32 = 1
    var userHandle: [UInt8]?

    init(_ client: TokenClient, _ algorithm: DeviceKeyAlgorithm = .es256) throws {
        self.client = client
        signer = try SoftwareSigner.generate(algorithm)
        var generator = SystemRandomNumberGenerator()
        id = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var result = self
        change(&result)
        return result
    }

    // MARK: Registering

    func registrationOptions(_ access: String?, _ body: String = "{}") async throws
        -> TokenClient.Answer
    {
        try await client.send(.post, "/v1/webauthn/register/options", Self.headers(access), body)
    }

    /// - Parameter isAttested: Whether the credential attests itself. Otherwise, there is no
    ///   attestation.
    func credential(creating options: JSONValue, isAttested: Bool = false) throws -> JSONValue {
        let client = try clientData("webauthn.create", options),
            number = try #require(
                [.es256: -7, .edDSA: -8, .rs256: -257][signer.publicKey.algorithm])
        let data =
            authenticatorData(flags | 0x40) + [UInt8](repeating: 0, count: 16)
            + CBORText.big(UInt16(id.count)) + id + CBORText.key(signer.publicKey)
        let statement =
            isAttested
            ? CBORText.map([
                "alg": CBORText.integer(number),
                "sig": CBORText.bytes(try sign(data + SHA256.hash(data: client))),
            ]) : CBORText.map([:])
        let object = CBORText.map([
            "fmt": CBORText.text(isAttested ? "packed" : "none"), "attStmt": statement,
            "authData": CBORText.bytes(data),
        ])
        return credential([
            "clientDataJSON": .string(Base64URL.encode(client)),
            "attestationObject": .string(Base64URL.encode(object)),
            "transports": ["internal", "pigeon"], "publicKeyAlgorithm": -7,
        ])
    }

    func register(_ access: String?, name: String? = nil, isAttested: Bool = false) async throws
        -> TokenClient.Answer
    {
        let options = try #require(try await registrationOptions(access).body["publicKey"])
        return try await register(
            access, credential(creating: options, isAttested: isAttested), name: name)
    }

    func register(_ access: String?, _ credential: JSONValue, name: String? = nil) async throws
        -> TokenClient.Answer
    {
        var body: [String: JSONValue] = ["credential": credential]
        if let name { body["name"] = .string(name) }
        return try await client.send(
            .post, "/v1/webauthn/register", Self.headers(access), JSONText.write(.object(body)))
    }

    // MARK: Signing in

    func signInOptions(_ name: String? = nil) async throws -> JSONValue {
        var body: [String: JSONValue] = ["client_id": .string(client.app)]
        if let name { body["username"] = .string(name) }
        let answer = try await client.send(
            .post, "/v1/webauthn/login/options", Self.headers(nil), JSONText.write(.object(body)))
        return try #require(answer.status == 200 ? answer.body["publicKey"] : nil, "\(answer.body)")
    }

    func credential(
        answering options: JSONValue, type: String = "webauthn.get", signer: SoftwareSigner? = nil
    ) throws -> JSONValue {
        let client = try clientData(type, options), data = authenticatorData(flags)
        return credential([
            "clientDataJSON": .string(Base64URL.encode(client)),
            "authenticatorData": .string(Base64URL.encode(data)),
            "signature": .string(
                Base64URL.encode(try sign(data + SHA256.hash(data: client), with: signer))),
            "userHandle": userHandle.map { .string(Base64URL.encode($0)) } ?? .null,
        ])
    }

    func signIn(
        _ credential: JSONValue, _ more: [String: JSONValue] = [:], headers: [String: String] = [:]
    ) async throws -> TokenClient.Answer {
        let body: [String: JSONValue] = [
            "client_id": .string(client.app), "credential": credential,
        ].merging(more) { $1 }
        return try await client.send(
            .post, "/v1/webauthn/login", Self.headers(nil).merging(headers) { $1 },
            JSONText.write(.object(body)))
    }

    func signIn(as name: String? = nil) async throws -> TokenClient.Answer {
        try await signIn(credential(answering: signInOptions(name)))
    }

    /// Returns the access token of a new sign-in with the passkey, strong and fresh enough to add
    /// another authenticator.
    func access(counter: UInt32) async throws -> String? {
        try await with { $0.counter = counter }.signIn()["access_token"]
    }

    // MARK: Encoding

    static func headers(_ access: String?) -> [String: String] {
        var headers = ["content-type": "application/json"]
        if let access { headers["authorization"] = "Bearer \(access)" }
        return headers
    }

    private func credential(_ response: JSONValue) -> JSONValue {
        let id = JSONValue.string(Base64URL.encode(id))
        return [
            "id": id, "rawId": id, "type": "public-key", "response": response,
            "clientExtensionResults": [:], "authenticatorAttachment": "platform",
        ]
    }

    private func clientData(_ type: String, _ options: JSONValue) throws -> [UInt8] {
        let challenge = try #require(options["challenge"])
        return Array(
            JSONText.write([
                "type": .string(type), "challenge": challenge, "origin": .string(origin),
                "crossOrigin": false,
            ]).utf8)
    }

    private func authenticatorData(_ flags: UInt8) -> [UInt8] {
        SHA256.hash(data: Array(rpID.utf8)) + [flags] + CBORText.big(counter)
    }

    /// Signs as authenticators do: ECDSA in DER.
    private func sign(_ message: [UInt8], with other: SoftwareSigner? = nil) throws -> [UInt8] {
        let signature = try (other ?? signer).sign(message)
        return signer.publicKey.algorithm == .es256
            ? try #require(ES256Signature.der(raw: signature)) : signature
    }
}

/// The subset of CBOR that authenticators write.
private enum CBORText {
    static func integer(_ number: Int) -> [UInt8] {
        number < 0 ? head(1, -1 - number) : head(0, number)
    }
    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    /// Encodes a map in CTAP2's key order. The values are already encoded.
    static func map(_ members: [String: [UInt8]]) -> [UInt8] {
        let sorted = members.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
        return head(5, members.count) + sorted.flatMap { text($0.key) + $0.value }
    }

    static func key(_ key: DevicePublicKey) -> [UInt8] {
        let entries: [(Int, [UInt8])] =
            switch key.material {
            case .p256(let x, let y):
                [
                    (1, integer(2)), (3, integer(-7)), (-1, integer(1)), (-2, bytes(x)),
                    (-3, bytes(y)),
                ]
            case .rsa(let modulus, let exponent):
                [(1, integer(3)), (3, integer(-257)), (-1, bytes(modulus)), (-2, bytes(exponent))]
            case .ed25519(let point):
                [(1, integer(1)), (3, integer(-8)), (-1, integer(6)), (-2, bytes(point))]
            }
        return head(5, entries.count) + entries.flatMap { integer($0.0) + $0.1 }
    }

    static func big<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> T(T.bitWidth - 8 - 8 * $0)) }
    }

    private static func head(_ kind: UInt8, _ number: Int) -> [UInt8] {
        switch number {
        case ..<24: [kind << 5 | UInt8(number)]
        case ..<256: [kind << 5 | 24, UInt8(number)]
        default: [kind << 5 | 25] + big(UInt16(number))
        }
    }
}
