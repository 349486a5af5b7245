package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The WebAuthn routes for browsers: registration for signed-in users, sign-in, and management of
/// one's own passkeys.
package struct PasskeyRoutes {
    let apps: AppCatalog
    let grants: GrantService
    let passkeys: PasskeyService
    let changes: AuthenticatorChanges
    let devices: KnownDeviceService
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("webauthn/register/options") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.add, by: caller, reach: .account)
            let attestation =
                try await body.read(
                    RegistrationOptionsRequest.self, RegistrationOptionsRequest.CodingKeys.self,
                    from: request
                ).attestation ?? "none"
            guard ["none", "direct"].contains(attestation) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "attestation", message: "must be none or direct")])
            }
            return JSONBody.response(
                try await passkeys.registrationOptions(for: caller, attestation: attestation))
        }
        router.post("webauthn/register") { request, _ in
            let caller = try await grants.caller(of: request)
            let standing = try await changes.require(.add, by: caller, reach: .account)
            let members = try await members(of: request, ["credential", "name"])
            let name = try members["name"].map { value in try Self.name(value.stringValue ?? "") }
            let credential = try BrowserCredential(members["credential"])
            return JSONBody.response(
                try await passkeys.register(credential, name: name, for: caller, standing))
        }
        router.post("webauthn/login/options") { request, _ in
            let wanted = try await body.read(
                SignInOptionsRequest.self, SignInOptionsRequest.CodingKeys.self, from: request)
            let app = try await apps.authenticated(id: wanted.clientID, secret: wanted.clientSecret)
            return JSONBody.response(
                try await EvenPace.keep {
                    try await passkeys.signInOptions(for: app, identifier: wanted.username)
                })
        }
        router.post("webauthn/login") { request, _ in JSONBody.response(try await signIn(request)) }
        addOwn(to: router)
    }

    private func addOwn(to router: RouterGroup<MienRequestContext>) {
        router.get("me/passkeys") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(Page(items: passkeys.list(of: caller.account)))
        }
        router.patch("me/passkeys/:passkey") { request, context in
            let caller = try await grants.caller(of: request),
                id = try context.parameters.require("passkey")
            let name = try Self.name(
                try await body.read(
                    KeyNameRequest.self, KeyNameRequest.CodingKeys.self, from: request
                ).name)
            guard try await passkeys.rename(id, to: name, of: caller.account) else {
                throw Self.notFound
            }
            return Response(status: .noContent)
        }
        router.delete("me/passkeys/:passkey") { request, context in
            let caller = try await grants.caller(of: request),
                id = try context.parameters.require("passkey")
            try await changes.require(.remove, by: caller)
            guard try await passkeys.delete(id, of: caller.account, app: caller.app) else {
                throw Self.notFound
            }
            return Response(status: .noContent)
        }
    }

    private func signIn(_ request: Request) async throws -> TokenAnswer {
        let members = try await members(
            of: request,
            [
                "credential", "client_id", "client_secret", "scope", "resource", "device_token",
                "organization",
            ])
        func text(_ name: String) throws -> String? {
            guard let value = members[name] else { return nil }
            guard let text = value.stringValue else {
                throw Problem(
                    .invalidRequest, errors: [.init(field: name, message: "must be a string")])
            }
            return text
        }
        guard let id = try text("client_id") else {
            throw Problem(
                .invalidRequest, errors: [.init(field: "client_id", message: "is missing")])
        }
        let app = try await apps.authenticated(id: id, secret: try text("client_secret"))
        let credential = try BrowserCredential(members["credential"])
        let scope: Scope, resources: [String], thumbprint: String?
        do {
            thumbprint = try await grants.proofs.thumbprint(of: request)
            (scope, resources) = try grants.checked(
                scope: try text("scope"), standard: .standard,
                resources: try text("resource").map { [$0] } ?? [], app: app)
            try OAuthError.requireProof(thumbprint, for: app)
        } catch let error as OAuthError {
            throw Problem(.invalidRequest, "\(error.code.rawValue): \(error.description)")
        }
        let organization = OrganizationWish(try text("organization"))
        let deviceToken = try text("device_token"),
            device =
                try await deviceToken.asyncMap { try await devices.find($0, app: app.id) } ?? nil
        let owner = try await passkeys.signIn(credential, app: app, device: device)
        var answer = try await grants.tokens(
            for: SignIn(
                account: owner.account, app: app, methods: owner.methods, at: clock.now,
                scope: scope, epoch: owner.epoch,
                resources: resources, authenticator: owner.authenticator, thumbprint: thumbprint,
                organization: organization))
        if deviceToken != nil, device?.account != owner.account {
            answer.deviceToken = try await devices.make(
                owner.account, app.id, epoch: owner.epoch, methods: [.passkey], at: clock.now)
        }
        return answer
    }

    /// Parses a body with exactly the known members. The content of `credential` is up to the
    /// browser.
    private func members(of request: Request, _ known: [String]) async throws -> [String: JSONValue]
    {
        guard let members = try await body.parse(request).objectValue else {
            throw Problem(.invalidRequest, "The body must be a JSON object.")
        }
        guard let foreign = members.keys.filter({ !known.contains($0) }).min() else {
            return members
        }
        throw Problem(
            .invalidRequest,
            errors: [
                .init(
                    field: String(foreign.printable.prefix(64)),
                    message: "is unknown; allowed are \(known.joined(separator: ", "))")
            ])
    }

    private static func name(_ name: String) throws -> String {
        try Problem.requireLine(name, "name", max: 64)
        return name
    }

    private static let notFound = Problem(.notFound, "You have no passkey with this ID.")
}

/// `POST /v1/webauthn/register/options`
struct RegistrationOptionsRequest: Codable, Sendable, Hashable {
    /// Whether browsers request the authenticator's attestation: `none` or `direct`.
    let attestation: String?

    enum CodingKeys: String, CodingKey, CaseIterable { case attestation }
}

/// `POST /v1/webauthn/login/options`
struct SignInOptionsRequest: Codable, Sendable, Hashable {
    let clientID: String
    let clientSecret: String?
    /// Any login name of the user. Without one, the browser lets the user choose a passkey.
    let username: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", username
    }
}
