internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienServerAccess
package import MienServerCore

/// The routes that links in emails to account owners open. `GET` shows what the link does; only
/// submitting the page's form does it.
package struct NoticeRoutes {
    /// The length limit is larger than any code, so longer values are rejected unread.
    private static let maxCodeBytes = 64, maxBodyBytes = 1024

    let links: MailedLinkService
    let pages: any MessagePages
    /// Limits the requests of each address. Codes are too long to guess; this bounds the work.
    let attempts: RateLimiter
    let clock: ServerClock
    let budget: BodyBudget

    package init(
        links: MailedLinkService, pages: any MessagePages, attempts: RateLimiter,
        clock: ServerClock, budget: BodyBudget
    ) {
        (self.links, self.pages, self.attempts) = (links, pages, attempts)
        (self.clock, self.budget) = (clock, budget)
    }

    package func add(to router: Router<MienRequestContext>) {
        router.get("\(MailedLink.path)") { request, context in
            try await limited(request, context) {
                let code = request.uri.queryParameters["code"].map(String.init) ?? ""
                return NoticePage.confirmation(try await status(of: code), code: code)
            }
        }
        router.post("\(MailedLink.path)") { request, context in
            try await limited(request, context) {
                let form: FormBody
                do {
                    form = try await FormBody(request, maxBytes: Self.maxBodyBytes, budget: budget)
                } catch let error as OAuthError {
                    return NoticePage.malformed(error.status)
                }
                let code = form["code"] ?? ""
                guard code.utf8.count <= Self.maxCodeBytes else {
                    return NoticePage.confirmation(.unknown, code: "")
                }
                return NoticePage.result(try await links.use(code))
            }
        }
    }

    private func status(of code: String) async throws -> MailedLinkService.Status {
        guard (1...Self.maxCodeBytes).contains(code.utf8.count) else { return .unknown }
        return try await links.status(of: code)
    }

    private func limited(
        _ request: Request, _ context: MienRequestContext, _ body: () async throws -> MessagePage
    ) async throws -> Response {
        if let wait = try await attempts.take(context.client.key, at: clock.now) {
            return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
        }
        return pages.response(try await body(), to: request)
    }
}
