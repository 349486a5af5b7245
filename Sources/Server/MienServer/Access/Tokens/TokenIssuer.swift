internal import Crypto
package import MienAPI
package import MienCore
package import MienKeys
package import MienStore
internal import Synchronization

/// Signs tokens: JWT with ES256, and ID tokens with RS256 for apps that ask for it (RFC 7515, 7518
/// §3.3 and §3.4, 7519). Signing keys rotate. Each is published before its period, so that clients
/// that cache the published keys know it in time, and afterward until its last token has expired.
package final class TokenIssuer: Sendable {
    /// The maximum lifetime of a token.
    static let longestSeconds = 86_400
    /// How long before its period a key is published: three times as long as clients may cache the
    /// published keys.
    static let announcedSeconds = 900
    private static let rsaBits = 3072

    /// The uses of tokens. None of them is accepted as another one.
    package enum TokenType: Sendable {
        /// A journey's outcome or an ID token, for the app.
        case identity
        /// An access token for services that the app calls: RFC 9068.
        case access
        /// A license for a device. The device stores the key with it, so it may outlive the
        /// published keys.
        case license
        /// An answer of the UserInfo endpoint: OpenID Connect Core §5.3.2.
        case userInfo
        /// Tells an app that a sign-in has ended: OpenID Connect Back-Channel Logout 1.0.
        case logout

        /// The `typ` of the header.
        package var typ: String {
            switch self {
            case .identity: "JWT"
            case .access: AccessTokenType.accessToken.rawValue
            case .license: "mien-licence+jwt"
            case .userInfo: "userinfo+jwt"
            case .logout: "logout+jwt"
            }
        }

        /// Whether a token with this header and these claims is one of this type. An access token
        /// may have the `typ` of ID tokens; it alone has `client_id`.
        func fits(_ typ: String?, _ claims: [String: JSONValue]) -> Bool {
            switch self {
            case .identity: typ == self.typ && claims["client_id"] == nil
            case .access:
                typ == self.typ
                    || typ == AccessTokenType.jwt.rawValue && claims["client_id"] != nil
            case .license, .logout, .userInfo: typ == self.typ
            }
        }
    }

    private struct Key {
        let record: SigningKeyRecord
        let signer: SoftwareSigner

        init(_ record: SigningKeyRecord) throws {
            self.record = record
            signer = try record.privateKey.use { bytes in
                switch record.algorithm {
                case .es256: try SoftwareSigner(p256: bytes)
                case .rs256: try SoftwareSigner(rsa: bytes)
                }
            }
        }
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

    /// Makes the first key of an algorithm. An algorithm that was used once has keys from then on.
    package func prepare(_ algorithm: IDTokenAlgorithm, at now: Instant) async throws {
        guard !keys.withLock({ $0.contains { $0.record.algorithm == algorithm } }) else { return }
        try await refresh(at: now, needing: [algorithm])
    }

    /// Reads the keys, creates the next ones when they are due, and removes expired ones.
    package func refresh(at now: Instant) async throws { try await refresh(at: now, needing: []) }

    private func refresh(at now: Instant, needing algorithms: Set<IDTokenAlgorithm>) async throws {
        let needed = algorithms.union([.es256])
        // Before the transaction, because an RSA key takes long.
        let due = try await store.read {
            Self.due(needed, beside: try $0.signingKeys.current(at: now), at: now)
        }
        let made = try Dictionary(uniqueKeysWithValues: due.map { ($0, try Self.newKey($0)) })
        let rotation = rotation
        let (records, read) = try await store.write { tables -> ([SigningKeyRecord], Int64) in
            _ = try tables.signingKeys.sweep(at: now)
            var current = try tables.signingKeys.current(at: now)
            for algorithm in Self.due(needed, beside: current, at: now) {
                guard let signer = made[algorithm] else { continue }
                let last = current.first { $0.algorithm == algorithm }
                let retiresAt = max(now, last?.retiresAt ?? now) + rotation
                let record = Self.record(algorithm, signer, from: now, until: retiresAt)
                try tables.signingKeys.insert(record)
                try tables.audit.append(
                    AuditEvent(
                        "signing-key.made", actor: "system",
                        detail: [
                            "kid": .string(record.id), "alg": .string(algorithm.rawValue),
                        ]), at: now)
                current.insert(record, at: 0)
            }
            return (current, try tables.changes.version(of: .signingKeys))
        }
        let opened = try records.map { try Key($0) }
        keys.withLock { $0 = opened }
        version.withLock { $0 = max($0, read) }
    }

    /// The algorithms whose newest key is about to retire, of those that are needed or in use.
    private static func due(
        _ needed: Set<IDTokenAlgorithm>, beside current: [SigningKeyRecord], at now: Instant
    ) -> [IDTokenAlgorithm] {
        IDTokenAlgorithm.allCases.filter { algorithm in
            guard let newest = current.first(where: { $0.algorithm == algorithm }) else {
                return needed.contains(algorithm)
            }
            return now + .seconds(announcedSeconds) >= newest.retiresAt
        }
    }

    private static func newKey(_ algorithm: IDTokenAlgorithm) throws -> SoftwareSigner {
        switch algorithm {
        case .es256: try .generate(.es256)
        case .rs256: try .generate(.rs256, rsaBits: rsaBits)
        }
    }

    private static func record(
        _ algorithm: IDTokenAlgorithm, _ signer: SoftwareSigner, from now: Instant,
        until retiresAt: Instant
    ) -> SigningKeyRecord {
        let publicKey: [UInt8]
        switch signer.publicKey.material {
        case .p256(let x, let y): publicKey = [4] + x + y
        case .rsa, .ed25519: publicKey = signer.publicKey.spki
        }
        return SigningKeyRecord(
            id: Base64URL.encode(SHA256.hash(data: publicKey).prefix(12)), algorithm: algorithm,
            privateKey: signer.privateBytes, publicKey: publicKey, createdAt: now,
            retiresAt: retiresAt, expiresAt: retiresAt + .seconds(2 * longestSeconds))
    }

    /// - Parameters:
    ///   - claims: The claims in addition to `iss` and `iat`.
    ///   - typ: The `typ` of the header; `nil` for the type's own.
    package func sign(
        _ claims: [String: JSONValue], as type: TokenType = .identity, typ: String? = nil,
        with algorithm: IDTokenAlgorithm = .es256, at now: Instant
    ) throws -> String {
        try signed(claims, typ ?? type.typ, algorithm, at: now).token
    }

    /// - Returns: The license, and the key that verifies it.
    package func signLicense(_ claims: [String: JSONValue], at now: Instant) throws -> (
        token: String, key: DevicePublicKey
    ) {
        try signed(claims, TokenType.license.typ, .es256, at: now)
    }

    private func signed(
        _ claims: [String: JSONValue], _ typ: String, _ algorithm: IDTokenAlgorithm, at now: Instant
    ) throws -> (token: String, key: DevicePublicKey) {
        // Use the oldest key whose period is not over.
        let key = keys.withLock { keys in
            let fitting = keys.filter { $0.record.algorithm == algorithm }
            return fitting.last { now < $0.record.retiresAt } ?? fitting.first
        }
        guard let key else {
            throw StoreError(.unreachable, "There is no signing key for \(algorithm.rawValue).")
        }
        var claims = claims
        claims["iss"] = .string(issuer())
        claims["iat"] = .number(Double(now.seconds))
        let header: JSONValue = [
            "alg": .string(algorithm.rawValue), "typ": .string(typ), "kid": .string(key.record.id),
        ]
        let body =
            "\(Base64URL.encode(JSONText.write(header).utf8)).\(Base64URL.encode(JSONText.write(.object(claims)).utf8))"
        let signature = try key.signer.sign(Array(body.utf8))
        return ("\(body).\(Base64URL.encode(signature))", key.signer.publicKey)
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
        guard let message = try? JWS.parse(compact: token),
            let key = keys.withLock({ keys in keys.first { $0.record.id == message.keyID } })?
                .signer.publicKey,
            let payload = (try? message.verify(with: key))?.payload,
            let claims = (try? JSONText.parse(payload))?.objectValue,
            type.fits(message.type, claims), claims["iss"]?.stringValue == issuer()
        else { return nil }
        return claims
    }

    /// The published keys as a JWK set: RFC 7517.
    package var keySet: JSONValue {
        let keys = keys.withLock { $0 }
        return [
            "keys": .array(
                keys.map { key in
                    .object(
                        (key.signer.publicKey.jwk.objectValue ?? [:]).merging([
                            "use": "sig", "alg": .string(key.record.algorithm.rawValue),
                            "kid": .string(key.record.id),
                        ]) { $1 })
                })
        ]
    }
}
