internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienStore

/// Sign-ins on devices without a browser: RFC 8628. The device shows a code, a person types it at
/// `/device` in a browser, signs in to the app there, and the device gets tokens.
extension AuthorizationService {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    /// How long a code that has expired is told from one that never was.
    private static let remembered = Duration.seconds(600)

    /// Begins a sign-in on a device.
    ///
    /// - Parameter thumbprint: The key of the request's proof, to which the tokens are bound.
    /// - Returns: The answer of RFC 8628 §3.2.
    func beginDevice(_ form: FormBody, app: AppRecord, thumbprint: String?) async throws
        -> JSONValue
    {
        try Self.requireDevices(app)
        let (scope, resources) = try grants.checked(
            scope: form["scope"], standard: Scope(words: [Scope.openID]),
            resources: form.all("resource"), app: app)
        let named = form["dpop_jkt"]
        guard thumbprint == nil || named == nil || thumbprint == named,
            named.map({ Base64URL.decode($0)?.count == 32 }) ?? true
        else {
            throw OAuthError(
                .invalidProof,
                "dpop_jkt must be the thumbprint of a key, and that of the DPoP proof if there is one."
            )
        }
        let levels = (form["acr_values"] ?? "").split(separator: " ").map(String.init)
        guard levels.count <= 16 else {
            throw OAuthError(.invalidRequest, "acr_values must have at most 16 values.")
        }
        let maxAge = form["max_age"].map { Int($0) ?? -1 }
        guard maxAge.map({ $0 >= 0 }) ?? true else {
            throw OAuthError(.invalidRequest, "max_age must be a number of seconds.")
        }
        var generator = SystemRandomNumberGenerator()
        let code = generator.bytes(32), hash = store.keys.hash(ofSecret: code), now = clock.now
        let end = now + DeviceAuthorization.lifetime
        let device = DeviceAuthorization(
            app: app.id, scope: scope.text, resources: resources,
            acrValues: levels,
            maxAge: maxAge, thumbprint: thumbprint ?? named, userCode: .random(using: &generator),
            expiresAt: end)
        let record = WebRecord(
            .device, hash, app: app.id, content: try Self.content(device),
            expiresAt: end + Self.remembered)
        let pointer = WebRecord(
            .deviceCode, userCodeHash(device.userCode), app: app.id, content: Sensitive(hash),
            expiresAt: end)
        try await store.write(.process) { tables in
            try tables.web.put(record)
            try tables.web.put(pointer)
        }
        let page = publicURL() + "/device"
        return [
            "device_code": .string(Base64URL.encode(code)),
            "user_code": .string(device.userCode.shown), "verification_uri": .string(page),
            "verification_uri_complete": .string(page + "?user_code=" + device.userCode.shown),
            "expires_in": .number(Double(DeviceAuthorization.lifetime.components.seconds)),
            "interval": .number(Double(DeviceAuthorization.interval)),
        ]
    }

    private static func requireDevices(_ app: AppRecord) throws(OAuthError) {
        guard app.settings.allowsDevices, app.settings.hasSignInPage else {
            throw OAuthError(
                .unauthorizedClient,
                "This app does not sign in on devices without a browser. Its settings device_authorization and sign_in_page must be on."
            )
        }
    }

    // MARK: The person

    /// Finds the sign-in of a code that a person typed.
    ///
    /// - Returns: The parameters with which the sign-in page goes on; `nil` if no sign-in that waits
    ///   has this code.
    package func device(typed: String) async throws -> AuthorizationParameters? {
        guard let code = DeviceUserCode(typed: typed) else { return nil }
        let pointer = userCodeHash(code), now = clock.now
        let found = try await store.read { tables -> [UInt8]? in
            try tables.web.find(.deviceCode, pointer, at: now)?.content.use { $0 }
        }
        guard let hash = found, let (device, _) = try await device(hash), device.isOpen(at: now)
        else { return nil }
        var parameters = AuthorizationParameters(text: "user_code=\(code.text)")
        parameters.device = hash
        return parameters
    }

    /// The request of a sign-in on a device, as an app would have sent it in a browser.
    ///
    /// - Throws: ``Fault``.
    func request(ofDevice hash: [UInt8]) async throws -> Request {
        guard let (device, _) = try await device(hash), device.isOpen(at: clock.now),
            let app = try? await apps.find(device.app), let scope = Scope(device.scope)
        else { throw Fault.page("The code has expired, or was used. Begin again on the device.") }
        do throws(OAuthError) { try Self.requireDevices(app) } catch {
            throw Fault.page(error.description)
        }
        return Request(
            app: app, redirectURI: publicURL() + "/device", scope: scope,
            resources: device.resources, state: nil, mode: .query, pushed: nil, device: hash,
            nonce: nil, claims: .empty, challenge: nil, thumbprint: device.thumbprint,
            loginHint: nil, expectedAccount: nil, prompts: [], maxAge: device.maxAge,
            acrValues: device.acrValues, languages: [], organization: .open)
    }

    /// The code that the person typed, as the device shows it.
    package func userCode(of parameters: AuthorizationParameters) async throws -> String? {
        guard let hash = parameters.device else { return nil }
        return try await device(hash)?.device.userCode.shown
    }

    /// Approves a sign-in on a device, for the person who has signed in to its app.
    func approve(
        _ hash: [UInt8], for proof: PageProof, through organization: OrganizationID?
    ) async throws -> AuthorizationAnswer {
        let isFirst = try await decide(
            .approved(.init(proof: proof, organization: organization?.text ?? "")), hash,
            by: proof.account)
        return Self.deviceAnswer(isFirst ? "approved" : "expired")
    }

