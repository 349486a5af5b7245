package import Hummingbird
internal import MienAPI
internal import MienCore

/// The routes for the frames of captures.
package struct CaptureRoutes {
    let captures: CaptureService
    let liveStarts: RateLimiter
    let clock: ServerClock
    let frameBytes: Int
    let budget: BodyBudget
    let body: JSONBody
    let authentication: CaptureAuthentication
    /// Whether requests about captures of other servers are passed on. Those that another server has
    /// passed on are not, or they could go around in circles.
    var passesOn = true

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("capture/start") { request, context in
            // Otherwise an attacker with a recording could start again until the drawn actions
            // match it.
            if let wait = try await liveStarts.take(context.client.key, at: clock.now) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            return try await onOwner(request, context) { token in
                try await captures.start(token: token, client: context.client.key)
            }
        }
        router.post("capture/frames") { request, context in
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
            let share = budget.share(for: capture.text)
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(request, upTo: frameBytes, share)
            let passed =
                isBatch && passesOn
                ? try await captures.passOn(
                    request, about: token, bytes, client: context.client.text) : nil
            if let passed { return passed }
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
        router.post("capture/light") { request, _ in
            let token = try authentication.token(request)
            let wanted = try await body.read(
                CaptureLightRequest.self, CaptureLightRequest.CodingKeys.self, from: request)
            return try await JSONBody.response(
                captures.light(token: token, style: wanted.style.rawValue))
        }
        router.get("capture") { request, context in
            try await onOwner(request, context) { try await captures.status(token: $0) }
        }
        router.delete("capture") { request, context in
            try await onOwner(request, context) { try await captures.cancel(token: $0) }
        }
    }

    /// Answers a request without a body: on the server that has the live session, if one does.
    private func onOwner(
        _ request: Request, _ context: MienRequestContext,
        _ body: (_ token: String) async throws -> CaptureAnswer
    ) async throws -> Response {
        let token = try authentication.token(request)
        if passesOn,
            let passed = try await captures.passOn(
                request, about: token, [], client: context.client.text)
        {
            return passed
        }
        return try await JSONBody.response(body(token))
    }
}
