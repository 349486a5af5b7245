internal import HTTPTypes
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// Handles `grant_type=urn:authgear:params:oauth:grant-type:biometric-request`: a request signed by
/// a device's key, to register that key or to log in with it.
///
/// The challenge is used up before the signature is checked. Every refusal is `invalid_grant`.
package struct BiometricGrant: Sendable {
    static let name = "urn:authgear:params:oauth:grant-type:biometric-request"
    private static let type = "vnd.authgear.biometric-request"
    /// The longest lifetime of a request, and how far a device's clock may be off, in seconds.
    private static let lifetime = 60.0, tolerance = 300.0

    package let keys: DeviceKeyService
    let attestations: AttestationJudge
    let grants: GrantService
    let challenges: ChallengeService
    let devices: KnownDeviceService
    let changes: AuthenticatorChanges
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    /// Whether the setting `authentication.identities` includes it.
    let isEnabled: Bool

    /// The form has the parameter `jwt`, and `device_token` if its user has signed in on this
    /// device before. If that token is unknown, the response has a new one.
    ///
    /// - Parameters:
    ///   - caller: The signed-in user, for a setup.
    ///   - thumbprint: The thumbprint of the key that made the DPoP proof.
    /// - Returns: `nil` after a setup.
    func handle(
        _ form: FormBody, app: AppRecord, scope: String?, resources: [String], caller: Caller?,
        thumbprint: String?
    ) async throws -> TokenAnswer? {
        let jwt = try form.required("jwt"), deviceToken = form["device_token"]
        guard isEnabled, app.settings.biometric.isEnabled else {
            throw OAuthError(.unauthorizedClient, "Biometric login is not enabled for this app.")
        }
        let message: JWS
        do throws(JWSError) { message = try JWS.parse(compact: jwt) } catch {
            throw OAuthError(.invalidRequest, "jwt: \(error.reason)")
        }
        guard message.type == Self.type else {
            throw OAuthError(.invalidRequest, "jwt: “typ” must be \(Self.type)")
        }
        guard let keyID = message.keyID, DeviceKeyService.isKeyID(keyID) else {
            throw OAuthError(
                .invalidRequest,
                "jwt: “kid” must have 8 to 64 characters of A-Z, a-z, 0-9, “_”, and “-”")
        }
        guard let claims = (try? JSONText.parse(message.unverifiedPayload))?.objectValue else {
            throw OAuthError(.invalidRequest, "jwt: the payload is not a JSON object")
        }
        guard let action = claims["action"]?.stringValue,
            ["setup", "authenticate"].contains(action)
        else {
            throw OAuthError(.invalidRequest, "jwt: “action” must be setup or authenticate")
        }
        guard let challenge = claims["challenge"]?.stringValue else {
            throw OAuthError(.invalidRequest, "jwt: “challenge” must be the token of a challenge")
        }
        let unlock: DeviceKeyUnlock?
        switch claims["user_verification"] {
        case nil: unlock = nil
        case let word?:
            guard let known = word.stringValue.flatMap(DeviceKeyUnlock.init(rawValue:)) else {
                throw OAuthError(
                    .invalidRequest, "jwt: “user_verification” must be biometric or pin")
            }
            unlock = known
        }
        guard try await challenges.take(challenge, for: .biometric) else {
            throw Self.refused(
                "The challenge is unknown, used, or expired. Request a new one.")
        }
        try checkTimes(claims)
        if app.settings.biometric.mode == .strict { try checkAddressee(claims, app) }
        guard action == "authenticate" else {
            try await setUp(message, keyID, claims, challenge, app, caller)
            return nil
        }
        return try await authenticate(
            message, keyID, unlock, app, scope, resources, thumbprint, deviceToken,
            OrganizationWish(form["organization"]))
    }

    private func setUp(
        _ message: JWS, _ keyID: String, _ claims: [String: JSONValue], _ challenge: String,
        _ app: AppRecord, _ caller: Caller?
    ) async throws {
        guard let caller, caller.app == app.id else {
            throw OAuthError(
                .invalidGrant,
                "A setup requires the access token of a user who has signed in to this app.",
                status: .unauthorized)
        }
        let standing = try await changes.require(.add, by: caller)
        guard let key = message.key else {
            throw OAuthError(.invalidRequest, "jwt: a setup must include its public key as “jwk”")
        }
        let isSigned = try await keys.signatures.check(with: key, for: .signedIn(caller.account.id))
        { (try? message.verify(with: key)) != nil }
        guard isSigned else {
            throw Self.refused("The request is not signed with the key that it contains.")
        }
        guard let device = DeviceInfo(claims["device_info"]) else {
            throw OAuthError(
                .invalidRequest, "jwt: a setup must name the device's model in device_info")
        }
        let claim = AttestationJudge.Claim(key: key, challenge: challenge, user: caller.account.id)
        let attestation = try await proved(claims["attestation"], claim, app)
        let new = DeviceKeyService.NewKey(
            id: keyID, key: key, device: device.id, name: device.model, system: device.system,
            attestation: attestation,
            userVerification: device.userVerification)
        do {
            try await keys.register(
                new, of: caller.account.id, app: app, actor: "app", standing,
                sparing: caller.grant.id)
        } catch DeviceKeyService.Refusal
            .tooMany
        {
            throw OAuthError(
                .unauthorizedClient,
                "This user already has \(app.settings.biometric.maxKeys) keys, the maximum for this app. Remove one first."
            )
        } catch is DeviceKeyService.Refusal {
            throw Self.refused("The key cannot be registered under this ID.")
        }
    }

    private func proved(_ given: JSONValue?, _ claim: AttestationJudge.Claim, _ app: AppRecord)
        async throws -> ProvedAttestation?
    {
        guard app.settings.biometric.attestation != .none else { return nil }
        do {
            return try await attestations.judge(
                given.map { try DeviceAttestation($0) }, claim, app: app, actor: "app")
        } catch let error
            as MalformedAttestation
        {
            throw OAuthError(.invalidRequest, "jwt: “attestation” \(error.reason)")
        } catch let refusal as AttestationJudge.Refusal { throw Self.refused(refusal.reason) }
    }

    private func authenticate(
        _ message: JWS, _ keyID: String, _ unlock: DeviceKeyUnlock?, _ app: AppRecord,
        _ scope: String?, _ resources: [String], _ thumbprint: String?, _ deviceToken: String?,
        _ organization: OrganizationWish
    ) async throws -> TokenAnswer {
        guard message.key == nil else {
            throw OAuthError(.invalidRequest, "jwt: “jwk” is allowed only in a setup")
        }
        let (scope, resources) = try grants.checked(
            scope: scope, standard: .standard, resources: resources, app: app)
        guard scope.contains(Scope.offline), scope.contains(Scope.full) || !app.isFirstParty else {
            throw OAuthError(
                .invalidScope,
                "Biometric login requires the scopes \(Scope.offline) and \(Scope.full).")
        }
        let owner: DeviceKeyService.Owner
        let device =
            if let deviceToken { try await devices.find(deviceToken, app: app.id) } else {
                nil as KnownDevice?
            }
        switch try await keys.verify(
            keyID, app: app, device: device, unlock: unlock, actor: "app",
            { (try? message.verify(with: $0)) != nil })
        {
        case .owner(let found): owner = found
        case .locked:
            throw Self.refused("The key is temporarily locked. Keep it, and try again later.")
        case .refused: throw Self.refused("InvalidCredentials")
        }
        var answer = try await grants.tokens(
            for: SignIn(
                account: owner.account, app: app, methods: owner.methods, at: clock.now,
                scope: scope, epoch: owner.epoch,
                resources: resources, authenticator: owner.authenticator, thumbprint: thumbprint,
                organization: organization))
        if deviceToken != nil, device?.account != owner.account {
            answer.deviceToken = try await devices.make(
                owner.account, app.id, epoch: owner.epoch, methods: [.nativeBiometrics],
                at: clock.now)
        }
        return answer
    }

    private func checkTimes(_ claims: [String: JSONValue]) throws(OAuthError) {
        guard let issued = claims["iat"]?.numberValue, let end = claims["exp"]?.numberValue else {
            throw OAuthError(.invalidRequest, "jwt: “iat” and “exp” are required")
        }
        let now = Double(clock.now.milliseconds) / 1000
        guard issued <= now + Self.tolerance else {
            throw Self.refused("The request is dated in the future. Check the device's clock.")
        }
        guard now <= end + Self.tolerance, end - issued <= Self.lifetime else {
            throw Self.refused("The request has expired, or its lifetime exceeds 60 seconds.")
        }
    }

    private func checkAddressee(_ claims: [String: JSONValue], _ app: AppRecord) throws(OAuthError)
    {
        guard claims["aud"]?.stringValue == publicURL() else {
            throw Self.refused("“aud” must be \(publicURL())")
        }
        guard claims["client_id"]?.stringValue == app.id.text else {
            throw Self.refused("“client_id” in the JWT must match the client_id of the form")
        }
    }

    private static func refused(_ reason: String) -> OAuthError {
        OAuthError(.invalidGrant, reason)
    }
}
