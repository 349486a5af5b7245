internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The registration endpoint for programs, and its tokens for administrators.
package struct RegistrationRoutes {
    private static let maxUses = 10_000, maxDays = 365
    /// The maximum size of a description: every app is read for many a page.
    private static let maxBytes = 32 * 1024

    let registrations: AppRegistrations
    let store: Store
    /// Registrations that an address sends.
    let starts: RateLimiter
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: Router<MienRequestContext>) {
        let group = router.group("oauth2").add(middleware: OAuthErrorMiddleware())
        group.post("register") { request, context in
            try requireOn()
            try await takeStart(context)
            guard let token = request.accessToken?.token else { throw OAuthError.missingToken }
            return try await JSONBody.response(
                registrations.register(description.parse(request), token: token), status: .created)
        }
        group.get("register/:app") { request, context in
            let app = try await app(request, context)
            return JSONBody.response(JSONValue.object(registrations.answer(app)))
        }
        group.put("register/:app") { request, context in
            let app = try await app(request, context)
            try await takeStart(context)
            return try await JSONBody.response(
                registrations.change(app, to: description.parse(request)))
        }
        group.delete("register/:app") { request, context in
            try await registrations.delete(app(request, context))
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
    }

    private var description: JSONBody { JSONBody(maxBytes: Self.maxBytes, budget: body.budget) }

    private func takeStart(_ context: MienRequestContext) async throws {
        guard try await starts.take(context.client.key, at: clock.now) != nil else { return }
        throw OAuthError(
            .temporarilyUnavailable, "Too many requests. Try again in a moment.",
            status: .tooManyRequests)
    }

    private func requireOn() throws {
        guard registrations.isOn else { throw HTTPError(.notFound) }
    }

    private func app(_ request: Request, _ context: MienRequestContext) async throws -> AppRecord {
        try requireOn()
        return try await registrations.app(
            context.parameters.require("app"), token: request.accessToken?.token)
    }

    // MARK: Administrators

    package func addAdmin(to router: RouterGroup<MienRequestContext>) {
        router.get("registration-tokens") { request, _ in
            let page = try AdminPage<RegistrationTokenKind>(request)
            let records = try await page.read(from: store) {
                try $0.registrationTokens.page(after: $1, count: $2)
            }
            return JSONBody.response(page.answer(records, id: \.id) { answer($0) })
        }
        router.post("registration-tokens") { request, context in
            let wanted = try await body.read(
                RegistrationTokenRequest.self, RegistrationTokenRequest.CodingKeys.self,
                from: request)
            try Problem.requireLine(wanted.name, "name", max: 100)
            let uses = wanted.uses ?? 1, days = wanted.days ?? 7
            guard (1...Self.maxUses).contains(uses) else {
                throw Problem.field("uses", "must be 1 to 10,000")
            }
            guard (1...Self.maxDays).contains(days) else {
                throw Problem.field("days", "must be 1 to 365")
            }
            var generator = SystemRandomNumberGenerator()
            let id = RegistrationTokenID.random(using: &generator),
                secret = BearerSecret(for: id, using: &generator), now = clock.now
            let record = RegistrationTokenRecord(
                id: id, name: wanted.name, uses: uses, requiresPKCE: wanted.requiresPKCE ?? true,
                createdAt: now, expiresAt: now + .seconds(days * 86_400))
            let hash = store.keys.hash(ofSecret: secret.secret), actor = context.actor
            try await store.write { tables in
                try tables.registrationTokens.insert(record, hash: hash)
                try tables.audit.append(
                    AuditEvent(
                        "registration-token.made", actor: actor,
                        detail: [
                            "registration_token": .string(id.text),
                            "uses": .number(Double(uses)),
                        ]), at: now)
            }
            var answer = answer(record)
            answer.token = secret.text.use { $0 }
            return JSONBody.response(answer, status: .created)
        }
        router.delete("registration-tokens/:registrationtoken") { _, context in
            let id = RegistrationTokenID(try context.parameters.require("registrationtoken"))
            let now = clock.now, actor = context.actor
            let isRevoked = try await id.asyncMap { id in
                try await store.write { tables in
                    guard try tables.registrationTokens.revoke(id, at: now) else { return false }
                    try tables.audit.append(
                        AuditEvent(
                            "registration-token.revoked", actor: actor,
                            detail: ["registration_token": .string(id.text)]), at: now)
                    return true
                }
            }
            guard isRevoked == true else {
                throw Problem(.notFound, "There is no such token, or it was already revoked.")
            }
            return Response(status: .noContent)
        }
    }

    private func answer(_ record: RegistrationTokenRecord) -> RegistrationTokenAnswer {
        RegistrationTokenAnswer(
            id: record.id.text, name: record.name, uses: record.uses, used: record.used,
            requiresPKCE: record.requiresPKCE, createdAt: record.createdAt.milliseconds,
            expiresAt: record.expiresAt.milliseconds, revokedAt: record.revokedAt?.milliseconds)
    }
}
