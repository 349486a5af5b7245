internal import HTTPTypes
internal import MienAccess
internal import MienCore
internal import MienKeys
internal import MienStore

/// `grant_type=urn:authgear:params:oauth:grant-type:biometric-request`: a request that a device's
/// key signed, to be registered or to log in.
///
/// The challenge is used up before the signature is looked at. Every refusal is `invalid_grant`.
struct BiometricGrant: Sendable {
    static let name = "urn:authgear:params:oauth:grant-type:biometric-request"
    private static let type = "vnd.authgear.biometric-request"
    /// A request's own life, and how far a device's clock may be off.
    private static let lifetime = 60.0, tolerance = 300.0

    let keys: DeviceKeyService
    let attestations: AttestationJudge
    let grants: GrantService
    let challenges: ChallengeService
    let devices: KnownDeviceService
    let changes: AuthenticatorChanges
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    /// `authentication.identities` of the configuration names it.
    let isEnabled: Bool

    enum Outcome: Sendable {
        case registered
        case signedIn(TokenAnswer)
    }

    /// - Parameters:
    ///   - caller: who is signed in, for a set-up.
    ///   - thumbprint: of the key that a DPoP proof came from.
    ///   - deviceToken: of a device that its user has signed in on before. If it is sent and not
    ///     known, the answer has a new one.
    func handle(
        _ jwt: String, app: AppRecord, scope: String?, resources: [String], caller: Caller?,
        thumbprint: String?, deviceToken: String?
    ) async throws -> Outcome {
        guard isEnabled, app.settings.biometric.isEnabled else {
            throw OAuthError(.unauthorizedClient, "biometric login is not enabled for this app")
        }
        let message: JWS
        do throws(JWSError) { message = try JWS.parse(compact: jwt) } catch {
            throw OAuthError(.invalidRequest, "jwt: \(error.reason)")
        }
        guard message.type == Self.type else {
            throw OAuthError(.invalidRequest, "jwt: “typ” is \(Self.type)")
        }
        guard let keyID = message.keyID, DeviceKeyService.isKeyID(keyID) else {
            throw OAuthError(
                .invalidRequest, "jwt: “kid” has 8 to 64 of A-Z, a-z, 0-9, “_” and “-”")
        }
        guard let claims = (try? JSONText.parse(message.unverifiedPayload))?.objectValue else {
            throw OAuthError(.invalidRequest, "jwt: the payload is no JSON object")
        }
        guard let action = claims["action"]?.stringValue,
            ["setup", "authenticate"].contains(action)
        else {
            throw OAuthError(.invalidRequest, "jwt: “action” is setup or authenticate")
        }
        guard let challenge = claims["challenge"]?.stringValue else {
            throw OAuthError(.invalidRequest, "jwt: “challenge” is a challenge's token")
        }
        guard try await challenges.take(challenge, for: .biometric) else {
            throw Self.refused(
                "the challenge is not one of ours, was used or has expired: ask for a new one")
        }
        try checkTimes(claims)
        if app.settings.biometric.mode == .strict { try checkAddressee(claims, app) }
        return action == "setup"
            ? try await setUp(message, keyID, claims, challenge, app, caller)
            : try await authenticate(message, keyID, app, scope, resources, thumbprint, deviceToken)
    }

    private func setUp(
        _ message: JWS, _ keyID: String, _ claims: [String: JSONValue], _ challenge: String,
        _ app: AppRecord, _ caller: Caller?
    ) async throws -> Outcome {
        guard let caller, caller.app == app.id else {
            throw OAuthError(
                .invalidGrant,
                "a set-up needs the access token of a user who has signed in to this app",
                status: .unauthorized)
        }
        let standing = try await changes.require(.add, by: caller)
        guard let key = message.key else {
            throw OAuthError(.invalidRequest, "jwt: a set-up brings its public key as “jwk”")
        }
        let isSigned = try await keys.signatures.check(with: key, for: .signedIn(caller.account.id))
        { (try? message.verify(with: key)) != nil }
        guard isSigned else {
            throw Self.refused("the request is not signed with the key that it brings")
        }
        guard let device = DeviceInfo(claims["device_info"]) else {
            throw OAuthError(
                .invalidRequest, "jwt: a set-up tells the device's model in device_info")
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
                "this user has \(app.settings.biometric.maxKeys) keys, as many as the app allows: remove one first"
            )
        } catch is DeviceKeyService.Refusal {
            throw Self.refused("the key cannot be registered under this id")
        }
        return .registered
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
        _ message: JWS, _ keyID: String, _ app: AppRecord, _ scope: String?, _ resources: [String],
        _ thumbprint: String?,
        _ deviceToken: String?
    ) async throws -> Outcome {
        guard message.key == nil else {
            throw OAuthError(.invalidRequest, "jwt: “jwk” is for a set-up only")
        }
        let (scope, resources) = try grants.checked(
            scope: scope, standard: .standard, resources: resources, app: app)
        guard scope.contains(Scope.offline), scope.contains(Scope.full) || !app.isFirstParty else {
            throw OAuthError(
                .invalidScope, "biometric login needs \(Scope.offline) and \(Scope.full)")
        }
        let owner: DeviceKeyService.Owner
        let device =
            if let deviceToken { try await devices.find(deviceToken, app: app.id) } else {
                nil as KnownDevice?
            }
        switch try await keys.verify(
            keyID, app: app, device: device, actor: "app",
            { (try? message.verify(with: $0)) != nil })
        {
        case .owner(let found): owner = found
        case .locked: throw Self.refused("the key is locked for now: keep it, and try again later")
        case .refused: throw Self.refused("InvalidCredentials")
        }
        var answer = try await grants.tokens(
            for: SignIn(
                account: owner.account, app: app, methods: owner.methods, at: clock.now,
                scope: scope, epoch: owner.epoch,
                resources: resources, authenticator: owner.authenticator, thumbprint: thumbprint))
        if deviceToken != nil, device?.account != owner.account {
            answer.deviceToken = try await devices.make(
                owner.account, app.id, epoch: owner.epoch, methods: [.nativeBiometrics],
                at: clock.now)
        }
        return .signedIn(answer)
    }

    private func checkTimes(_ claims: [String: JSONValue]) throws(OAuthError) {
        guard let issued = claims["iat"]?.numberValue, let end = claims["exp"]?.numberValue else {
            throw OAuthError(.invalidRequest, "jwt: “iat” and “exp” are needed")
        }
        let now = Double(clock.now.milliseconds) / 1000
        guard issued <= now + Self.tolerance else {
            throw Self.refused("the request comes from the future: the device's clock is wrong")
        }
        guard now <= end + Self.tolerance, end - issued <= Self.lifetime else {
            throw Self.refused("the request has expired, or lives for more than 60 s")
        }
    }

    private func checkAddressee(_ claims: [String: JSONValue], _ app: AppRecord) throws(OAuthError)
    {
        guard claims["aud"]?.stringValue == publicURL() else {
            throw Self.refused("“aud” is \(publicURL())")
        }
        guard claims["client_id"]?.stringValue == app.id.text else {
            throw Self.refused("“client_id” in the request is that of the form")
        }
    }

    private static func refused(_ reason: String) -> OAuthError {
        OAuthError(.invalidGrant, reason)
    }
}