    /// Denies a sign-in on a device.
    package func deny(_ hash: [UInt8]) async throws -> AuthorizationAnswer {
        Self.deviceAnswer(try await decide(.denied, hash, by: nil) ? "denied" : "expired")
    }

    /// Where the browser goes after the decision.
    private static func deviceAnswer(_ result: String) -> AuthorizationAnswer {
        AuthorizationAnswer(
            address: "/device", mode: .query, parameters: [.init(name: "result", value: result)])
    }

    private func decide(
        _ decision: DeviceAuthorization.State, _ hash: [UInt8], by account: UserID?
    ) async throws -> Bool {
        for _ in 0..<Self.maxTries {
            guard let (found, record) = try await device(hash) else { return false }
            var device = found
            guard device.decide(decision, at: clock.now) else { return false }
            let changed = try Self.changed(record, to: device, account: account)
            let pointer = userCodeHash(device.userCode), app = device.app, now = clock.now
            let scope = device.scope
            let isWritten = try await store.write { tables in
                guard try tables.web.update(changed, from: record.revision) else { return false }
                // The code has done its work.
                try tables.web.delete(.deviceCode, pointer)
                try tables.audit.append(
                    AuditEvent(
                        decision == .denied ? "device.denied" : "device.approved",
                        actor: account == nil ? "browser" : "user", account: account, app: app,
                        detail: ["scope": .string(scope)]), at: now)
                return true
            }
            if isWritten { return true }
        }
        return false
    }

    // MARK: The device

    /// Answers a device that asks whether the person has decided.
    ///
    /// - Throws: ``OAuthError`` `authorization_pending`, `slow_down`, `access_denied`,
    ///   `expired_token`; `invalid_grant` for an unknown or used code, or one of another app.
    func redeemDevice(_ form: FormBody, app: AppRecord, thumbprint: String?) async throws
        -> TokenAnswer
    {
        try Self.requireDevices(app)
        guard let code = Base64URL.decode(try form.required("device_code")), code.count == 32 else {
            throw GrantService.refused
        }
        let hash = store.keys.hash(ofSecret: code)
        for _ in 0..<Self.maxTries {
            guard let (found, record) = try await device(hash), found.app == app.id,
                found.thumbprint == nil || found.thumbprint == thumbprint
            else { throw GrantService.refused }
            var device = found
            let answer = device.ask(at: clock.now)
            if device != found {
                let changed = try Self.changed(record, to: device, account: nil)
                // The person has decided, or the device asked twice at once.
                guard
                    try await store.write(
                        .process, { try $0.web.update(changed, from: record.revision) })
                else { continue }
            }
            switch answer {
            case .waiting:
                throw OAuthError(.authorizationPending, "The person has not decided yet.")
            case .tooSoon:
                throw OAuthError(
                    .slowDown, "Ask every \(device.interval) seconds from now on.")
            case .denied: throw OAuthError(.accessDenied, "The person did not allow it.")
            case .expired:
                throw OAuthError(.expiredToken, "The code has expired. Begin again.")
            case .approved(let approval):
                return try await tokens(approval, device, hash, app, thumbprint)
            }
        }
        throw OAuthError(.slowDown, "The device asks several times at once.")
    }

    private func tokens(
        _ approval: DeviceAuthorization.Approval, _ device: DeviceAuthorization, _ hash: [UInt8],
        _ app: AppRecord, _ thumbprint: String?
    ) async throws -> TokenAnswer {
        guard let scope = Scope(device.scope) else { throw GrantService.refused }
        let proof = approval.proof, now = clock.now
        let claims = GrantClaims(userInfo: [], idToken: [], journey: proof.claims)
        return try await grants.tokens(
            for: SignIn(
                account: proof.account, app: app, methods: proof.methods, at: proof.at,
                scope: scope, epoch: proof.epoch, resources: device.resources,
                authenticator: proof.passkey, authenticators: proof.authenticators,
                isRecovery: proof.isRecovery, thumbprint: thumbprint,
                organization: OrganizationWish(stored: approval.organization), claims: claims)
        ) { tables in
            guard try tables.web.take(.device, hash, at: now) != nil else { return false }
            return try Self.isPermitted(scope, claims, by: proof.account, for: app, in: tables)
        }
    }

    // MARK: Records

    /// How often a change is tried that others come before.
    private static let maxTries = 4

    private func userCodeHash(_ code: DeviceUserCode) -> [UInt8] {
        store.keys.hash(ofSecret: Array("device \(code.text)".utf8))
    }

    private func device(_ hash: [UInt8]) async throws -> (
        device: DeviceAuthorization, record: WebRecord
    )? {
        let now = clock.now
        guard let record = try await store.read({ try $0.web.find(.device, hash, at: now) }) else {
            return nil
        }
        return try record.content.use {
            (try JSONDecoder().decode(DeviceAuthorization.self, from: Data($0)), record)
        }
    }

    private static func content(_ device: DeviceAuthorization) throws -> Sensitive<[UInt8]> {
        Sensitive([UInt8](try JSONEncoder().encode(device)))
    }

    /// - Parameter account: The person who has decided; the record goes with the account.
    private static func changed(
        _ record: WebRecord, to device: DeviceAuthorization, account: UserID?
    ) throws -> WebRecord {
        WebRecord(
            .device, record.hash, account: account ?? record.account, app: record.app,
            content: try content(device), expiresAt: record.expiresAt)
    }
}
