internal import Crypto
internal import Foundation
internal import HTTPTypes
package import Hummingbird
package import MienAPI
package import MienCore
package import MienStore

/// Issues, refreshes, revokes, and inspects access, refresh, and ID tokens.
package struct GrantService: Sendable {
    let store: Store
    package let issuer: TokenIssuer
    package let proofs: ProofOfPossession
    let clock: ServerClock
    let metrics: Metrics
    let publicURL: @Sendable () -> String

    package init(
        store: Store, issuer: TokenIssuer, proofs: ProofOfPossession, clock: ServerClock,
        metrics: Metrics, publicURL: @escaping @Sendable () -> String
    ) {
        (self.store, self.issuer, self.proofs, self.clock, self.metrics) = (
            store, issuer, proofs, clock, metrics
        )
        self.publicURL = publicURL
    }

    // MARK: Issuing tokens

    /// Checks the requested scope and resources against the app's settings. Scope values that the
    /// server does not know are ignored; the answer says what was granted.
    ///
    /// - Throws: ``OAuthError`` `invalid_scope`, `invalid_target`.
    package func checked(scope: String?, standard: Scope, resources: [String], app: AppRecord)
        throws(OAuthError) -> (Scope, [String])
    {
        guard let asked = scope.map({ Scope.known(in: $0) }) ?? standard else {
            throw OAuthError.malformedScope
        }
        guard resources.allSatisfy(app.settings.resources.contains) else {
            throw OAuthError.unknownResource
        }
        return (Self.narrowed(asked, for: app), resources)
    }

    /// Removes full access for third-party apps. RFC 6749 §3.3 lets a server grant less than was
    /// requested.
    private static func narrowed(_ scope: Scope, for app: AppRecord) -> Scope {
        app.isFirstParty ? scope : Scope(words: scope.words.filter { $0 != Scope.full })
    }

    /// Issues tokens for a sign-in.
    ///
    /// - Parameters:
    ///   - id: The grant's ID, if it must be known beforehand.
    ///   - isGood: Evaluated in the transaction that creates the grant. If the grant is not created,
    ///     everything that this check wrote is undone, such as a code that it marked as used.
    package func tokens(
        for signIn: SignIn, id: GrantID? = nil,
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws -> TokenAnswer {
        let now = clock.now, settings = signIn.app.settings
        try await issuer.prepare(settings.idTokenAlgorithm, at: now)
        try OAuthError.requireProof(signIn.thumbprint, for: signIn.app)
        var generator = SystemRandomNumberGenerator()
        let lifetimes = Self.lifetimes(of: signIn, settings)
        let grantID = id ?? .random(using: &generator), nonce = generator.bytes(16)
        let epoch = signIn.epoch
        let made = try await store.write {
            tables -> (TokenGrantRecord, AccountRecord, OrganizationAccess?, GroupNames)? in
            guard try isGood(tables),
                let account = try tables.account(signIn.account, ofEpoch: epoch)
            else { return nil }
            let organization = try tables.organization(of: signIn)
            let grant = TokenGrantRecord(
                id: grantID, account: signIn.account, app: signIn.app.id,
                authenticator: signIn.authenticator, nonce: nonce, scope: signIn.scope,
                resources: signIn.resources, methods: signIn.methods,
                keyThumbprint: signIn.thumbprint, signedInAt: signIn.at,
                family: RefreshFamily(under: lifetimes, at: now),
                authenticators: signIn.authenticators,
                newestProof: SignInProof(
                    methods: signIn.methods, at: signIn.at, isRecovery: signIn.isRecovery),
                organization: organization?.id, browserMark: try tables.browserMark(of: signIn),
                claims: signIn.claims)
            guard
                try tables.insert(grant, epoch: epoch, "tokens.granted", actor: "app", at: now)
            else { return nil }
            return (grant, account, organization, try tables.groups.names(of: grant.account))
        }
        guard let (grant, active, organization, groups) = made else { throw Self.refused }
        metrics.count(.grants, ["result": "granted"])
        return try answer(
            grant, of: active, organization, groups, grant.scope, grant.resources, signIn.app,
            key: grant.keyThumbprint, nonce: signIn.nonce, at: now)
    }

    /// Issues tokens in an app's own name (RFC 6749 §4.4). Stores nothing.
    package func clientTokens(
        for app: AppRecord, scope: String?, resources: [String], thumbprint: String?
    )
        throws -> TokenAnswer
    {
        guard app.type == .confidential else {
            throw OAuthError(
                .unauthorizedClient, "Only confidential apps may use client_credentials.")
        }
        let allowed = Scope(words: app.settings.clientScopes)
        guard let asked = scope.map({ Scope.of(allowed.words, in: $0) }) ?? allowed else {
            throw OAuthError.malformedScope
        }
        guard !asked.words.isEmpty || scope?.contains(where: { $0 != " " }) != true else {
            throw OAuthError(.invalidScope, "scope names none of the app's client_scopes.")
        }
        guard resources.allSatisfy(app.settings.resources.contains) else {
            throw OAuthError.unknownResource
        }
        try OAuthError.requireProof(thumbprint, for: app)
        let now = clock.now
        var claims = accessClaims(
            app: app.id, subject: app.id.text, scope: asked, resources: resources,
            thumbprint: thumbprint)
        claims[Self.appMadeAt] = .number(Double(app.createdAt.milliseconds))
        return TokenAnswer(
            accessToken: try signed(claims, app.settings.tokens.accessSeconds, app, at: now),
            tokenType: thumbprint == nil ? "Bearer" : "DPoP",
            expiresIn: app.settings.tokens.accessSeconds, scope: asked.text)
    }

    /// The claim that tells the app of a token from a later one of the same ID. A token of a user
    /// needs none: its grant goes with the app.
    static let appMadeAt = "app_made_at"

    private func answer(
        _ grant: TokenGrantRecord, of account: AccountRecord, _ organization: OrganizationAccess?,
        _ groups: GroupNames, _ scope: Scope, _ resources: [String], _ app: AppRecord, key: String?,
        nonce: String? = nil, at now: Instant
    ) throws -> TokenAnswer {
        // The grant may date from when the app was a first-party app.
        let scope = Self.narrowed(scope, for: app), settings = app.settings
        let lifetimes =
            grant.scope.contains(Scope.offline) ? settings.tokens : settings.tokens.withoutRefresh
        let seconds = grant.family.accessSeconds(atMost: lifetimes.accessSeconds, at: now)
        let methods = JSONValue.array(grant.methods.map { .string($0) })
        var identity: [String: JSONValue] = [
            "sub": .string(grant.account.text),
            "auth_time": .number(Double(grant.signedInAt.seconds)), "amr": methods,
            "acr": .string(AuthenticationContext.of(grant.methods)), "sid": .string(grant.id.text),
        ]
        if let organization { identity.merge(organization.claims) { $1 } }
        if account.isTest { identity["test_account"] = true }
        let access = grant.claims.journey.merging(identity) { $1 }.merging(
            accessClaims(
                app: app.id, subject: grant.account.text, scope: scope, resources: resources,
                thumbprint: key)
        ) { $1 }
        let accessToken = try signed(access, seconds, app, at: now)
        var idToken: String?
        if scope.contains(Scope.openID) {
            let user = UserClaims(
                account: account, settings: settings.claims, groups: groups,
                organization: organization)
            var claims = grant.claims.journey.merging(
                user.claims(
                    scope: settings.claims.areInIDToken ? scope : Scope(words: []),
                    names: grant.claims.idToken)
            ) { $1 }.merging(identity) { $1 }
            claims["aud"] = .string(app.id.text)
            // OpenID Connect Core §3.1.3.6, for ES256 and RS256.
            claims["at_hash"] = .string(
                Base64URL.encode(SHA256.hash(data: Array(accessToken.utf8)).prefix(16)))
            if let nonce { claims["nonce"] = .string(nonce) }
            claims["exp"] = Self.end(seconds, at: now)
            idToken = try issuer.sign(claims, with: settings.idTokenAlgorithm, at: now)
        }
        return TokenAnswer(
            accessToken: accessToken, tokenType: key == nil ? "Bearer" : "DPoP",
            expiresIn: seconds,
            refreshToken: grant.scope.contains(Scope.offline) ? refreshToken(of: grant) : nil,
            idToken: idToken, scope: scope.text)
    }

    private func accessClaims(
        app: AppID, subject: String, scope: Scope, resources: [String], thumbprint: String?
    ) -> [String: JSONValue] {
        var generator = SystemRandomNumberGenerator()
        let audience = resources.isEmpty ? [publicURL()] : resources
        var claims: [String: JSONValue] = [
            "aud": audience.count == 1
                ? .string(audience[0]) : .array(audience.map { .string($0) }),
            "sub": .string(subject),
            "client_id": .string(app.text), "scope": .string(scope.text),
            "jti": .string(Base64URL.encode(generator.bytes(16))),
        ]
        if let thumbprint { claims["cnf"] = ["jkt": .string(thumbprint)] }
        return claims
    }

    /// Signs an access token of an app.
    private func signed(
        _ claims: [String: JSONValue], _ seconds: Int, _ app: AppRecord, at now: Instant
    ) throws -> String {
        var claims = claims
        claims["exp"] = Self.end(seconds, at: now)
        return try issuer.sign(
            claims, as: .access, typ: app.settings.accessTokenType.rawValue, at: now)
    }

    private static func end(_ seconds: Int, at now: Instant) -> JSONValue {
        .number(Double(now.seconds + Int64(seconds)))
    }

    // MARK: Refresh tokens

    /// Formats `<grant>.<generation and code>`. The token's generation can be read from it, so old
    /// tokens need not be stored.
    private func refreshToken(of grant: TokenGrantRecord) -> String {
        let generation = UInt32(grant.family.generation)
        let mark = (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * UInt32($0))) }
        let code = store.keys.refreshSecret(
            of: grant.id, nonce: grant.nonce, generation: grant.family.generation
        ).prefix(28)
        return "\(grant.id.text).\(Base64URL.encode(mark + code))"
    }

    private static func parsed(_ token: String) -> (id: GrantID, generation: Int, code: [UInt8])? {
        guard let (id, bytes) = BearerSecret.parse(token, GrantKind.self) else { return nil }
        return (
            id, Int(bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }),
            Array(bytes.dropFirst(4))
        )
    }

    /// Finds the grant of a genuine refresh token, and the token's generation.
    static func find(_ token: String, _ tables: Tables, _ keys: StoreKeys) throws -> (
        grant: TokenGrantRecord, generation: Int
    )? {
        guard let (id, generation, code) = parsed(token), let grant = try tables.grants.find(id),
            isSame(
                code,
                Array(
                    keys.refreshSecret(of: id, nonce: grant.nonce, generation: generation).prefix(
                        28)))
        else { return nil }
        return (grant, generation)
    }

    /// - Parameter repeatKey: A secret of 16 to 128 bytes, chosen by the client, with which it may
    ///   repeat the request if the answer is lost.
    /// - Throws: ``OAuthError``, with the same `invalid_grant` for every invalid token.
    package func refresh(
        _ token: String, repeatKey: String?, app: AppRecord, scope: String?, resources: [String],
        thumbprint: String?
    ) async throws -> TokenAnswer {
        let now = clock.now, keys = store.keys
        if let repeatKey, !(16...128).contains(repeatKey.utf8.count) {
            throw OAuthError(
                .invalidRequest, "repeat_key must be 16 to 128 bytes that nobody can guess.")
        }
        let mark = repeatKey.map { keys.hash(ofSecret: Array($0.utf8)) }
        try await issuer.prepare(app.settings.idTokenAlgorithm, at: now)
        let asked = try scope.map { text throws(OAuthError) in
            guard let scope = Scope.known(in: text) else {
                throw OAuthError.malformedScope
            }
            // Many clients repeat their original scope at each refresh, also what was ignored.
            return Self.narrowed(scope, for: app)
        }
        let rotated = try await store.write {
            tables -> (
                grant: TokenGrantRecord, account: AccountRecord, organization: OrganizationAccess?,
                groups: GroupNames
            )? in
            guard let found = try Self.find(token, tables, keys), found.grant.app == app.id else {
                return nil
            }
            var grant = found.grant
            // RFC 9449 §5: the app that authenticates may have changed its key.
            guard
                grant.keyThumbprint == nil || grant.keyThumbprint == thumbprint
                    || (app.type == .confidential && thumbprint != nil)
            else { return nil }
            let use = grant.family.use(
                found.generation, mark: mark, isRotated: Self.rotates(grant, of: app), at: now)
            switch use {
            case .refused: return nil
            case .reused:
                try tables.grants.update(grant)
                try tables.audit.append(
                    AuditEvent(
                        "tokens.reused", actor: "app", account: grant.account, app: grant.app,
                        detail: ["grant": .string(grant.id.text)]), at: now)
                return nil
            case .rotated, .repeated, .kept:
                guard let account = try tables.accounts.find(grant.account),
                    account.state == .active
                else { return nil }
                let organization = try grant.organization.flatMap {
                    try tables.access(of: grant.account, in: app, through: $0)
                }
                // The user left the organization, or the app now requires one.
                guard
                    organization?.id == grant.organization,
                    organization != nil || app.settings.organizations.use != .require
                else { return nil }
                // A client may request less, but never more: RFC 6749 §6. If this check fails, the
                // refresh token remains valid.
                guard asked.map({ $0.isSubset(of: grant.scope) }) ?? true else {
                    throw OAuthError(
                        .invalidScope,
                        "scope must be within the granted scope: \(grant.scope.text).")
                }
                guard resources.allSatisfy(grant.resources.contains) else {
                    throw OAuthError(
                        .invalidTarget, "resource must be one of the granted resources.")
                }
                if use != .repeated { try tables.grants.update(grant) }
                return (
                    grant, account, organization, try tables.groups.names(of: grant.account)
                )
            }
        }
        guard let (grant, account, organization, groups) = rotated else {
            metrics.count(.grants, ["result": "refused"])
            throw Self.refused
        }
        metrics.count(.grants, ["result": "refreshed"])
        return try answer(
            grant, of: account, organization, groups, asked ?? grant.scope,
            resources.isEmpty ? grant.resources : resources, app,
            key: grant.keyThumbprint == nil ? nil : thumbprint, at: now)
    }

    /// Whether each use of a refresh token replaces it. A confidential app's token that is bound to
    /// a key, or to the app's own key, is of no use to a thief, and a rotation whose answer is lost
    /// ends the sign-in: FAPI 2.0 Security Profile §5.3.2.1.
    private static func rotates(_ grant: TokenGrantRecord, of app: AppRecord) -> Bool {
        guard app.type == .confidential else { return true }
        return grant.keyThumbprint == nil
            && app.settings.authentication(of: app.type) != .privateKey
    }

    // MARK: Revocation

    /// Revokes a token (RFC 7009): a refresh token ends its grant, an access token ends only
    /// itself. An unknown token is not an error.
    package func revoke(_ token: String, app: AppRecord) async throws {
        let now = clock.now, keys = store.keys
        if let claims = issuer.claims(of: token, as: .access, at: now) {
            guard claims["client_id"]?.stringValue == app.id.text,
                let id = claims["jti"]?.stringValue, let end = claims["exp"]?.numberValue
            else {
                return
            }
            let hash = keys.hash(ofSecret: Array(id.utf8))
            _ = try await store.write {
                try $0.spent.spend(.access, hash, until: Instant(milliseconds: Int64(end) * 1000))
            }
            return
        }
        try await store.write { tables in
            guard var grant = try Self.find(token, tables, keys)?.grant, grant.app == app.id,
                grant.family.revoke(at: now)
            else { return }
            try tables.grants.update(grant)
            try tables.audit.append(
                AuditEvent(
                    "tokens.revoked", actor: "app", account: grant.account, app: grant.app,
                    detail: ["grant": .string(grant.id.text)]), at: now
            )
        }
    }

    /// Revokes a grant because its authorization code was used twice, which shows that the code was
    /// stolen (RFC 6749 §4.1.2).
    package func revoke(_ id: GrantID) async throws {
        let now = clock.now
        try await store.write { tables in
            guard var grant = try tables.grants.find(id), grant.family.revoke(at: now) else {
                return
            }
            try tables.grants.update(grant)
            try tables.audit.append(
                AuditEvent(
                    "tokens.reused", actor: "app", account: grant.account, app: grant.app,
                    detail: ["grant": .string(id.text)]), at: now)
        }
    }

    // MARK: Reauthentication

    /// Records that the user authenticated again in a journey that began with a sign-in.
    ///
    /// - Returns: `false` if the sign-in has ended, or the account changed since the proof.
    package func stepUp(
        _ id: GrantID, _ proof: SignInProof, with authenticators: [AuthenticatorID], epoch: Int
    ) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard var grant = try tables.grants.find(id), grant.family.revokedAt == nil,
                let standing = try tables.accounts.standing(of: grant.account),
                standing.state == .active, standing.epoch == epoch
            else { return false }
            let used = SignInStanding(
                account: grant.account, epoch: epoch, authenticators: authenticators)
            guard try used.areUsable(in: tables) else { return false }
            grant.stepUp(proof, with: authenticators)
            try tables.grants.updateProofs(of: grant)
            if grant.family.noteActivity(at: now) {
                try tables.grants.noteActivity(of: id, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "tokens.stepped_up", actor: "journey", account: grant.account, app: grant.app,
                    detail: [
                        "grant": .string(id.text),
                        "methods": .array(proof.methods.map { .string($0) }),
                    ]), at: now)
            return true
        }
    }

    // MARK: Inspecting tokens

    /// Returns a valid access token's claims, and its grant unless the token is in an app's own
    /// name.
    func live(
        _ token: String
    ) async throws -> (
        claims: [String: JSONValue], grant: TokenGrantRecord?, account: AccountRecord?,
        party: AppParty?
    )? {
        let now = clock.now
        guard let claims = issuer.claims(of: token, as: .access, at: now),
            let id = claims["jti"]?.stringValue
        else { return nil }
        let hash = store.keys.hash(ofSecret: Array(id.utf8)),
            grantID = claims["sid"]?.stringValue.flatMap { GrantID($0) }
        return try await store.read { tables in
            guard try !tables.spent.contains(.access, hash) else { return nil }
            guard let grantID else {
                // A token in the app's own name ends with the app, and is none of a later app's.
                guard let id = claims["client_id"]?.stringValue.flatMap({ AppID($0) }),
                    let app = try tables.apps.find(id),
                    claims[Self.appMadeAt] == .number(Double(app.createdAt.milliseconds))
                else { return nil }
                return (claims, nil, nil, nil)
            }
            guard let grant = try tables.grants.find(grantID),
                grant.family.status(at: now) == .live,
                let account = try tables.accounts.find(grant.account), account.state == .active
            else { return nil }
            let party = try grant.app.flatMap { try tables.apps.party(of: $0) }
            return (claims, grant, account, party)
        }
    }

    /// Records that a sign-in is in use, so that it does not end as idle.
    func noteActivity(of grant: TokenGrantRecord) async throws {
        let now = clock.now
        var family = grant.family
        guard family.noteActivity(at: now) else { return }
        try await store.write { try $0.grants.noteActivity(of: grant.id, at: now) }
    }

    /// Finds a genuine refresh token that can be used, and its grant.
    func usable(refreshToken token: String) async throws -> TokenGrantRecord? {
        let now = clock.now, keys = store.keys
        let found = try await store.read { tables in try Self.find(token, tables, keys) }
        guard let (grant, generation) = found, grant.family.status(at: now) == .live,
            generation == grant.family.generation
        else { return nil }
        return grant
    }

    static func audience(_ claims: [String: JSONValue]) -> [String] {
        switch claims["aud"] {
        case .string(let one): [one]
        case .array(let many): many.compactMap(\.stringValue)
        default: []
        }
    }

    /// Authenticates the sender of a request by `Authorization: Bearer`, or by `DPoP` with a proof,
    /// and records that the sign-in is in use.
    ///
    /// - Parameters:
    ///   - needed: The permission that the request needs.
    ///   - proof: The key of the request's proof of possession, if it was already verified: a proof
    ///     is valid only once.
    ///   - bodyToken: The access token of the body, if the header has none.
    /// - Throws: ``OAuthError`` `invalid_token`, `insufficient_scope`, `invalid_dpop_proof`.
    package func caller(
        of request: Request, needed: Need = .fullAccess, proof: String? = nil,
        bodyToken: String? = nil
    ) async throws -> Caller {
        if let page = PageSignIn.current { return try await caller(of: page, needed: needed) }
        let inBody = bodyToken.map { (scheme: "Bearer", token: $0) }
        guard let (scheme, token) = request.accessToken ?? inBody else {
            throw OAuthError.missingToken
        }
        guard let (claims, grant, account, party) = try await live(token) else {
            throw OAuthError(
                .invalidToken, "The access token is invalid, expired, or revoked.",
                scheme: scheme)
        }
        try requireOwnAudience(of: claims, scheme)
        guard let grant, let account, let app = grant.app else {
            throw OAuthError(
                .invalidToken, "The access token is an app's own, and no user's.", scheme: scheme)
        }
        // A confidential app may have refreshed with another key since the sign-in.
        if let bound = claims["cnf"]?["jkt"]?.stringValue {
            let key: String?
            do {
                key =
                    if let proof { proof } else {
                        try await proofs.thumbprint(of: request, token: token)
                    }
            } catch let error as OAuthError {
                // RFC 9449 §7.1.
                throw OAuthError(
                    error.code, error.description, status: .unauthorized, scheme: "DPoP")
            }
            guard scheme == "DPoP", key == bound else {
                throw OAuthError(
                    .invalidToken,
                    "This token is bound to a key. Send authorization: DPoP with a proof by that key.",
                    scheme: "DPoP")
            }
        } else if scheme == "DPoP" {
            throw OAuthError(
                .invalidToken, "This token is not bound to a key. Send authorization: Bearer.",
                scheme: "Bearer")
        }
        try await noteActivity(of: grant)
        let scope = claims["scope"]?.stringValue.flatMap { Scope($0) } ?? Scope(words: [])
        switch needed {
        case .scope(let word): try Self.check(scope, contains: word, scheme)
        // Disregard full access that was granted before the app became a third-party app.
        case .fullAccess:
            try Self.check(party == .first ? scope : Scope(words: []), contains: Scope.full, scheme)
        case .signIn:
            try Self.check(scope, contains: party == .first ? Scope.full : Scope.openID, scheme)
        }
        RequestFacts.note(app: app)
        return Caller(account: account, app: app, grant: grant, scope: scope)
    }

    /// The permission that a request needs.
    package enum Need: Sendable {
        case scope(String)
        /// Permission to act as the user on this server: first-party apps only.
        case fullAccess
        /// Permission to begin a journey as the user. Steps that change authenticators require
        /// more.
        case signIn
    }

    static func check(_ scope: Scope, contains word: String, _ scheme: String)
        throws(OAuthError)
    {
        guard scope.contains(word) else {
            throw OAuthError(
                .insufficientScope,
                "The access token lacks the scope \(word). Only first-party apps get full-access.",
                scheme: scheme)
        }
    }

    package static let refused = OAuthError(
        .invalidGrant, "The token is invalid or has expired. Sign in again.")
}

extension Tables {
    /// The organization through which a user gets tokens.
    ///
    /// - Throws: ``OAuthError`` `access_denied`, or `invalid_request` if the request has to say
    ///   which one.
    fileprivate func organization(of signIn: SignIn) throws -> OrganizationAccess? {
        switch try chooseOrganization(of: signIn.account, in: signIn.app, signIn.organization) {
        case .chosen(let access): return access
        case .none: return nil
        case .several:
            throw OAuthError(
                .invalidRequest,
                "The user belongs to several organizations. Send organization with the ID of one.")
        case .refused(.noOrganization):
            throw OAuthError(
                .accessDenied, "The user belongs to no organization that may use this app.")
        case .refused(.notMember):
            throw OAuthError(
                .accessDenied,
                "The user may not sign in to this app through the organization that was asked for.")
        }
    }
}
