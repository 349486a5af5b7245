internal import HTTPTypes
package import Hummingbird
internal import MienAPI
package import MienCore
internal import MienStore

/// Requires an administrator whose role permits the request, by a credential,
/// `Authorization: Bearer adm_….…`, or by the cookie of a session of the portal that is as new as
/// the request needs (``AdminOperations``).
///
/// The administrator is read for each request, so a removal and a changed role apply at once.
package struct AdminOnly: RouterMiddleware {
    let store: Store
    let cookies: AdminCookies
    /// Limits the wrong credentials that one address may send.
    let guesses: RateLimiter
    let clock: ServerClock

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let admin: AdminRecord
        if request.headers[.authorization] != nil {
            guard let found = try await bearer(request) else {
                if let wait = try await guesses.take(context.client.key, at: clock.now) {
                    return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
                }
                throw Self.refused
            }
            admin = found
            context.administratorProof = .credential(admin.id)
        } else {
            guard let (found, session) = try await session(request) else { throw Self.refused }
            admin = found
            context.administratorProof = .session(session)
        }
        let needed = try Self.requirement(request, of: context, for: admin.role)
        try context.require(needed.signIn, at: clock.now)
        return try await next(request, context)
    }

    private func bearer(_ request: Request) async throws -> AdminRecord? {
        guard let (id, secret) = request.bearer.flatMap({ BearerSecret.parse($0, AdminKind.self) }),
            let admin = try await store.read({ [store] in
                try $0.admins.find(tokenHash: store.keys.hash(ofSecret: secret))
            }), admin.id == id
        else { return nil }
        return admin
    }

    private func session(_ request: Request) async throws -> (AdminRecord, AdministratorSession)? {
        guard AdminCookies.isFromPortal(request),
            let secret = cookies.secret(.session, request)
        else { return nil }
        let hash = store.keys.hash(ofSecret: secret), now = clock.now
        let found = try await store.read { tables -> (AdminRecord, AdministratorSession)? in
            guard let session = try tables.adminSessions.find(hash), session.isLive(at: now),
                let admin = try tables.admins.find(session.admin)
            else { return nil }
            return (admin, session)
        }
        guard let (admin, stored) = found else { return nil }
        var session = stored
        if session.use(at: now) {
            try await store.write(.process) { try $0.adminSessions.note(hash, usedAt: now) }
        }
        return (admin, session)
    }

    private static let refused = Problem(
        .invalidCredentials,
        "Sign in to the portal, or send authorization: Bearer with an admin credential: the one that the first start printed, or that another administrator created."
    )

    /// - Returns: What the request needs. The role has its permission.
    /// - Throws: ``Problem`` `.notPermitted`.
    private static func requirement(
        _ request: Request, of context: MienRequestContext, for role: AdminRole
    ) throws(Problem) -> AdminOperations.Requirement {
        // Routers answer HEAD like GET.
        let method = request.method == .head ? "GET" : request.method.rawValue
        let needed = context.endpointPath.flatMap { AdminOperations.all["\(method) \($0)"] }
        guard let needed, role.permissions.contains(needed.permission) else {
            throw Problem(
                .notPermitted,
                "The role “\(role.rawValue)” does not permit this. An owner of this server can change roles."
            )
        }
        return needed
    }
}

extension WorkShare {
    /// Returns the share of an administrator, whose credential ``AdminOnly`` has checked.
    package static func administrator(_ context: MienRequestContext) -> WorkShare {
        .account(context.administrator?.text ?? "", from: context.client.key)
    }
}
