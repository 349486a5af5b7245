package import Hummingbird
internal import MienAPI
package import MienCore
package import MienServerCore
package import MienStore

/// Requires the credential of an administrator: `Authorization: Bearer adm_….…`.
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
        var context = context
        context.administrator = admin.id
        return try await next(request, context)
    }
}

extension WorkShare {
    /// Returns the share of an administrator, whose credential ``AdminOnly`` has checked.
    package static func administrator(_ context: MienRequestContext) -> WorkShare {
        .account(context.administrator?.text ?? "", from: context.client.key)
    }
}
