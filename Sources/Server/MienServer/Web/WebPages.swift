internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
package import MienStore

/// The pages of the server: capture, sign-in, and account.
///
/// They act for apps and users through the services behind the API, and can do nothing that the API
/// cannot.
package struct WebPages: Sendable {
    let store: Store
    let apps: AppCatalog
    let defaults: PageDefaults
    let grants: GrantService
    let changes: AuthenticatorChanges
    let journeys: JourneyService
    let authorization: AuthorizationService
    let captures: CaptureService
    let links: CaptureLinks
    let verifications: VerificationSessions
    let documentLinks: DocumentLinks
    let devices: KnownDeviceService
    let passkeys: PasskeyService
    let sessions: BrowserSessions
    let flows: SignInFlows
    let forms: FormAnswers
    let renderer: PageRenderer
    /// Sign-ins that an address begins.
    let starts: RateLimiter
    /// Codes of devices that an address tries.
    let deviceCodes: RateLimiter
    let clock: ServerClock
    let budget: BodyBudget
    let publicURL: @Sendable () -> String

    package init(
        store: Store, apps: AppCatalog, defaults: PageDefaults, grants: GrantService,
        changes: AuthenticatorChanges, journeys: JourneyService,
        authorization: AuthorizationService, captures: CaptureService, links: CaptureLinks,
        verifications: VerificationSessions,
        devices: KnownDeviceService, passkeys: PasskeyService, starts: RateLimiter,
        deviceCodes: RateLimiter,
        clock: ServerClock, budget: BodyBudget, publicURL: @escaping @Sendable () -> String
    ) throws {
        (self.store, self.apps, self.grants, self.journeys) = (store, apps, grants, journeys)
        (self.changes, self.defaults) = (changes, defaults)
        (self.authorization, self.captures, self.links) = (authorization, captures, links)
        (self.devices, self.passkeys, self.starts) = (devices, passkeys, starts)
        (self.clock, self.budget, self.publicURL) = (clock, budget, publicURL)
        (self.verifications, self.deviceCodes) = (verifications, deviceCodes)
        documentLinks = DocumentLinks(store: store, clock: clock, publicURL: publicURL)
        sessions = BrowserSessions(
            store: store, grants: grants, clock: clock, publicURL: publicURL)
        flows = SignInFlows(store: store, clock: clock)
        forms = FormAnswers(store: store, clock: clock)
        renderer = try PageRenderer()
    }

    /// - Parameter api: Answers the API's requests within the process.
    package func add(to router: Router<MienRequestContext>, api: InternalAPI) {
        renderer.assets.add(to: router)
        router.get("web/theme/:app") { _, context in
            let id = try AppID(context.parameters.require("app"), field: "app")
            guard let app = try? await apps.find(id) else { throw HTTPError(.notFound) }
            return try theme(defaults.look(of: app))
        }
        router.get("web/theme") { _, _ in try theme(defaults.settings) }
        router.post("web/language") { request, _ in
            let form = try await form(request)
            guard let language = form["language"].flatMap({ renderer.languages[$0] }) else {
                throw HTTPError(.badRequest)
            }
            return Response(
                status: .seeOther,
                headers: [
                    .location: localPath(form["back"]),
                    .setCookie: sessions.cookies.set(.language, language.tag),
                ])
        }
        addSignIn(to: router)
        addDevice(to: router)
        addVerify(to: router)
        addDocument(to: router)
        AccountPages(pages: self, api: api).add(to: router)
    }

    private func theme(_ look: PageSettings) throws -> Response {
        guard let css = PageRenderer.css(of: look) else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/css; charset=utf-8",
                .cacheControl: "public, max-age=31536000, immutable",
            ], body: .init(byteBuffer: .init(string: css)))
    }

    // MARK: Shared

    static let formBytes = 64 * 1024

    /// - Throws: ``OAuthError`` for a malformed form.
    func form(_ request: Request) async throws -> FormBody {
        try await FormBody(request, maxBytes: Self.formBytes, budget: budget)
    }

    /// Reads a form of a page of ours.
    ///
    /// - Throws: ``OutsideForm`` if it comes from elsewhere.
    func ownForm(_ request: Request) async throws -> FormBody {
        let form = try await form(request)
        guard sessions.isOwn(request, token: form["csrf"]) else { throw OutsideForm() }
        return form
    }

    /// A form that did not come from a page of this server in this browser.
    struct OutsideForm: Error {}

    func view(_ request: Request, app: AppRecord?, asked: [String] = []) -> PageView {
        let browser = sessions.browser(request), look = defaults.look(of: app)
        let language = renderer.languages.choose(
            chosen: sessions.cookies.value(.language, request), asked: asked,
            accepted: request.headers[.acceptLanguage], standard: look.language)
        return PageView(
            texts: PageTexts(language, in: renderer.languages, own: look.texts),
            app: app, look: look, csrf: sessions.csrf(of: browser),
            path: request.method == .get || request.uri.path.hasPrefix("/signin/")
                ? localPath(request.uri.string) : nil)
    }

    /// Adds the cookie that tells this browser apart, if it has none.
    func marking(_ browser: BrowserSessions.Browser, _ response: Response) -> Response {
        guard browser.isNew else { return response }
        var response = response
        response.headers.append(
            .init(name: .setCookie, value: sessions.cookies.set(.browser, browser.secret)))
        return response
    }

    /// A view for a browser that gets its cookie with this response.
    func view(of browser: BrowserSessions.Browser, _ request: Request, app: AppRecord?)
        -> PageView
    {
        let view = view(request, app: app)
        return PageView(
            texts: view.texts, app: app, look: view.look, csrf: sessions.csrf(of: browser),
            path: view.path)
    }

    /// A short message, with a way on.
    func message(
        _ view: PageView, title: String, text: String, status: HTTPResponse.Status = .ok,
        link: (address: String, label: String)? = nil, formTarget: String = ""
    ) -> Response {
        renderer.response(
            WebPage(
                template: "ended", title: view.texts(title),
                values: [
                    "text": .text(view.texts(text)),
                    "link": link.map { ["address": .text($0.address), "label": .text($0.label)] }
                        ?? false,
                ], formTarget: formTarget, status: status), for: view)
    }

    /// Shows problems as a page, because a person reads it.
    func shown(_ request: Request, _ body: () async throws -> Response) async throws -> Response {
        do { return try await body() } catch let problem as Problem {
            return problemPage(problem, request)
        } catch is AuthorizationService.Fault {
            // The app's settings changed meanwhile.
            return problemPage(Problem(.invalidRequest), request)
        } catch is ServerBusy {
            return problemPage(Problem(.unavailable), request)
        }
    }

    private func problemPage(_ problem: Problem, _ request: Request) -> Response {
        let view = view(request, app: nil), key = "error_\(problem.code.rawValue)"
        return message(
            view, title: "error_title", text: view.texts.has(key) ? key : "error_failed",
            status: .init(code: problem.status))
    }

    /// Keeps an address to return to within this server.
    func localPath(_ path: String?) -> String {
        guard let path, path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("\\"),
            path.utf8.count <= 2048, path.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return "/account" }
        return path
    }

    func redirect(_ address: String, cookies: [String] = []) -> Response {
        var response = Response(
            status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
        for cookie in cookies {
            response.headers.append(.init(name: .setCookie, value: cookie))
        }
        return response
    }

    /// The origin or scheme of an app's address, for the policy `form-action`, which compares
    /// scheme and host only. The scheme alone for an IPv6 address, which a policy cannot name.
    static func formTarget(_ address: String) -> String {
        let origin = BrowserSessions.origin(String(address.prefix { $0 != "?" }))
        return origin.hasPrefix("http") && !origin.contains("[")
            ? origin : "\(origin.prefix { $0 != ":" }):"
    }

    /// Where the form of a page that leads to an app may lead: the app, and wherever the app goes on.
    ///
    /// Browsers apply `form-action` to every redirect after a form, also to those of the app: a
    /// callback of `api.example.org` that goes on to `app.example.org` would leave the person on the
    /// sign-in page.
    static func formTargets(_ address: String) -> String {
        let target = formTarget(address)
        if target.hasPrefix("https://") { return "\(target) https:" }
        // Apps without TLS are on this machine only.
        return target.hasPrefix("http://") ? "\(target) http: https:" : target
    }

    /// The start token of a capture, as a cookie.
    func captureCookie(_ startToken: String) -> String {
        sessions.cookies.set(.capture, startToken)
    }
}
