internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The account pages: what a user has, and how to be rid of it. Every list and every change is a
/// request to the API.
struct AccountPages: Sendable {
    let pages: WebPages
    let api: InternalAPI

    func add(to router: Router<MienRequestContext>) {
        router.get("account") { request, context in
            try await with(request, context) { user in try await show(user, request, context) }
        }
        router.get("account/remove/:kind/:id") { request, context in
            try await with(request, context) { user in
                let (kind, id) = try Self.item(context)
                return confirmation(kind, id, user)
            }
        }
        router.post("account/remove/:kind/:id") { request, context in
            try await change(request, context) { user, _ in
                let (kind, id) = try Self.item(context)
                _ = try await api.send(.delete, kind.path(id), as: user.signIn, from: context)
                if kind == .others {
                    try await pages.sessions.keep(user.found)
                }
                return kind == .account
                    ? nil : kind == .face ? "account_done_face_removed" : kind.done
            }
        }
        router.get("account/password") { request, context in
            try await with(request, context) { user in
                // Ask for a needed sign-in before showing the form, so that no typed password is
                // lost.
                let caller = try await user.signIn.run {
                    try await pages.grants.caller(of: request)
                }
                try await pages.changes.require(.add, by: caller, reach: .account)
                return passwordPage(user, nil)
            }
        }
        router.post("account/password") { request, context in
            try await answer(request, context) { user, form in
                var body: [String: JSONValue] = ["password": .string(form["new"] ?? "")]
                if let current = form["current"] { body["current_password"] = .string(current) }
                if let token = pages.sessions.cookies.value(.device, request) {
                    body["device_token"] = .string(token)
                }
                do {
                    _ = try await api.send(
                        .put, "/v1/me/password", .object(body), as: user.signIn, from: context)
                } catch let problem as Problem where problem.code == .invalidRequest {
                    return passwordPage(user, problem)
                }
                try await pages.sessions.keep(user.found)
                return pages.redirect(user.address(done: "account_done_password"))
            }
        }
        router.post("account/face") { request, context in
            try await answer(request, context) { user, _ in
                // The journey asks for this, too, but only after the capture.
                let caller = try await user.signIn.run {
                    try await pages.grants.caller(of: request)
                }
                try await pages.changes.require(.add, by: caller)
                let address = try await pages.begin(
                    .page(path: user.address(done: "account_done_face")), in: user.app,
                    journey: Self.faceJourney, hint: nil, for: user.signIn.grant, request,
                    pages.sessions.browser(request))
                return pages.redirect(address)
            }
        }
        router.post("account/recovery-codes") { request, context in
            try await answer(request, context) { user, _ in
                let answer = try await api.send(
                    .post, "/v1/me/recovery-codes", .object([:]), as: user.signIn, from: context)
                let codes = (answer["codes"]?.arrayValue ?? []).compactMap(\.stringValue)
                return pages.renderer.response(
                    WebPage(
                        template: "codes", title: user.view.texts("account_codes_title"),
                        values: [
                            "codes": .list(codes.map { .text($0) }),
                            "back": .text(user.address(done: nil)),
                        ], scripts: ["account.js"]), for: user.view)
            }
        }
        router.get("account/data") { request, context in
            try await with(request, context) { user in
                let data = try await api.send(
                    .get, "/v1/me/data", as: user.signIn, from: context)
                var response = JSONBody.response(data)
                response.headers[.contentDisposition] = "attachment; filename=\"my-data.json\""
                return response
            }
        }
        addPasskeys(to: router)
        addAuthenticator(to: router)
    }

    /// The journey that registers another face for the signed-in user.
    static let faceJourney = JourneyID("add-face")!

    // MARK: Users

    /// The user in front of the browser, in an app that may manage accounts.
    struct User: Sendable {
        let found: BrowserSessions.Found
        let app: AppRecord
        let view: PageView
        let isOnlyApp: Bool

        /// The browser's sign-in, in the app.
        var signIn: PageSignIn { PageSignIn(grant: found.session.proof.grant, app: app.id) }

        /// Names the app in addresses.
        var query: String { "client_id=\(PercentEncoding.encode(app.id.text))" }

