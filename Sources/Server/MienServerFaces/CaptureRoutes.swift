package import Hummingbird
internal import MienAPI
internal import MienCore
package import MienServerCore

/// The routes for the frames of captures.
package struct CaptureRoutes {
    let captures: CaptureService
    let liveStarts: RateLimiter
    let clock: ServerClock
    let frameBytes: Int
    let budget: BodyBudget
    let body: JSONBody
    let authentication: CaptureAuthentication

    package init(
        captures: CaptureService, liveStarts: RateLimiter, clock: ServerClock, frameBytes: Int,
        budget: BodyBudget, body: JSONBody, authentication: CaptureAuthentication
    ) {
        self.authentication = authentication
        (self.captures, self.liveStarts, self.clock, self.frameBytes, self.budget) = (
            captures, liveStarts, clock, frameBytes, budget
        )
        self.body = body
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("capture/start") { request, context in
            // Otherwise an attacker with a recording could start again until the drawn actions
            // match it.
            if let wait = liveStarts.take(context.client.key, at: clock.now) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            return try await JSONBody.response(
                captures.start(token: authentication.token(request), client: context.client.key))
        }
        router.post("capture/frames") { request, _ in
            let token = try authentication.token(request),
                type = request.headers[.contentType]?.lowercased() ?? "",
                isBatch = type == FrameBatch.contentType
            guard isBatch || type.hasPrefix("image/") || type == "application/octet-stream" else {
                throw Problem(
                    .unsupportedMediaType,
                    "Send the picture itself with content-type: image/jpeg or image/png, or frames of a live capture as \(FrameBatch.contentType)."
                )
            }
            // Check the token before receiving megabytes from a client that may not send any.
            let capture = try await captures.authenticate(token)
            let share = budget.share()
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(request, upTo: frameBytes, share)
            return try await JSONBody.response(
                isBatch ? captures.frames(bytes, of: capture) : captures.frame(bytes, of: capture)
            )
        }
        router.post("capture/consent") { request, _ in
            let token = try authentication.token(request)
            let consent = try await body.read(
                CaptureConsentRequest.self, CaptureConsentRequest.CodingKeys.self, from: request)
            return try await JSONBody.response(
                captures.consent(token: token, textVersion: consent.textVersion))
        }
        router.post("capture/accommodation") { request, _ in
            let token = try authentication.token(request)
            let wanted = try await body.read(
                CaptureAccommodationRequest.self, CaptureAccommodationRequest.CodingKeys.self,
                from: request)
            return try await JSONBody.response(
                captures.accommodate(token: token, omitting: wanted.omittedActions.map(\.rawValue)))
        }
        router.get("capture") { request, _ in
            try await JSONBody.response(captures.status(token: authentication.token(request)))
        }
        router.delete("capture") { request, _ in
            try await JSONBody.response(captures.cancel(token: authentication.token(request)))
        }
    }
}
