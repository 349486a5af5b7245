internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore

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
    private let forms: FormAnswers

    package init(
        links: MailedLinkService, pages: any MessagePages, attempts: RateLimiter,
        clock: ServerClock, budget: BodyBudget
    ) {
        (self.links, self.pages, self.attempts) = (links, pages, attempts)
        (self.clock, self.budget) = (clock, budget)
        forms = FormAnswers(store: links.store, clock: clock)
    }

    package func add(to router: Router<MienRequestContext>) {
        router.get("\(MailedLink.path)") { request, context in
            try await limited(request, context) {
                let code = request.uri.queryParameters["code"].map(String.init) ?? ""
                return pages.response(
                    NoticePage.confirmation(try await status(of: code), code: code), to: request)
            }
        }
        router.post("\(MailedLink.path)") { request, context in
            try await limited(request, context) { try await answer(request) }
        }
    }

    /// Does what the link is for, and answers the same form again alike. Other forms with the code of
    /// a used link are refused.
    private func answer(_ request: Request) async throws -> Response {
        let form: FormBody
        do {
            form = try await FormBody(request, maxBytes: Self.maxBodyBytes, budget: budget)
        } catch let error as OAuthError {
            return pages.response(NoticePage.malformed(error.status), to: request)
        }
        let code = form["code"] ?? ""
        guard code.utf8.count <= Self.maxCodeBytes else {
            return pages.response(NoticePage.confirmation(.unknown, code: ""), to: request)
        }
        let use: @Sendable () async throws -> Response = { [links, pages] in
            pages.response(NoticePage.result(try await links.use(code)), to: request)
        }
        guard let id = form["form"] else { return try await use() }
        let key = FormKey(MailedLink.path, form: id, browser: code)
        let answer: Response?
        if case .open = try await status(of: code) {
            answer = try await forms.once(key, first: use)
        } else {
            // A wrong code never causes a write.
            answer = try await forms.answer(to: key)
        }
        if let answer { return answer }
        return try await use()
    }

    private func status(of code: String) async throws -> MailedLinkService.Status {
        guard (1...Self.maxCodeBytes).contains(code.utf8.count) else { return .unknown }
        return try await links.status(of: code)
    }

    private func limited(
        _ request: Request, _ context: MienRequestContext, _ body: () async throws -> Response
    ) async throws -> Response {
        if let wait = try await attempts.take(context.client.key, at: clock.now) {
            return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
        }
        return try await body()
    }
}
