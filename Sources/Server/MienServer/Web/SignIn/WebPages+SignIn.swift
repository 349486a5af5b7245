internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The sign-in pages: any journey of an app, one page for each step.
extension WebPages {
    func addSignIn(to router: Router<MienRequestContext>) {
        router.get("signin/:flow") { request, context in
            try await shown(request) {
                try await showFlow(request, try context.parameters.require("flow"))
            }
        }
        router.post("signin/:flow") { request, context in
            let flow = try context.parameters.require("flow")
            do {
                return try await shown(request) { try await answerFlow(request, flow, context) }
            } catch is OutsideForm {
                return try await expired(request, flow)
            } catch is OAuthError {
                return try await expired(request, flow)
            }
        }
        router.get("signin") { request, context in
            try await beginForAccount(request, context, to: "/account")
        }
        addSignOut(to: router)
    }

    // MARK: Beginning

    /// Begins a sign-in and returns the address of its page.
    ///
    /// - Parameter shown: The first thing to show, if not the journey's first step.
    func begin(
        _ goal: SignInFlow.Goal, in app: AppRecord, journey: JourneyID, hint: String?,
        for grant: GrantID? = nil, stepUp: StepUp? = nil, stage: SignInFlow.Stage? = nil,
        _ request: Request,
        _ browser: BrowserSessions.Browser
    ) async throws -> String {
        var flow = SignInFlow(
            app: app.id, goal: goal, journey: journey, browser: sessions.mark(of: browser),
            grant: grant, stepUp: stepUp, hint: hint, stage: stage ?? .ended(""))
        if grant != nil { try await sessions.noteStepUp(for: app.id, request) }
        if stage == nil { flow.stage = try await firstStage(of: flow, app, request) }
        return "/signin/\(try await flows.begin(flow))"
    }

    /// Starts the flow's journey.
    func firstStage(of flow: SignInFlow, _ app: AppRecord, _ request: Request) async throws
        -> SignInFlow.Stage
    {
        do {
            let answer: JourneyAnswer
            if let grant = flow.grant {
                answer = try await PageSignIn(grant: grant, app: app.id).run {
                    try await journeys.start(
                        flow.journey, in: app,
                        device: flow.stepUp == nil ? nil : device(request),
                        caller: grants.caller(of: request, needed: .signIn))
                }
            } else {
                answer = try await journeys.start(
                    flow.journey, in: app, device: try await device(request))
            }
            return answer.journeyStepID == .known(.rejection)
                ? .ended("signin_ended_rejected") : .step(answer)
        } catch let problem as Problem where problem.status == 404 {
            return .ended("signin_ended_unavailable")
        }
    }

    /// The known device that the browser is, for any app: the cookie belongs to the server.
    private func device(_ request: Request) async throws -> KnownDevice? {
        try await sessions.cookies.value(.device, request).asyncMap {
            try await devices.find($0, app: nil)
        } ?? nil
    }

    /// Signs in to the account pages.
    ///
    /// - Parameter path: Where to go afterwards.
    func beginForAccount(_ request: Request, _ context: MienRequestContext, to path: String)
        async throws -> Response
    {
        let browser = sessions.browser(request)
        if let wait = try await starts.take(context.client.key, at: clock.now) {
            return busy(request, wait)
        }
        guard let app = try await accountApp(request), let journey = app.settings.pageJourney else {
            return marking(
                browser,
                message(
                    view(request, app: nil), title: "account_no_app_title",
                    text: "account_no_app_text", status: .notFound))
        }
        let address = try await begin(
            .page(path: path), in: app, journey: journey, hint: nil, request, browser)
        return marking(browser, redirect(address))
    }

    func busy(_ request: Request, _ wait: Duration) -> Response {
        var response = message(
            view(request, app: nil), title: "error_title", text: "error_too_many_requests",
            status: .tooManyRequests)
        response.headers[.retryAfter] = String(max(1, wait.components.seconds + 1))
        return response
    }

