package import MienCore
package import MienStore

/// The sign-in that the token of a completed journey proves.
package struct JourneySignIn: Sendable {
    package let account: UserID
    /// The values of `amr`.
    package let methods: [String]
    package let at: Instant
    /// The account's epoch at the time of the proof.
    package let epoch: Int
    package let authenticators: [AuthenticatorID]
    package let isRecovery: Bool
    /// The organization that the journey chose.
    package let organization: OrganizationWish
    /// The claims that the journey added.
    package let claims: [String: JSONValue]
    /// Identifies the token, which counts once.
    package let tokenHash: [UInt8]
    package let expiresAt: Instant
}

extension GrantService {
    /// The maximum size of the claims that a journey adds to tokens, as JSON. Access tokens of more
    /// than 16 KiB are refused everywhere.
    static let maxJourneyClaimBytes = 8 * 1024

    /// Reads the token of a completed journey.
    ///
    /// - Returns: `nil` unless it is a valid token of this server for the app, of a journey that
    ///   signed a user in. A journey begun with a sign-in does not yield a second, longer one.
    package func journeySignIn(_ token: String, app: AppRecord) -> JourneySignIn? {
        guard let claims = issuer.claims(of: token, as: .identity, at: clock.now),
            claims["journey"] != nil, claims["sid"] == nil,
            claims["aud"]?.stringValue == app.id.text,
            let user = claims["sub"]?.stringValue.flatMap({ UserID($0) }),
            let id = claims["jti"]?.stringValue, let end = claims["exp"]?.numberValue,
            let at = claims["auth_time"]?.numberValue,
            let proof = claims["mien_proof"]?.stringValue.flatMap({
                JourneyTokenProof(sealed: $0, token: id, keys: store.keys)
            }), proof.isFor(app)
        else { return nil }
        let own = claims.filter { proof.claims.contains($0.key) }
        guard JSONText.write(.object(own)).utf8.count <= Self.maxJourneyClaimBytes else {
            return nil
        }
        return JourneySignIn(
            account: user,
            methods: claims["amr"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            at: Instant(seconds: Int64(at)), epoch: proof.epoch,
            authenticators: proof.authenticators, isRecovery: proof.isRecovery,
            organization: OrganizationWish(stored: proof.organization), claims: own,
            tokenHash: store.keys.hash(ofSecret: Array(id.utf8)),
            expiresAt: Instant(seconds: Int64(end)))
    }

    /// Whether it is a valid token of a journey that began with a sign-in of the app, which goes on.
    package func isOfEarlierSignIn(_ token: String, app: AppRecord) -> Bool {
        guard let claims = issuer.claims(of: token, as: .identity, at: clock.now) else {
            return false
        }
        return claims["journey"] != nil && claims["sid"] != nil
            && claims["aud"]?.stringValue == app.id.text
    }
}
