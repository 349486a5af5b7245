package import Hummingbird
internal import MienAPI
internal import MienAccess
package import MienCore
package import MienServerCore
package import MienStore

/// Requires the credential of an administrator, `Authorization: Bearer adm_….…`, whose role permits
/// the request.
package struct AdminOnly: RouterMiddleware {
    let store: Store
    /// Limits the wrong credentials that one address may send.
    let guesses: RateLimiter
    let clock: ServerClock

    package init(store: Store, guesses: RateLimiter, clock: ServerClock) {
        (self.store, self.guesses, self.clock) = (store, guesses, clock)
    }

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let (id, secret) = request.bearer.flatMap({ BearerSecret.parse($0, AdminKind.self) }),
            let admin = try await store.read({ [store] in
                try $0.admins.find(tokenHash: store.keys.hash(ofSecret: secret))
            }), admin.id == id
        else {
            if let wait = guesses.take(context.client.key, at: clock.now) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            throw Problem(
                .invalidCredentials,
                "Send authorization: Bearer with an admin credential: the one that the first start printed, or that another administrator created."
            )
        }
        try Self.require(request, of: context, from: admin.role)
        var context = context
        context.administrator = admin.id
        return try await next(request, context)
    }

    private static func require(
        _ request: Request, of context: MienRequestContext, from role: AdminRole
    ) throws {
        // Routers answer HEAD like GET.
        let method = request.method == .head ? "GET" : request.method.rawValue
        let needed = context.endpointPath.flatMap {
            AdminOperations.permissions["\(method) \($0)"]
        }
        guard let needed, role.permissions.contains(needed) else {
            throw Problem(
                .notPermitted,
                "The role “\(role.rawValue)” does not permit this request. An owner can change it: mien admin administrator role ID ROLE."
            )
        }
    }
}

extension WorkShare {
    /// Returns the share of an administrator, whose credential ``AdminOnly`` has checked.
    package static func administrator(_ context: MienRequestContext) -> WorkShare {
        .account(context.administrator?.text ?? "", from: context.client.key)
    }
}