    /// - Parameter id: The flow that this browser asked for, which may be another browser's: of two
    ///   cookies, one was lost.
    func expired(_ request: Request, _ id: String?) async throws -> Response {
        // Sets no cookie: a form of another site comes without the browser's cookies, and must not
        // replace them.
        let view = view(request, app: nil)
        let beginning = try await id.asyncMap { try await flows.beginning(of: $0) } ?? nil
        return message(
            view, title: "signin_ended_title", text: "signin_ended_expired", status: .badRequest,
            link: (beginning ?? "/account", view.texts("button_start_again")))
    }

    // MARK: Showing

    private func showFlow(_ request: Request, _ id: String) async throws -> Response {
        let browser = sessions.browser(request)
        guard !browser.isNew,
            let held = try await flows.find(id, browser: sessions.mark(of: browser))
        else {
            // The person went back after signing in: show the account.
            if try await sessions.find(request) != nil { return redirect("/account") }
            return try await expired(request, id)
        }
        let app = try await apps.find(held.flow.app)
        return try await page(of: held, app, request)
    }

    /// The page of the flow's stage.
    private func page(
        of held: SignInFlows.Held, _ app: AppRecord, _ request: Request,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let flow = held.flow
        let view = view(request, app: app, asked: await languages(asked: flow))
        let target = try await formTarget(of: flow)
        switch flow.stage {
        case .choosing: return try await choosingPage(flow, view, request, target)
        case .permission(let proof):
            return permissionPage(
                try await wanted(flow), of: try await name(of: proof.account), flow, view, target)
        case .organization(let proof):
            return try await organizationPage(flow, proof, view, target)
        case .ended(let text):
            return renderer.response(
                WebPage(
                    template: "ended",
                    title: view.texts(
                        flow.grant == nil ? "signin_ended_title" : "error_title"),
                    values: [
                        "text": .text(view.texts(text)), "turn": .text("\(flow.turn)"),
                        "restart": .flag(flow.grant == nil || flow.stepUp != nil),
                        "back": .flag(!target.isEmpty),
                        "link": flow.grant == nil ? false : backToAccount(view),
                    ], formTarget: target), for: view)
        case .step(let answer):
            return try await stepPage(answer, held, view, request, target, status)
        }
    }

    private func backToAccount(_ view: PageView) -> PageValue {
        ["address": "/account", "label": .text(view.texts("button_back_to_account"))]
    }

    private func stepPage(
        _ answer: JourneyAnswer, _ held: SignInFlows.Held, _ view: PageView, _ request: Request,
        _ target: String, _ status: HTTPResponse.Status
    ) async throws -> Response {
        let offers = offersPasskeys(held.flow, answer)
        let step = StepPage(
            answer: answer, flow: held.flow, texts: view.texts, offersPasskeys: offers)
        var page = WebPage(
            template: step.isCapture ? "capture" : "step", title: step.title, values: step.values,
            scripts: ["signin.js"], scriptTexts: ["button_", "passkey_", "error_"],
            formTarget: target, status: status)
        page.values["back"] = .flag(!target.isEmpty)
        page.values["can_remember"] = .flag(held.flow.grant == nil)
        page.values["remembers"] = .flag(held.flow.remembers)
        var cookies: [String] = []
        if step.isCapture, let token = step.startToken,
            let summary = try await captures.summary(token: token)
        {
            try await links.remember(
                .init(
                    capture: summary.id, startToken: token,
                    callbackURL: "\(publicURL())/signin/\(held.id)"),
                browser: held.flow.browser)
            page.scriptTexts += ["capture_", "guidance_", "action_", "refusal_", "camera_"]
            page.data = ["capture": .object(captureData(summary, view, hasReturn: true))]
            cookies.append(captureCookie(token))
        } else {
            page.data = [
                "poll": answer.journeyStepID == .known(.waitForTime)
                    || answer.journeyStepID == .known(.otpTransactionApproval)
                    ? ["seconds": .number(Self.pollSeconds(answer))] : .null,
                "passkey": offers
                    ? try await passkeys.signInOptions(for: view.app!, identifier: nil) : .null,
            ]
        }
        var response = renderer.response(page, for: view)
        for cookie in cookies {
            response.headers.append(.init(name: .setCookie, value: cookie))
        }
        return response
    }

