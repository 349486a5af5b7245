internal import Crypto
internal import Foundation
package import MienCore
package import MienKeys
package import MienStore
internal import Synchronization

/// Signs tokens: JWT with ES256 (RFC 7515, 7518 §3.4, 7519). Signing keys rotate. Each is published
/// before its period, so that clients that cache the published keys know it in time, and afterward
/// until its last token has expired.
package final class TokenIssuer: Sendable {
    /// The maximum lifetime of a token.
    static let longestSeconds = 86_400
    /// How long before its period a key is published: three times as long as clients may cache the
    /// published keys.
    static let announcedSeconds = 900

    /// The values of `typ`, which separate the uses of tokens.
    package enum TokenType: String {
        /// A journey's outcome or an ID token, for the app.
        case identity = "JWT"
        /// An access token for services that the app calls: RFC 9068.
        case access = "at+jwt"
        /// A license for a device. The device stores the key with it, so it may outlive the
        /// published keys.
        case license = "mien-licence+jwt"
        /// Tells an app that a sign-in has ended: OpenID Connect Back-Channel Logout 1.0.
        case logout = "logout+jwt"
    }

    private struct Key {
        let record: SigningKeyRecord
        let key: P256.Signing.PrivateKey
        let publicKey: DevicePublicKey
    }

    private let store: Store
    private let issuer: @Sendable () -> String
    private let rotation: Duration
    private let keys = Mutex<[Key]>([])
    /// The version of the keys in the store that were read.
    private let version = Mutex<Int64>(-1)

    package init(store: Store, issuer: @escaping @Sendable () -> String, rotateDays: Int) {
        (self.store, self.issuer, rotation) = (store, issuer, .seconds(rotateDays * 86_400))
    }

    /// Reads the keys again if another server has made one.
    package func check(at now: Instant) async throws {
        let stored = try await store.changeVersion(of: .signingKeys)
        guard stored > version.withLock({ $0 }) else { return }
        try await refresh(at: now)
    }

    /// Reads the keys, creates the next one when it is due, and removes expired ones.
    package func refresh(at now: Instant) async throws {
        let rotation = rotation
        let (records, read) = try await store.write { tables -> ([SigningKeyRecord], Int64) in
            _ = try tables.signingKeys.sweep(at: now)
            let current = try tables.signingKeys.current(at: now)
            if let newest = current.first, now + .seconds(Self.announcedSeconds) < newest.retiresAt
            {
                return (current, try tables.changes.version(of: .signingKeys))
            }
            let retiresAt = max(now, current.first?.retiresAt ?? now) + rotation
            let key = P256.Signing.PrivateKey()
            let publicKey = [UInt8](key.publicKey.x963Representation)
            let id = Base64URL.encode(
                SHA256.hash(data: key.publicKey.x963Representation).prefix(12))
            let record = SigningKeyRecord(
                id: id, privateKey: Sensitive([UInt8](key.rawRepresentation)), publicKey: publicKey,
                createdAt: now, retiresAt: retiresAt,
                expiresAt: retiresAt + .seconds(2 * Self.longestSeconds))
            try tables.signingKeys.insert(record)
            try tables.audit.append(
                AuditEvent("signing-key.made", actor: "system", detail: ["kid": .string(id)]),
                at: now)
            return ([record] + current, try tables.changes.version(of: .signingKeys))
        }
        let opened = try records.map { record in
            Key(
                record: record,
                key: try record.privateKey.use {
                    try P256.Signing.PrivateKey(rawRepresentation: $0)
                },
                publicKey: try DevicePublicKey(
                    .p256(x: Array(record.publicKey[1..<33]), y: Array(record.publicKey[33..<65]))))
        }
        keys.withLock { $0 = opened }
        version.withLock { $0 = max($0, read) }
    }

    /// - Parameter claims: The claims in addition to `iss` and `iat`.
    package func sign(
        _ claims: [String: JSONValue], as type: TokenType = .identity, at now: Instant
    ) throws
        -> String
    {
        try signed(claims, as: type, at: now).token
    }

    /// - Returns: The license, and the key that verifies it.
    package func signLicense(_ claims: [String: JSONValue], at now: Instant) throws -> (
        token: String, key: DevicePublicKey
    ) {
        try signed(claims, as: .license, at: now)
    }

    private func signed(_ claims: [String: JSONValue], as type: TokenType, at now: Instant) throws
        -> (token: String, key: DevicePublicKey)
    {
        // Use the oldest key whose period is not over.
        guard
            let key = keys.withLock({ keys in keys.last { now < $0.record.retiresAt } ?? keys.first
            })
        else {
            throw StoreError(.unreachable, "There is no signing key.")
        }
        var claims = claims
        claims["iss"] = .string(issuer())
        claims["iat"] = .number(Double(now.seconds))
        let header: JSONValue = [
            "alg": "ES256", "typ": .string(type.rawValue), "kid": .string(key.record.id),
        ]
        let body =
            "\(Base64URL.encode(JSONText.write(header).utf8)).\(Base64URL.encode(JSONText.write(.object(claims)).utf8))"
        let signature = try key.key.signature(for: Data(body.utf8))
        return ("\(body).\(Base64URL.encode(signature.rawRepresentation))", key.publicKey)
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Returns: `nil` unless this is an unexpired token of this type, signed with a key of ours
    ///   that is still published.
    package func claims(of token: String, as type: TokenType, at now: Instant) -> [String:
        JSONValue]?
    {
        guard let claims = claims(ofExpired: token, as: type),
            let end = claims["exp"]?.numberValue, Double(now.seconds) < end
        else { return nil }
        return claims
    }

    /// Verifies a token that may have expired and returns its claims. Such a token proves nothing
    /// about now.
    ///
    /// - Returns: `nil` unless this is a token of this type, signed with a key of ours that is
    ///   still published.
    package func claims(ofExpired token: String, as type: TokenType) -> [String: JSONValue]? {
        guard let message = try? JWS.parse(compact: token), message.type == type.rawValue,
            let key = keys.withLock({ keys in keys.first { $0.record.id == message.keyID } })?
                .publicKey,
            let payload = (try? message.verify(with: key))?.payload,
            let claims = (try? JSONText.parse(payload))?.objectValue,
            claims["iss"]?.stringValue == issuer()
        else { return nil }
        return claims
    }

    /// The published keys as a JWK set: RFC 7517.
    package var keySet: JSONValue {
        let records = keys.withLock { $0.map(\.record) }
        return [
            "keys": .array(
                records.map { record in
                    [
                        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
                        "kid": .string(record.id),
                        "x": .string(Base64URL.encode(record.publicKey[1..<33])),
                        "y": .string(Base64URL.encode(record.publicKey[33..<65])),
                    ]
                })
        ]
    }
}
