internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Signing out, and telling the apps in the browser: OpenID Connect Front-Channel Logout 1.0.
extension WebPages {
    /// The most apps that a page tells at once.
    private static let maxFrames = 32

    func addSignOut(to router: Router<MienRequestContext>) {
        router.post("signout") { request, _ in
            let form: FormBody
            do { form = try await ownForm(request) } catch is OutsideForm {
                return try await expired(request, nil)
            }
            let wish = try await SignOutRequest(form, in: store)
            guard let (hash, session) = try await sessions.held(request) else {
                return signedOut([], wish, cookies: [], request)
            }
            let ended = try await grants.end(
                SignOut(
                    account: session.account, app: wish.app?.id, grant: nil,
                    browser: session.proof.grant, isOfBrowser: wish.endsBrowser))
            return signedOut(
                try await frames(of: ended), wish, cookies: try await forget(hash), request)
        }
    }

    package func signOut(_ wish: SignOutRequest, _ request: Request) async throws -> Response {
        guard let signIn = wish.signIn else { return signedOut([], wish, cookies: [], request) }
        let held = try await sessions.held(request).flatMap {
            $0.session.account == signIn.account ? $0 : nil
        }
        let ended = try await grants.end(
            SignOut(
                account: signIn.account, app: signIn.app, grant: signIn.grant,
                browser: held?.session.proof.grant, isOfBrowser: wish.endsBrowser))
        var signIns: [(app: AppID?, grant: GrantID)] = ended.map { ($0.app, $0.id) }
        // The app's session in this browser may outlive a sign-in that was swept.
        if !ended.contains(where: { $0.id == signIn.grant }) {
            signIns.insert((signIn.app, signIn.grant), at: 0)
        }
        let cookies = try await held.asyncMap { try await forget($0.hash) } ?? []
        return signedOut(try await frames(of: signIns), wish, cookies: cookies, request)
    }

    package func signOutQuestion(_ wish: SignOutRequest, _ request: Request) async throws
        -> Response?
    {
        guard let found = try await sessions.find(request) else { return nil }
        let view = view(request, app: wish.app)
        return renderer.response(
            WebPage(
                template: "confirm", title: view.texts("signout_title"),
                values: [
                    "text": .text(
                        view.texts("signout_text", ["name": found.account.shownName ?? ""])),
                    "action": "/signout", "button": .text(view.texts("button_sign_out")),
                    "danger": false, "back": "/account", "fields": [],
                    "hidden": .list(
                        wish.asked.map { ["name": .text($0.name), "value": .text($0.value)] }),
                ], formTarget: wish.target.map { Self.formTargets($0) } ?? ""), for: view)
    }

    /// Ends the browser's own sign-in, for pages that have no other.
    ///
    /// - Returns: The cookies to remove, as values of `Set-Cookie`.
    package func endSession(_ request: Request) async throws -> [String] {
        guard try await sessions.end(request) else { return [] }
        return [sessions.cookies.removal(.session)]
    }

    private func forget(_ session: [UInt8]) async throws -> [String] {
        try await store.write { try $0.web.delete(.session, session) }
        return [sessions.cookies.removal(.session)]
    }

    // MARK: Frames

    private func frames(of ended: [TokenGrantRecord]) async throws -> [String] {
        try await frames(of: ended.map { ($0.app, $0.id) })
    }

    /// The addresses that tell apps in this browser of sign-ins that have ended.
    private func frames(of ended: [(app: AppID?, grant: GrantID)]) async throws -> [String] {
        let ids = Set(ended.compactMap(\.app)), issuer = publicURL()
        let apps = try await store.read { tables in
            try ids.reduce(into: [AppID: AppRecord]()) { $0[$1] = try tables.apps.find($1) }
        }
        let all = ended.compactMap { signIn in
            signIn.app.flatMap { apps[$0] }?.settings.frontChannelLogout(
                of: signIn.grant.text, from: issuer)
        }
        var known = Set<String>()
        return Array(all.filter { known.insert($0).inserted }.prefix(Self.maxFrames))
    }

    /// Sends the browser on, by way of a page that tells the apps if there are any to tell.
    private func signedOut(
        _ frames: [String], _ wish: SignOutRequest, cookies: [String], _ request: Request
    ) -> Response {
        if frames.isEmpty, let target = wish.target { return redirect(target, cookies: cookies) }
        let view = view(request, app: wish.app)
        var page = WebPage(
            template: "signedout", title: view.texts("signout_done_title"),
            values: [
                "text": .text(
                    view.texts(wish.target == nil ? "signout_done_text" : "signout_going_text")),
                "target": .optional(wish.target),
                "detail": .optional(wish.isMisdirected ? EndSession.misdirected : nil),
                "frames": .list(frames.map { .text($0) }),
            ], scripts: wish.target == nil ? [] : ["signout.js"],
            status: wish.isMisdirected ? .badRequest : .ok)
        page.frames = Set(frames.map { Self.formTarget($0) }).sorted()
        var response = renderer.response(page, for: view)
        for cookie in cookies {
            response.headers.append(.init(name: .setCookie, value: cookie))
        }
        return response
    }
}

extension SignOutRequest {
    /// Whether every app's sign-in of the browser ends with this one.
    fileprivate var endsBrowser: Bool { app?.settings.logoutScope == .browser }
}