    /// Whether a passkey can sign in beside the journey: on a login form of the standard journey, or
    /// of one that has a branch for passkeys.
    private func offersPasskeys(_ flow: SignInFlow, _ answer: JourneyAnswer) -> Bool {
        guard answer.journeyStepID == .known(.loginForm), passkeys.areOffered else { return false }
        if let stepUp = flow.stepUp { return stepUp.ways.contains(.passkey) }
        guard flow.grant == nil else { return false }
        return flow.journey == AppSettings.standardSignInJourney
            || (answer.data?["branches"]?.arrayValue ?? []).contains {
                $0["kind"]?.stringValue == "passkey"
            }
    }

    /// How long a waiting page waits before it asks again.
    private static func pollSeconds(_ answer: JourneyAnswer) -> Double {
        if let seconds = answer.data?["poll_seconds"]?.numberValue { return max(1, seconds) }
        let left = answer.data?["milliseconds_left"]?.numberValue ?? 3000
        return min(max(1, (left / 1000).rounded(.up)), 30)
    }

    /// The origin that the flow's forms may lead to.
    private func formTarget(of flow: SignInFlow) async throws -> String {
        guard let wanted = try? await wanted(flow) else { return "" }
        return Self.formTargets(wanted.redirectURI)
    }

    /// The authorization request that the flow answers, checked again.
    func wanted(_ flow: SignInFlow) async throws -> AuthorizationService.Request {
        guard case .authorize(let parameters) = flow.goal else {
            throw Problem(.invalidState, "This sign-in does not belong to an app.")
        }
        return try await authorization.request(parameters)
    }

    private func languages(asked flow: SignInFlow) async -> [String] {
        (try? await wanted(flow).languages) ?? []
    }

    func name(of account: UserID) async throws -> String {
        try await store.read { try $0.accounts.find(account)?.shownName } ?? ""
    }

    // MARK: Answering

    /// Answers a form, and the same form again alike.
    private func answerFlow(
        _ request: Request, _ id: String, _ context: MienRequestContext
    ) async throws -> Response {
        let form = try await ownForm(request), browser = sessions.browser(request)
        let mark = sessions.mark(of: browser), address = "/signin/\(id)"
        // Several forms of a page have the same turn.
        let key = FormKey(
            address, form: form["turn"] ?? "", browser: mark, content: form.content)
        let held = try await flows.find(id, browser: mark)
        guard let held, form["turn"] == "\(held.flow.turn)" else {
            if let answer = try await forms.answer(to: key) { return answer }
            // A page from the browser's history does not answer a later step.
            if held != nil { return redirect(address) }
            return try await expired(request, id)
        }
        // If the same form is sent again and the first answer was a page with a complaint, go to
        // the flow's page, which shows it.
        let answer = try await forms.once(
            key, repeated: { $0.headers[.location] == nil ? redirect(address) : $0 },
            first: { try await answerFlow(form, request, id, browser, context) })
        return answer ?? redirect(address)
    }

