internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The capture page: a link opens it, and its script sends frames by the published protocol.
extension WebPages {
    func addVerify(to router: Router<MienRequestContext>) {
        router.get("verify") { request, _ in
            // Which app asks is known only once the script has exchanged the link's code.
            let browser = sessions.browser(request), app = try await pageApp(request)
            let view = view(of: browser, request, app: app)
            let page = WebPage(
                template: "verify", title: view.texts("capture_heading"),
                scripts: ["verify.js"],
                scriptTexts: [
                    "button_", "capture_", "guidance_", "action_", "refusal_", "camera_", "error_",
                ])
            return marking(browser, renderer.response(page, for: view))
        }
        router.post("verify/session") { request, context in
            let body = try await json(request)
            guard let code = body["code"]?.stringValue,
                let target = try await links.open(
                    code, browser: sessions.mark(of: sessions.browser(request)))
            else {
                throw Problem(
                    .noActiveJourney,
                    "This link was used or has expired. Go back to the app and try again.")
            }
            if let handoff = target.handoff {
                try await openHandoff(handoff, of: target.capture.text, request, context)
            }
            var response = JSONBody.response(
                try await sessionAnswer(of: target, request))
            response.headers[.setCookie] = captureCookie(
                target.handoff?.ticket ?? target.startToken)
            return response
        }
        router.get("verify/session") { request, _ in
            guard let target = try await target(request) else { throw HTTPError(.notFound) }
            var response = JSONBody.response(try await sessionAnswer(of: target, request))
            // Both sides have agreed: from now on, this device may capture.
            if let handoff = target.handoff,
                sessions.cookies.value(.capture, request) == handoff.ticket,
                try await isConfirmed(handoff, of: target.capture.text)
            {
                try await links.remember(
                    target, browser: sessions.mark(of: sessions.browser(request)),
                    token: target.startToken)
                response.headers[.setCookie] = captureCookie(target.startToken)
            }
            return response
        }
        router.post("verify/finish") { request, _ in
            let body = try await json(request)
            guard let target = try await target(request) else { throw HTTPError(.notFound) }
            // "These are other numbers", on either side, ends the capture: somebody relayed or
            // photographed its code.
            if try await isEnding(target.handoff, of: target.capture.text, body) {
                try await captures.cancelPage(token: target.startToken)
            }
            var answer: [String: JSONValue] = ["redirect": .null]
            if target.handoff == nil, let address = target.callbackURL {
                // Neither value grants anything: the journey reads the result from the server.
                var pairs: [(String, String)] = []
                if let session = target.session { pairs.append(("sessionId", session)) }
                if let state = target.state { pairs.append(("state", state)) }
                answer["redirect"] = .string(Self.callback(address, pairs))
            }
            var response = JSONBody.response(JSONValue.object(answer))
            response.headers[.setCookie] = sessions.cookies.removal(.capture)
            return response
        }
        addHandoff(to: router, at: "verify") { request in
            guard let target = try await target(request) else { return nil }
            let summary = try await captures.summary(token: target.startToken)
            return MovingCheck(
                id: target.capture.text, handoff: target.handoff,
                isOpen: summary?.answer.status == .known(.open)
            ) { handoff in
                try await links.make(
                    .init(
                        capture: target.capture, startToken: target.startToken, handoff: handoff),
                    lifetime: CaptureLinks.handoffLifetime)
            }
        }
    }

    /// Adds parameters to the query of a journey's `callback_url`.
    static func callback(_ address: String, _ pairs: [(String, String)]) -> String {
        let query = pairs.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        guard !query.isEmpty else { return address }
        // The query comes before the fragment, which browsers send to no server.
        let place = address.prefix { $0 != "#" }, fragment = address[place.endIndex...]
        let separator = place.last == "?" ? "" : place.contains("?") ? "&" : "?"
        return "\(place)\(separator)\(query)\(fragment)"
    }

    /// Reads JSON that a script of our pages sent.
    func json(_ request: Request) async throws -> JSONValue {
        let token = request.headers[HTTPField.Name("x-mien-csrf")!]
        guard sessions.isOwn(request, token: token) else {
            throw Problem(
                .notPermitted, "The request does not come from a page of this server. Reload it.")
        }
        return try await JSONBody(maxBytes: Self.formBytes, budget: budget).parse(request)
    }

    /// The capture whose start token this browser holds.
    func target(_ request: Request) async throws -> CaptureLinks.Target? {
        guard let token = sessions.cookies.value(.capture, request) else { return nil }
        return try await links.target(
            startToken: token, browser: sessions.mark(of: sessions.browser(request)))
    }

    /// The app of the capture in this browser, for the page's colors.
    private func pageApp(_ request: Request) async throws -> AppRecord? {
        guard let token = sessions.cookies.value(.capture, request),
            let summary = try await captures.summary(token: token)
        else { return nil }
        return try? await apps.find(summary.app)
    }

    private func sessionAnswer(of target: CaptureLinks.Target, _ request: Request) async throws
        -> JSONValue
    {
        guard let summary = try await captures.summary(token: target.startToken) else {
            throw Problem(
                .noActiveJourney, "This capture has ended. Go back to the app and try again.")
        }
        let app = try await apps.find(summary.app), view = view(request, app: app)
        var members = captureData(summary, view, hasReturn: target.callbackURL != nil)
        if let handoff = target.handoff {
            members["handoff"] = try await answer(of: handoff, of: target.capture.text, app: app)
            members["has_return"] = false
        }
        return .object(members)
    }

    /// The data that the capture's script begins with. It asks the API for the rest.
    func captureData(_ summary: CaptureService.Summary, _ view: PageView, hasReturn: Bool)
        -> [String: JSONValue]
    {
        [
            "capture": .string(summary.id.text),
            "app": [
                "name": .string(view.app?.name ?? ""),
                "logo_url": view.look.logo.map { .string($0) } ?? .null,
            ],
            "has_return": .bool(hasReturn),
            "consent_texts": .object(
                summary.answer.consent.map {
                    view.texts.translations(of: $0).mapValues { .string($0) }
                } ?? [:]),
        ]
    }
}
