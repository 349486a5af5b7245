internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// The OAuth routes: tokens, the sign-in page, and discovery.
package struct OAuthRoutes {
    let store: Store
    let clients: ClientAuthentication
    let grants: GrantService
    let authorization: AuthorizationService
    let pages: any SignInPages
    let biometrics: BiometricGrant
    let challenges: ChallengeService
    /// Requests of public apps that an address pushes. Nobody has authenticated.
    let starts: RateLimiter
    let clock: ServerClock
    let bodyBytes: Int
    let budget: BodyBudget
    /// Whether programs may register apps.
    let takesRegistrations: Bool
    let publicURL: @Sendable () -> String

    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let jwtType = "urn:ietf:params:oauth:token-type:jwt",
        accessType = "urn:ietf:params:oauth:token-type:access_token"

    package func add(to router: Router<MienRequestContext>) {
        router.get(".well-known/openid-configuration") { _, _ in JSONBody.response(discovery) }
        router.get(".well-known/oauth-authorization-server") { _, _ in JSONBody.response(discovery)
        }
        router.get("oauth2/authorize") { request, context in
            try await authorize(request.uri.query ?? "", request, context)
        }
        // OpenID Connect Core §3.1.2.1: the parameters may also come as a form.
        // The browser sends a form of another site without its cookies, and GET with them.
        router.post("oauth2/authorize") { request, _ in
            let share = budget.share()
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(request, upTo: 8192, share)
            guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                return pages.fault("The form is malformed.", to: request)
            }
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/oauth2/authorize?" + String(decoding: bytes, as: UTF8.self),
                    .cacheControl: "no-store",
                ])
        }
        // The page that posts an answer to an app. The browser may open it again, as it may repeat a
        // redirect; a code counts once.
        router.get("oauth2/answer/:answer") { request, context in
            let id = try context.parameters.require("answer")
            guard let answer = try await authorization.answer(id) else {
                return pages.fault(
                    "The answer has expired. Begin again in the app.", status: .notFound,
                    to: request)
            }
            return pages.post(answer, request)
        }
        let group = router.group("oauth2").add(middleware: OAuthErrorMiddleware())
        group.post("par") { request, context in try await push(request, context) }
        group.post("device_authorization") { request, context in
            try await beginDevice(request, context)
        }
        group.post("challenge") { request, _ in try await challenge(request) }
        group.post("token") { request, _ in try await token(request) }
        // A second path for the token route, for relying parties that were written for other
        // products.
        router.group("oidc").add(middleware: OAuthErrorMiddleware()).post("token") { request, _ in
            try await token(request)
        }
        group.post("revoke") { request, _ in
            let form = try await form(request), app = try await clients.app(of: request, form)
            try await grants.revoke(form.required("token"), app: app)
            return Response(status: .ok)
        }
        group.post("introspect") { request, _ in
            let form = try await form(request), app = try await clients.app(of: request, form)
            guard app.type == .confidential else {
                throw OAuthError(
                    .unauthorizedClient,
                    "A public app cannot prove its identity. Introspection requires a secret.")
            }
            return try await JSONBody.response(grants.introspect(form.required("token"), app: app))
        }
        for method in [HTTPRequest.Method.get, .post] {
            group.on("userinfo", method: method) { request, _ in try await userInfo(request) }
        }
    }

    private var grantTypes: [String] {
        [
            "authorization_code", "refresh_token", "client_credentials",
            AuthorizationService.deviceGrant, Self.exchange, BiometricGrant.name,
        ]
    }

    private func form(_ request: Request) async throws -> FormBody {
        try await FormBody(request, maxBytes: bodyBytes, budget: budget)
    }

    // MARK: Tokens

    private func challenge(_ request: Request) async throws -> Response {
        let value = try await JSONBody(maxBytes: 4096, budget: budget).parse(request)
        guard
            let purpose = value["purpose"]?.stringValue.flatMap({
                ChallengeService.Purpose(rawValue: $0)
            }),
            ChallengeService.Purpose.open.contains(purpose)
        else {
            throw OAuthError(
                .invalidRequest,
                "purpose must be biometric_request, anonymous_request, or app2app_request.")
        }
        let (token, expiresAt) = try await challenges.make(for: purpose)
        return JSONBody.response(["result": ["token": token, "expire_at": expiresAt.iso8601]])
    }

    private func token(_ request: Request) async throws -> Response {
        let form = try await form(request)
        // Refreshes are frequent, so they skip the query for versions.
        if form["grant_type"] == "refresh_token" {
            let answer = try await store.assuming { try await token(request, form) }
            if let answer { return answer }
        }
        return try await token(request, form)
    }

    private func token(_ request: Request, _ form: FormBody) async throws -> Response {
        let type = try form.required("grant_type"), app = try await clients.app(of: request, form)
        // The proof is used up here, so the request cannot run again after this.
        if !request.headers[values: .dpop].isEmpty { try await store.confirmAssumptions() }
        let isBiometric = type == BiometricGrant.name
        // A device key setup comes with an access token, and the proof covers it.
        let thumbprint = try await grants.proofs.thumbprint(
            of: request, token: isBiometric ? request.accessToken?.token : nil, app: app)
        let scope = form["scope"], resources = form.all("resource")
        if isBiometric {
            let caller =
                request.accessToken == nil ? nil : try await setUpCaller(request, thumbprint)
            let answer = try await biometrics.handle(
                form, app: app, scope: scope, resources: resources, caller: caller,
                thumbprint: thumbprint)
            return answer.map { JSONBody.response($0) }
                ?? Response(status: .ok, headers: [.cacheControl: "no-store"])
        }
        switch type {
        case "authorization_code":
            return JSONBody.response(
                try await authorization.redeem(form, app: app, thumbprint: thumbprint))
        case "refresh_token":
            return JSONBody.response(
                try await grants.refresh(
                    form.required("refresh_token"), repeatKey: form["repeat_key"], app: app,
                    scope: scope, resources: resources,
                    thumbprint: thumbprint))
        case "client_credentials":
            return JSONBody.response(
                try grants.clientTokens(
                    for: app, scope: scope, resources: resources, thumbprint: thumbprint))
        case AuthorizationService.deviceGrant:
            return JSONBody.response(
                try await authorization.redeemDevice(form, app: app, thumbprint: thumbprint))
        case Self.exchange:
            return JSONBody.response(try await exchange(form, app, scope, resources, thumbprint))
        default:
            throw OAuthError(
                .unsupportedGrantType,
                "grant_type must be \(grantTypes.dropLast().joined(separator: ", ")), or \(grantTypes.last!)."
            )
        }
    }

    /// Authenticates the user who sets up a device key.
    private func setUpCaller(_ request: Request, _ proof: String?) async throws -> Caller {
        do { return try await grants.caller(of: request, proof: proof) } catch let error
            as OAuthError
        {
            guard error.code != .insufficientUserAuthentication else { throw error }
            throw OAuthError(
                .invalidGrant, error.description, status: .unauthorized, scheme: error.scheme)
        }
    }

    /// Exchanges a journey's token, once, for lasting tokens (RFC 8693).
    private func exchange(
        _ form: FormBody, _ app: AppRecord, _ scope: String?, _ resources: [String],
        _ thumbprint: String?
    ) async throws -> TokenAnswer {
        guard try form.required("subject_token_type") == Self.jwtType else {
            throw OAuthError(
                .invalidRequest,
                "subject_token_type must be \(Self.jwtType): the token of a completed journey.")
        }
        let (scope, resources) = try grants.checked(
            scope: scope, standard: .standard, resources: resources, app: app)
        let token = try form.required("subject_token")
        guard let proof = grants.journeySignIn(token, app: app) else {
            guard grants.isOfEarlierSignIn(token, app: app) else { throw GrantService.refused }
            throw OAuthError(
                .invalidGrant,
                "The journey began with a sign-in, which goes on: keep its tokens. The token of this journey makes no second one."
            )
        }
        // What the journey chose cannot be replaced.
        let organization =
            proof.organization == .open
            ? OrganizationWish(form["organization"]) : proof.organization
        var answer = try await grants.tokens(
            for: SignIn(
                account: proof.account, app: app, methods: proof.methods, at: proof.at,
                scope: scope, epoch: proof.epoch, resources: resources,
                authenticators: proof.authenticators, isRecovery: proof.isRecovery,
                thumbprint: thumbprint, organization: organization,
                claims: GrantClaims(journey: proof.claims))
        ) { try $0.spent.spend(.exchange, proof.tokenHash, until: proof.expiresAt) }
        answer.issuedTokenType = Self.accessType
        return answer
    }

    private func userInfo(_ request: Request) async throws -> Response {
        let caller = try await grants.caller(
            of: request, needed: .scope(Scope.openID), bodyToken: tokenInBody(of: request))
        let (app, organization, groups) = try await store.read {
            tables -> (AppRecord?, OrganizationAccess?, GroupNames) in
            let app = try tables.apps.find(caller.app), user = caller.account.id
            let groups = try tables.groups.names(of: user)
            guard let app, let id = caller.grant.organization else { return (app, nil, groups) }
            // As the user has it today.
            return (app, try tables.access(of: user, in: app, through: id), groups)
        }
        let user = UserClaims(
            account: caller.account, settings: app?.settings.claims ?? ClaimSettings(),
            groups: groups, organization: organization)
        var claims = caller.grant.claims.journey.merging(
            user.claims(scope: caller.scope, names: caller.grant.claims.userInfo)
        ) { $1 }
        if let organization { claims.merge(organization.claims) { $1 } }
        if caller.account.isTest { claims["test_account"] = true }
        claims["sub"] = .string(caller.account.id.text)
        if let app, let algorithm = app.settings.userInfoAlgorithm {
            claims["aud"] = .string(app.id.text)
            let now = clock.now
            try await grants.issuer.prepare(algorithm, at: now)
            let token = try grants.issuer.sign(claims, as: .userInfo, with: algorithm, at: now)
            return Response(
                status: .ok,
                headers: [.contentType: "application/jwt", .cacheControl: "no-store"],
                body: .init(byteBuffer: .init(string: token)))
        }
        return JSONBody.response(JSONValue.object(claims))
    }

    /// Takes an access token from the form of a request that has none in its header: RFC 6750 §2.2.
    private func tokenInBody(of request: Request) async throws -> String? {
        guard request.method == .post, request.headers[.authorization] == nil,
            request.headers[.contentType]?.lowercased().hasPrefix(
                "application/x-www-form-urlencoded") == true
        else { return nil }
        return try await form(request)["access_token"]
    }

    // MARK: Authorization

    /// Checks an authorization request and hands it to the pages.
    ///
    /// - Parameter query: Its parameters, as an address has them.
    private func authorize(
        _ query: String, _ request: Request, _ context: MienRequestContext
    ) async throws -> Response {
        do {
            guard query.utf8.count <= 8192 else {
                throw AuthorizationService.Fault.page("The address is too long.")
            }
            let parameters = try await authorization.parameters(query)
            let wanted = try await authorization.request(parameters)
            return try await pages.signIn(wanted, parameters, request, context)
        } catch AuthorizationService.Fault.page(let words) {
            return pages.fault(words, to: request)
        } catch AuthorizationService.Fault.answer(let answer) {
            // Strangers can send such requests, so nothing is stored for them.
            if answer.mode == .formPost, answer.deniedDevice == nil {
                return pages.post(answer, request)
            }
            return Response(
                status: .seeOther,
                headers: [
                    .location: try await authorization.location(of: answer),
                    .cacheControl: "no-store",
                ])
        } catch let error as OAuthError {
            let page = pages.fault(error.description, status: error.status, to: request)
            error.note()
            return page
        }
    }

    private func push(_ request: Request, _ context: MienRequestContext) async throws -> Response {
        let form = try await FormBody(
            request, maxBytes: AuthorizationService.maxPushedBytes, budget: budget)
        let app = try await clients.app(of: request, form)
        if app.type == .public, try await starts.take(context.client.key, at: clock.now) != nil {
            throw OAuthError(
                .temporarilyUnavailable, "Too many requests. Try again in a moment.",
                status: .tooManyRequests)
        }
        let thumbprint = try await grants.proofs.thumbprint(of: request, app: app)
        let uri = try await authorization.push(form, app: app, thumbprint: thumbprint)
        let seconds = AuthorizationService.pushedLifetime.components.seconds
        return JSONBody.response(
            ["request_uri": .string(uri), "expires_in": .number(Double(seconds))] as JSONValue,
            status: .created)
    }

    private func beginDevice(_ request: Request, _ context: MienRequestContext) async throws
        -> Response
    {
        // As large as an address of the authorization endpoint.
        let form = try await FormBody(request, maxBytes: 8192, budget: budget)
        let app = try await clients.app(of: request, form)
        guard try await starts.take(context.client.key, at: clock.now) == nil else {
            throw OAuthError(
                .temporarilyUnavailable, "Too many requests. Try again in a moment.",
                status: .tooManyRequests)
        }
        let thumbprint = try await grants.proofs.thumbprint(of: request, app: app)
        return JSONBody.response(
            try await authorization.beginDevice(form, app: app, thumbprint: thumbprint))
    }

    // MARK: Discovery

    private var discovery: JSONValue {
        let base = publicURL()
        func list(_ words: [String]) -> JSONValue { .array(words.map { .string($0) }) }
        let methods = ClientAuthenticationMethod.allCases
        let clientMethods = list(methods.map(\.rawValue)),
            algorithms = list(DeviceKeyAlgorithm.allCases.map(\.rawValue))
        let registration: [String: JSONValue] =
            takesRegistrations
            ? ["registration_endpoint": .string(base + "/oauth2/register")] : [:]
        let members: [String: JSONValue] = [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/oauth2/authorize"),
            "token_endpoint": .string(base + "/oauth2/token"),
            "jwks_uri": .string(base + "/.well-known/jwks.json"),
            "userinfo_endpoint": .string(base + "/oauth2/userinfo"),
            "revocation_endpoint": .string(base + "/oauth2/revoke"),
            "introspection_endpoint": .string(base + "/oauth2/introspect"),
            "pushed_authorization_request_endpoint": .string(base + "/oauth2/par"),
            "device_authorization_endpoint": .string(base + "/oauth2/device_authorization"),
            "challenge_endpoint": .string(base + "/oauth2/challenge"),
            "end_session_endpoint": .string(base + "/oauth2/logout"),
            "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
            "frontchannel_logout_supported": true, "frontchannel_logout_session_supported": true,
            "response_types_supported": ["code"],
            "response_modes_supported": list(AuthorizationAnswer.Mode.allCases.map(\.rawValue)),
            "grant_types_supported": list(grantTypes),
            "scopes_supported": list(Scope.known), "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": list(
                IDTokenAlgorithm.allCases.map(\.rawValue)),
            "userinfo_signing_alg_values_supported": list(
                IDTokenAlgorithm.allCases.map(\.rawValue)),
            "code_challenge_methods_supported": ["S256"],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "acr_values_supported": ["1", "2"],
            "dpop_signing_alg_values_supported": algorithms,
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "token_endpoint_auth_methods_supported": clientMethods,
            "revocation_endpoint_auth_methods_supported": clientMethods,
            "introspection_endpoint_auth_methods_supported": list(
                methods.filter { $0 != .unauthenticated }.map(\.rawValue)),
            "claims_supported": list(
                [
                    "sub", "iss", "aud", "exp", "iat", "auth_time", "amr", "acr", "nonce", "sid",
                ] + UserClaims.standard + [
                    Scope.groups, "org_id", "org_name", "org_roles", "test_account",
                ]),
            "claims_parameter_supported": true,
            "authorization_response_iss_parameter_supported": true,
            "request_parameter_supported": true, "request_uri_parameter_supported": false,
            "request_object_signing_alg_values_supported": algorithms,
        ]
        return .object(members.merging(registration) { $1 })
    }
}