    private func answerFlow(
        _ form: FormBody, _ request: Request, _ id: String, _ browser: BrowserSessions.Browser,
        _ context: MienRequestContext
    ) async throws -> Response {
        guard var held = try await flows.find(id, browser: sessions.mark(of: browser)) else {
            return try await expired(request, id)
        }
        let app = try await apps.find(held.flow.app), address = "/signin/\(id)"
        // A page from the browser's history does not answer a later step.
        guard form["turn"] == "\(held.flow.turn)" else { return redirect(address) }
        held.flow.turn += 1
        (held.flow.complaint, held.flow.faults) = (nil, [])
        switch form["action"] {
        case "back": return try await refuse(held, request)
        case "restart":
            if let wait = try await starts.take(context.client.key, at: clock.now) {
                return busy(request, wait)
            }
            // A sign-up that is begun again frees the names that it held.
            if case .step(let answer) = held.flow.stage, let state = answer.state {
                try await journeys.abandon(state)
            }
            held.flow.stage = try await firstStage(of: held.flow, app, request)
            return try await keep(held, redirect(address), address)
        case "show":
            held.flow.branch = form["branch"].map { String($0.prefix(64)) }
            return try await keep(held, redirect(address), address)
        default: break
        }
        switch held.flow.stage {
        case .choosing: return try await choose(form, held, app, request, browser, context)
        case .permission(let proof): return try await permit(form, proof, held, app, request)
        case .organization(let proof):
            return try await takeOrganization(form, proof, held, request)
        case .ended: return redirect(address)
        case .step(let answer):
            if let credential = form["credential"], offersPasskeys(held.flow, answer) {
                return try await takePasskey(credential, form, held, app, request, browser)
            }
            return try await respond(form, answer, held, app, request, browser)
        }
    }

    /// Writes the flow, unless another answer came first; then its page is shown.
    func keep(_ held: SignInFlows.Held, _ response: Response, _ address: String) async throws
        -> Response
    {
        try await flows.update(held) ? response : redirect(address)
    }

    /// Brings the browser back to the app without a sign-in.
    private func refuse(_ held: SignInFlows.Held, _ request: Request) async throws -> Response {
        try await flows.end(held.id)
        guard case .authorize = held.flow.goal else { return redirect("/account") }
        let wanted = try await wanted(held.flow)
        return try await bring(
            authorization.redirect(
                of: wanted, error: .accessDenied, "The user went back to the app."))
    }

    /// Passes a form's answer to the journey.
    private func respond(
        _ form: FormBody, _ answer: JourneyAnswer, _ held: SignInFlows.Held, _ app: AppRecord,
        _ request: Request, _ browser: BrowserSessions.Browser
    ) async throws -> Response {
        var held = held
        let address = "/signin/\(held.id)"
        held.flow.remembers = form["remember"] != nil || held.flow.remembers
        let step = StepPage(
            answer: answer, flow: held.flow, texts: view(request, app: app).texts,
            offersPasskeys: false)
        let option: String?
        switch form["outcome"] {
        case "done": option = step.option(.clientInput)
        case "fail": option = step.option(.fail)
        case "cancel": option = step.option(.cancel) ?? step.option(.fail)
        default: option = form["option"]
        }
        guard let option, let chosen = answer.clientResponseOptions[option],
            let state = answer.state
        else { return redirect(address) }
        let (data, hint, typed) = Self.data(form, schema: chosen.schema)
        if let hint { held.flow.hint = hint }
        if !typed.isEmpty { held.flow.typed = typed }
        held.flow.branch = String(option.prefix(64))
        held.flow.wasCapture = step.isCapture
        if step.asksForFace(option), let hint,
            try await isKnownWithoutFace(named: hint, app, request)
        {
            held.flow.complaint = "error_no_face_here"
            guard try await flows.update(held) else { return redirect(address) }
            return try await page(of: held, app, request, status: .badRequest)
        }
        do {
            let bytes = try await journeys.respond(
                RespondRequest(state: state, option: option, data: data))
            let next = try JSONDecoder().decode(JourneyAnswer.self, from: Data(bytes))
            return try await advance(held, to: next, app, request, browser)
        } catch let problem as Problem {
            switch problem.code {
            case .clientResponseNotValid:
                held.flow.complaint = "error_fields"
                held.flow.faults = (problem.errors ?? []).map {
                    String($0.field.split(separator: ".").last ?? "")
                }
                guard try await flows.update(held) else { return redirect(address) }
                return try await page(of: held, app, request, status: .badRequest)
            case .invalidState, .noActiveJourney:
                held.flow.stage = .ended("signin_ended_expired")
                return try await keep(held, redirect(address), address)
            default: throw problem
            }
        }
    }

