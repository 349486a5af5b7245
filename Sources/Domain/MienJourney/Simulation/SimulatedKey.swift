internal import MienAPI
internal import MienCore

/// A device key of a recorded test: a P-256 key pair as a private JWK (RFC 7517).
///
/// A simulation signs nothing: a signature is `signed:` and the challenge. The pair is real, so that
/// the same test can be played against a server.
struct SimulatedKey: Sendable {
    /// The private JWK. It belongs to a test and protects nothing.
    let jwk: JSONValue
    private let x, y: [UInt8]

    init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: path, known: ["kty", "crv", "x", "y", "d"])
        for (name, expected) in [("kty", "EC"), ("crv", "P-256")] {
            guard reader.value(name)?.stringValue == expected else {
                throw reader.error(name, "expected “\(expected)”")
            }
        }
        func number(_ name: String) throws(JourneyDefinitionError) -> [UInt8] {
            let text = try reader.required(name, try reader.string(name, maxLength: 43))
            guard let bytes = Base64URL.decode(text), bytes.count == 32 else {
                throw reader.error(name, "expected 32 bytes, base64url-encoded")
            }
            return bytes
        }
        (x, y, jwk) = (try number("x"), try number("y"), value)
        _ = try number("d")
    }

    /// The SubjectPublicKeyInfo (RFC 5480) in base64, as phones send it.
    var publicKey: String {
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
            0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let text = Base64URL.encode(header + x + y).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}

extension RecordedTest.Exchange {
    /// Returns the response with the members that the exchange's key adds to its data: for a
    /// registration the public key, otherwise a signature of the prompt's challenge.
    ///
    /// - Parameter signature: Signs a challenge.
    func response(
        to data: JSONValue, keys: [String: SimulatedKey],
        signature: (SimulatedKey, String) throws -> String
    ) rethrows -> ClientResponse {
        guard let key, let pair = keys[key] else { return response }
        return ClientResponse(
            option: response.option,
            data: try pair.completed(response.data.use { $0 }, key: key, for: step, data) {
                try signature(pair, $0)
            })
    }
}

extension SimulatedKey {
    /// Returns the data of a response with the members that the key adds: for a registration the
    /// public key, otherwise a signature of the prompt's challenge.
    ///
    /// - Parameters:
    ///   - step: The wire name of the prompt's step.
    ///   - prompt: The prompt's data.
    ///   - signature: Signs a challenge.
    func completed(
        _ data: JSONValue, key: String, for step: String, _ prompt: JSONValue,
        signature: (String) throws -> String
    ) rethrows -> JSONValue {
        var members = data.objectValue ?? [:]
        members["publicKeyId"] = .string(key)
        if step == JourneyStepName.registerNativeBiometrics.rawValue {
            members["publicKey"] = .string(publicKey)
        } else {
            members["signature"] = .string(try signature(prompt["challenge"]?.stringValue ?? ""))
        }
        return .object(members)
    }
}