        /// The address of the account page.
        ///
        /// - Parameter done: The key of a text that says what was done.
        func address(done: String?) -> String {
            var pairs: [String] = []
            if !isOnlyApp { pairs.append("client_id=\(PercentEncoding.encode(app.id.text))") }
            if let done { pairs.append("done=\(done)") }
            return "/account" + (pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))")
        }
    }

    /// Runs `body` for the signed-in user. Others sign in first, and so do users whose sign-in is
    /// too old or too weak.
    ///
    /// - Parameter isForm: Whether the request changes something. It is then not repeated after
    ///   the sign-in.
    func with(
        _ request: Request, _ context: MienRequestContext, isForm: Bool = false,
        _ body: (User) async throws -> Response
    ) async throws -> Response {
        let path = isForm ? "/account" : request.uri.string
        guard let user = try await user(request) else {
            return try await pages.beginForAccount(request, context, to: pages.localPath(path))
        }
        do { return try await body(user) } catch is WebPages.OutsideForm {
            return problem(user, "error_outside_form", status: .forbidden)
        } catch let error as OAuthError {
            guard [.insufficientUserAuthentication, .invalidToken].contains(error.code) else {
                return problem(user, "error_failed", status: error.status)
            }
            return try await signInAgain(
                user, error, to: isForm ? Self.beginning(of: request, user) : path, request,
                context)
        } catch let error as Problem where error.status < 500 {
            let key = "error_\(error.code.rawValue)"
            return problem(
                user, user.view.texts.has(key) ? key : "error_failed",
                status: .init(code: error.status))
        }
    }

    /// The page on which a person began a change: the form's own, or the section of its button.
    private static func beginning(of request: Request, _ user: User) -> String {
        switch request.uri.path {
        case "/account/face": user.address(done: "account_done_confirmed") + "#s-faces"
        case "/account/recovery-codes": user.address(done: "account_done_confirmed") + "#s-codes"
        default: request.uri.string
        }
    }

    /// Answers a form, and the same form again alike: a change may end the sign-in that made it, or
    /// the password that it asks for, and a wrong password is one guess.
    ///
    /// What asks for another sign-in, or to wait, is no answer: the form may be sent again afterwards.
    func answer(
        _ request: Request, _ context: MienRequestContext,
        _ body: @escaping @Sendable (User, FormBody) async throws -> Response
    ) async throws -> Response {
        let form: FormBody
        do { form = try await pages.ownForm(request) } catch {
            return try await with(request, context, isForm: true) { _ in throw error }
        }
        let isFinal = Locked(false)
        @Sendable func first() async throws -> Response {
            try await with(request, context, isForm: true) { user in
                do {
                    let response = try await body(user, form)
                    isFinal.withLock { $0 = response.status != .tooManyRequests }
                    return response
                } catch let problem as Problem {
                    isFinal.withLock { $0 = problem.status < 500 && problem.status != 429 }
                    throw problem
                }
            }
        }
        guard let id = form["form"] else { return try await first() }
        let key = FormKey(
            request.uri.path, form: id,
            browser: pages.sessions.mark(of: pages.sessions.browser(request)),
            content: form.content)
        let answer = try await pages.forms.once(
            key, repeated: { response in isFinal.withLock { $0 } ? response : nil }, first: first)
        return answer ?? pages.redirect("/account")
    }

    /// Runs a change and returns to the account page.
    ///
    /// - Parameter body: Returns the key of what was done; `nil` if the account is gone.
    func change(
        _ request: Request, _ context: MienRequestContext,
        _ body: @escaping @Sendable (User, FormBody) async throws -> String?
    ) async throws -> Response {
        try await answer(request, context) { user, form in
            guard let done = try await body(user, form) else {
                var response = pages.message(
                    user.view, title: "account_deleted_title", text: "account_deleted_text")
                response.headers.append(
                    .init(
                        name: .setCookie, value: pages.sessions.cookies.removal(.session)))
                return response
            }
            return pages.redirect(user.address(done: done))
        }
    }

    private func user(_ request: Request) async throws -> User? {
        guard !pages.sessions.browser(request).isNew,
            let found = try await pages.sessions.find(request),
            let app = try await pages.accountApp(request, session: found.session),
            try await pages.opensAccount(found.session, in: app)
        else { return nil }
        let all = try await pages.accountApps()
        return User(
            found: found, app: app, view: pages.view(request, app: app),
            isOnlyApp: all.count <= 1)
    }

    /// Asks for what a change needs beyond the sign-in so far, and then returns.
    private func signInAgain(
        _ user: User, _ error: OAuthError, to path: String, _ request: Request,
        _ context: MienRequestContext
    ) async throws -> Response {
        guard error.code == .insufficientUserAuthentication else {
            return try await pages.beginForAccount(request, context, to: pages.localPath(path))
        }
        let needed = AssuranceLevel(rawValue: error.stepUp?.level ?? 0) ?? .none
        let caller = try await user.signIn.run {
            try await pages.grants.caller(of: request)
        }
        let proved = try await pages.changes.missing(needed, of: caller) ?? []
        let plan = try await pages.plan(needed, beside: proved, of: caller.account, in: user.app)
        if let wait = try await pages.starts.take(context.client.key, at: pages.clock.now) {
            return pages.busy(request, wait)
        }
        func flow(_ journey: JourneyID, _ ways: [AuthenticatorType]) async throws -> String {
            try await pages.beginStepUp(
                needed, beside: proved, journey: journey, ways: ways, to: path,
                of: user.found.account.shownName, for: user.signIn.grant, in: user.app, request)
        }
        let texts = user.view.texts
        var links: [PageValue] = [], more: [String] = [], main: PageValue = false
        let text: String
        if let next = plan.next {
            main = [
                "address": .text(try await flow(next.journey, next.ways)),
                "label": .text(texts("button_continue")),
            ]
            let key =
                needed == .none
                ? "account_again_text"
                : plan.done.isEmpty ? "account_again_strong" : "account_again_also"
            text = texts(
                key, ["ways": texts.ways(plan.combinations), "done": texts.ways([plan.done])])
        } else {
            text = texts("stepup_unreachable_text")
            if plan.hasDeviceKey { more.append(texts("stepup_left_device")) }
            for app in try await pages.accountApps() where app.id != user.app.id {
                let other = try await pages.plan(
                    needed, beside: [], of: caller.account, in: app)
                guard other.next != nil else { continue }
                links.append([
                    "address": .text(Self.address(path, in: app.id)),
                    "label": .text(texts("stepup_left_app", ["app": app.name])),
                ])
            }
            more.append(texts("stepup_left_operator"))
        }
        // Without another way to sign in, offer a recovery code even if any recent sign-in is
        // enough.
        if needed > .none || plan.next == nil, let recovery = plan.recovery {
            links.append([
                "address": .text(try await flow(recovery, [.recoveryCode])),
                "label": .text(texts("stepup_left_code")),
            ])
        }
        links.append([
            "address": .text(user.address(done: nil)),
            "label": .text(texts("button_back_to_account")),
        ])
        return pages.renderer.response(
            WebPage(
                template: "ended", title: texts("account_again_title"),
                values: [
                    "text": .text(text), "more": .list(more.map { .text($0) }), "link": main,
                    "links": .list(links),
                ], status: .ok), for: user.view)
    }

    /// The same page of the account, for another app.
    private static func address(_ path: String, in app: AppID) -> String {
        "\(path.prefix { $0 != "?" && $0 != "#" })?client_id=\(PercentEncoding.encode(app.text))"
    }

    private func problem(_ user: User, _ text: String, status: HTTPResponse.Status) -> Response {
        pages.message(
            user.view, title: "error_title", text: text, status: status,
            link: (user.address(done: nil), user.view.texts("button_back_to_account")))
    }

    // MARK: Removing

    /// The kinds of things that users can remove.
    enum Kind: String, CaseIterable {
        case passkey, face, device, signin, consent, token, biometric, codes, others, account

        func path(_ id: String) -> String {
            let id = PercentEncoding.encode(id)
            return switch self {
            case .passkey: "/v1/me/passkeys/\(id)"
            case .face: "/v1/me/faces/\(id)"
            case .device: "/v1/me/devices/\(id)"
            case .signin: "/v1/me/sign-ins/\(id)"
            case .consent: "/v1/me/consents/\(id)"
            case .token: "/v1/me/otp/tokens/\(id)"
            case .biometric: "/v1/me/biometrics/\(id)"
            case .codes: "/v1/me/recovery-codes"
            case .others: "/v1/me/sign-ins"
            case .account: "/v1/me"
            }
        }

        var done: String { "account_done_\(rawValue)" }
    }

    private static func item(_ context: MienRequestContext) throws -> (Kind, String) {
        guard let kind = Kind(rawValue: try context.parameters.require("kind")) else {
            throw HTTPError(.notFound)
        }
        return (kind, try context.parameters.require("id"))
    }

    private func confirmation(_ kind: Kind, _ id: String, _ user: User) -> Response {
        pages.renderer.response(
            WebPage(
                template: "confirm", title: user.view.texts("account_remove_\(kind.rawValue)"),
                values: [
                    "text": .text(user.view.texts("account_remove_\(kind.rawValue)_text")),
                    "action": .text(
                        "/account/remove/\(kind.rawValue)/\(PercentEncoding.encode(id))?\(user.query)"
                    ),
                    "button": .text(
                        user.view.texts(
                            kind == .account
                                ? "button_delete_account"
                                : [.signin, .others].contains(kind)
                                    ? "button_end" : "button_remove")),
                    "danger": true, "back": .text(user.address(done: nil)), "fields": [],
                ]), for: user.view)
    }

    // MARK: Password

    /// - Parameter problem: The reason for which the last try was refused.
    private func passwordPage(_ user: User, _ problem: Problem?) -> Response {
        let field = problem?.errors?.first?.field
        let complaint = problem.map { _ in
            user.view.texts(
                field == SetPasswordRequest.CodingKeys.currentPassword.rawValue
                    ? "error_invalid_credentials" : "error_weak_password")
        }
        return pages.renderer.response(
            WebPage(
                template: "confirm", title: user.view.texts("account_password_title"),
                values: [
                    "text": .text(user.view.texts("account_password_text")),
                    "complaint": .optional(complaint),
                    "action": .text(
                        "/account/password?\(user.query)"),
                    "button": .text(user.view.texts("button_save")), "danger": false,
                    "back": .text(user.address(done: nil)),
                    "fields": [
                        [
                            "name": "current", "title": .text(user.view.texts("field_current")),
                            "autocomplete": "current-password", "required": false,
                        ],
                        [
                            "name": "new", "title": .text(user.view.texts("field_new_password")),
                            "autocomplete": "new-password", "required": true,
                        ],
                    ],
                ], status: problem == nil ? .ok : .badRequest), for: user.view)
    }
}