    /// Reads a form's fields by the schema of an option.
    ///
    /// - Returns: The data, the name that was entered, and everything that is not secret.
    private static func data(_ form: FormBody, schema: JSONValue?) -> (
        JSONValue?, hint: String?, typed: [String: String]
    ) {
        guard let properties = schema?["properties"]?.objectValue, !properties.isEmpty else {
            return (nil, nil, [:])
        }
        var members: [String: JSONValue] = [:], hint: String?, typed: [String: String] = [:]
        for (name, property) in properties {
            let value = form["f_\(name)"]
            switch property["type"]?.stringValue {
            case "boolean": members[name] = .bool(value != nil)
            case "number":
                members[name] = value.flatMap { Double($0) }.flatMap {
                    $0.isFinite ? .number($0) : nil
                }
            default:
                let isCode = property["format"]?.stringValue == "code"
                members[name] = value.map { .string($0) }
                if property["format"]?.stringValue == "username", (value?.utf8.count ?? 0) <= 254 {
                    hint = value
                }
                if !isCode, property["format"]?.stringValue != "password",
                    property["writeOnly"]?.boolValue != true, let value, value.utf8.count <= 1024,
                    typed.count < 32
                {
                    typed[name] = value
                }
            }
        }
        return (.object(members), hint, typed)
    }

    /// Whether this browser is known to belong to the named person, who has no face in the app.
    ///
    /// Such a person is told before the capture. Nobody else is: a stranger would learn who has a
    /// face.
    private func isKnownWithoutFace(named name: String, _ app: AppRecord, _ request: Request)
        async throws -> Bool
    {
        let known = [
            try await device(request)?.account, try await sessions.find(request)?.account.id,
        ].compactMap { $0 }
        let candidates = LoginName.candidates(name), id = app.id
        return try await store.read { tables in
            try known.contains { account in
                guard let record = try tables.accounts.find(account), record.state == .active,
                    record.profile.use({ (try? $0.names()) ?? [] }).contains(
                        where: candidates.contains)
                else { return false }
                return try tables.face(of: record, in: id) == nil
            }
        }
    }

    private func advance(
        _ held: SignInFlows.Held, to next: JourneyAnswer, _ app: AppRecord, _ request: Request,
        _ browser: BrowserSessions.Browser
    ) async throws -> Response {
        var held = held
        let address = "/signin/\(held.id)"
        switch next.journeyStepID {
        case .known(.rejection):
            held.flow.stage = .ended("signin_ended_rejected")
            return try await keep(held, redirect(address), address)
        case .known(.success):
            var cookies = [sessions.cookies.removal(.capture)]
            if let token = next.deviceToken { cookies.append(sessions.cookies.set(.device, token)) }
            if let grant = held.flow.grant, let stepUp = held.flow.stepUp {
                return try await goOn(stepUp, held, for: grant, app, request, cookies: cookies)
            }
            if held.flow.grant != nil {
                // The journey changed something for the signed-in user.
                try await flows.end(held.id)
                guard case .page(let path) = held.flow.goal else { return redirect("/account") }
                return redirect(path, cookies: cookies)
            }
            guard let token = next.token, let proof = grants.journeySignIn(token, app: app)
            else {
                held.flow.stage = .ended("signin_ended_no_user")
                return try await keep(held, redirect(address, cookies: cookies), address)
            }
            return try await signedIn(
                PageProof(
                    account: proof.account, grant: Self.freshGrant(),
                    journey: held.flow.journey.text, methods: proof.methods, at: proof.at,
                    epoch: proof.epoch,
                    authenticators: proof.authenticators, isRecovery: proof.isRecovery,
                    claims: proof.claims), held, app,
                request, browser, cookies: cookies
            ) { try $0.spent.spend(.exchange, proof.tokenHash, until: proof.expiresAt) }
        default:
            if next.journeyStepID != .known(.loginForm) { held.flow.branch = nil }
            held.flow.stage = .step(next)
            guard next.errorData != nil else {
                return try await keep(held, redirect(address), address)
            }
            guard try await flows.update(held) else { return redirect(address) }
            return try await page(of: held, app, request, status: .unauthorized)
        }
    }

    private static func freshGrant() -> GrantID {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    /// Begins the browser's session and goes on to the goal.
    private func signedIn(
        _ proof: PageProof, _ held: SignInFlows.Held, _ app: AppRecord, _ request: Request,
        _ browser: BrowserSessions.Browser, cookies: [String],
        where isGood: @escaping @Sendable (Tables) throws -> Bool = { _ in true }
    ) async throws -> Response {
        var held = held, cookies = cookies
        let address = "/signin/\(held.id)"
        do {
            cookies.append(
                try await sessions.begin(proof, app: app.id, browser, request, where: isGood))
        } catch is OAuthError {
            // The account changed during the sign-in.
            held.flow.stage = .ended("signin_ended_rejected")
            return try await keep(held, redirect(address), address)
        }
        if held.flow.remembers { try await sessions.remember(proof.account, browser) }
        switch held.flow.goal {
        case .page(let path):
            try await flows.end(held.id)
            return redirect(path, cookies: cookies)
        case .authorize:
            let wanted = try await wanted(held.flow)
            if try await needsPermission(wanted, of: proof.account) {
                held.flow.stage = .permission(proof)
                return try await keep(held, redirect(address, cookies: cookies), address)
            }
            return try await finish(wanted, for: proof, held, cookies: cookies)
        }
    }

    // MARK: Passkeys

    /// Adds a passkey's proof to the sign-in of the same person.
    ///
    /// - Returns: `false` if the passkey is somebody else's, or the account changed meanwhile.
    private func strengthen(
        _ grant: GrantID, by owner: PasskeyService.Owner, _ app: AppRecord, _ request: Request
    ) async throws -> Bool {
        let caller = try await PageSignIn(grant: grant, app: app.id).run {
            try await grants.caller(of: request, needed: .signIn)
        }
        guard caller.account.id == owner.account else { return false }
        return try await grants.stepUp(
            grant, SignInProof(methods: owner.methods, at: clock.now), with: [owner.authenticator],
            epoch: owner.epoch)
    }

    private func takePasskey(
        _ text: String, _ form: FormBody, _ held: SignInFlows.Held, _ app: AppRecord,
        _ request: Request, _ browser: BrowserSessions.Browser
    ) async throws -> Response {
        var held = held
        held.flow.remembers = form["remember"] != nil || held.flow.remembers
        do {
            let credential = try BrowserCredential(JSONText.parse(text))
            let owner = try await passkeys.signIn(
                credential, app: app, device: try await device(request))
            if let grant = held.flow.grant, let stepUp = held.flow.stepUp {
                guard try await strengthen(grant, by: owner, app, request) else {
                    throw Problem(.invalidCredentials)
                }
                return try await goOn(stepUp, held, for: grant, app, request, cookies: [])
            }
            var cookies: [String] = []
            if try await device(request)?.account != owner.account,
                let token = try await devices.make(
                    owner.account, app.id, epoch: owner.epoch, methods: [.passkey], at: clock.now)
            {
                cookies.append(sessions.cookies.set(.device, token))
            }
            let proof = PageProof(
                account: owner.account, grant: Self.freshGrant(),
                journey: held.flow.journey.text, methods: owner.methods, at: clock.now,
                epoch: owner.epoch, authenticators: [owner.authenticator],
                isRecovery: false, passkey: owner.authenticator)
            return try await signedIn(proof, held, app, request, browser, cookies: cookies)
        } catch let problem as Problem where problem.status < 500 && problem.status != 429 {
            held.flow.complaint = "error_passkey"
        } catch is JSONTextError {
            held.flow.complaint = "error_passkey"
        }
        guard try await flows.update(held) else { return redirect("/signin/\(held.id)") }
        return try await page(of: held, app, request, status: .unauthorized)
    }
}
