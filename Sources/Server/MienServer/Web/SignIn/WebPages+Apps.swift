internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Wishes of apps: single sign-on, prompts, and permission.
extension WebPages: SignInPages {
    package func signIn(
        _ wanted: AuthorizationService.Request, _ parameters: AuthorizationParameters,
        _ request: Request, _ context: MienRequestContext
    ) async throws -> Response {
        let browser = sessions.browser(request), found = try await sessions.find(request)
        // An app without permission learns nothing about the user: the answer does not depend on the hints.
        if wanted.prompts.contains(.none), let found,
            try await lacksPermission(wanted, of: found.session.account)
        {
            return try await bring(
                authorization.redirect(
                    of: wanted, error: .consentRequired,
                    "The user has not allowed this app to know who they are."))
        }
        // A session that answers the request, unless the app wants the person to be asked.
        if let found, try await answers(wanted, found.session), !asksAgain(wanted, found) {
            if try await needsPermission(wanted, of: found.session.account) {
                return try await begin(
                    .permission(found.session.proof), wanted, parameters, request, browser, context)
            }
            guard Self.goesUnnoticed(wanted) else {
                guard !wanted.prompts.contains(.none) else {
                    return try await bring(
                        authorization.redirect(
                            of: wanted, error: .interactionRequired,
                            "A code for this redirect URI needs a click of the user."))
                }
                return try await begin(.choosing, wanted, parameters, request, browser, context)
            }
            return try await finish(
                wanted, for: found.session.proof, parameters, request, browser, context)
        }
        guard !wanted.prompts.contains(.none) else {
            return try await bring(
                authorization.redirect(
                    of: wanted, error: .loginRequired,
                    "Nobody is signed in in this browser, or not as the app requires."))
        }
        let people = try await sessions.people(browser)
        let isChoosing =
            wanted.prompts.contains(.selectAccount)
            ? found != nil || !people.isEmpty : wanted.loginHint == nil && !people.isEmpty
        return try await begin(
            isChoosing ? .choosing : nil, wanted, parameters, request, browser, context)
    }

    func begin(
        _ stage: SignInFlow.Stage?, _ wanted: AuthorizationService.Request,
        _ parameters: AuthorizationParameters, _ request: Request,
        _ browser: BrowserSessions.Browser, _ context: MienRequestContext
    ) async throws -> Response {
        if let wait = try await starts.take(context.client.key, at: clock.now) {
            return busy(request, wait)
        }
        guard let journey = wanted.app.settings.pageJourney else {
            throw Problem(.notPermitted, "This app does not use the sign-in page.")
        }
        let address = try await begin(
            .authorize(parameters), in: wanted.app, journey: journey, hint: wanted.loginHint,
            stage: stage, request, browser)
        return marking(browser, redirect(address))
    }

    // MARK: Single sign-on

    /// Whether a session is as good as what the app's own journey would prove.
    ///
    /// A session counts in another app only if the same journey signs in to both, and a face only
    /// in the app that it was registered for, or for a moment in apps that share it: another app may
    /// require more of either.
    private func answers(_ wanted: AuthorizationService.Request, _ session: BrowserSession)
        async throws -> Bool
    {
        if let maxAge = wanted.maxAge, clock.now - session.proof.at > .seconds(Int64(maxAge)) {
            return false
        }
        // A stronger sign-in than the app asks for is accepted. Values that are not numbers are
        // ignored.
        let levels = wanted.acrValues.compactMap { Int($0) }
        if let least = levels.min(),
            (Int(AuthenticationContext.of(session.proof.methods)) ?? 0) < least
        {
            return false
        }
        return try await counts(session, in: wanted.app)
    }

    /// Authenticators that work in one app only.
    private static let ofOneApp: Set = ["face", "otp", "hwk", "swk", "pop"]

    /// Whether a session counts in an app: the same journey must have made it, and authenticators
    /// that are registered for each app must have been this app's.
    func counts(_ session: BrowserSession, in app: AppRecord) async throws -> Bool {
        let proof = session.proof
        guard proof.journey == app.settings.pageJourney?.text else { return false }
        if session.app == app.id {
            return try await store.read {
                try $0.mayUse(proof.authenticators, of: proof.account, in: app.id)
            }
        }
        if proof.passkey != nil || Self.ofOneApp.isDisjoint(with: proof.methods) { return true }
        return try await sharesFace(of: session, with: app)
    }

    /// Whether the face of a session of another app signs in to this one: the apps share it, it was
    /// seen a moment ago, and this app asks for no more than the one that saw it.
    private func sharesFace(of session: BrowserSession, with app: AppRecord) async throws -> Bool {
        let proof = session.proof, now = clock.now
        guard Self.ofOneApp.intersection(proof.methods) == ["face"] else { return false }
        return try await store.read { tables in
            guard
                let group = try tables.group(
                    ofFaceIn: proof.authenticators, of: proof.account, for: app.id),
                now - proof.at < group.maxAge, let seen = try tables.apps.find(session.app)
            else { return false }
            return app.settings.asksForFace(noMoreThan: seen.settings)
        }
    }

    /// Whether a session opens the account page of an app: it counts there, and so does what the
    /// user has proved since.
    func opensAccount(_ session: BrowserSession, in app: AppRecord) async throws -> Bool {
        guard session.stepUpApp.map({ $0 == app.id }) ?? true else { return false }
        return try await counts(session, in: app)
    }

    /// Whether a code may go to the app without a click.
    ///
    /// Any app on a device can claim a scheme of its own, so a code must not go there unnoticed:
    /// RFC 8252 §8.6.
    private static func goesUnnoticed(_ wanted: AuthorizationService.Request) -> Bool {
        wanted.redirectURI.hasPrefix("https://") || wanted.redirectURI.hasPrefix("http://")
            || wanted.app.type == .confidential
    }

    private func asksAgain(
        _ wanted: AuthorizationService.Request, _ found: BrowserSessions.Found
    ) -> Bool {
        if wanted.prompts.contains(.login) || wanted.prompts.contains(.selectAccount) {
            return true
        }
        if let expected = wanted.expectedAccount, expected != found.account.id { return true }
        guard let hint = wanted.loginHint else { return false }
        let hinted = Set(LoginName.candidates(hint))
        let names = found.account.profile.use { [$0.username, $0.email, $0.externalID] }
        return !names.compactMap { $0 }.contains {
            !hinted.isDisjoint(with: LoginName.candidates($0))
        }
    }

    // MARK: Accounts to choose from

    func choosingPage(
        _ flow: SignInFlow, _ view: PageView, _ request: Request, _ target: String
    ) async throws -> Response {
        let browser = sessions.browser(request), found = try await sessions.find(request)
        var people = try await sessions.people(browser)
        if let found, let name = found.account.shownName,
            !people.contains(where: { $0.id == found.account.id })
        {
            people.insert((found.account.id, name), at: 0)
        }
        return renderer.response(
            WebPage(
                template: "choose", title: view.texts("signin_choose_title"),
                values: [
                    "turn": .text("\(flow.turn)"), "back": .flag(!target.isEmpty),
                    "people": .list(
                        people.map { person in
                            [
                                "id": .text(person.id.text), "name": .text(person.name),
                                "letter": .text(
                                    String(person.name.prefix(1)).uppercased()),
                                "is_signed_in": .flag(person.id == found?.account.id),
                                "forget": .text(
                                    view.texts("signin_forget", ["name": person.name])),
                            ]
                        }),
                ], formTarget: target), for: view)
    }

    func choose(
        _ form: FormBody, _ held: SignInFlows.Held, _ app: AppRecord, _ request: Request,
        _ browser: BrowserSessions.Browser, _ context: MienRequestContext
    ) async throws -> Response {
        var held = held
        let address = "/signin/\(held.id)"
        let chosen = form["account"].flatMap { UserID($0) }
        if let chosen, form["action"] == "forget" {
            try await sessions.forget(chosen, browser)
            return try await keep(held, redirect(address), address)
        }
        if let chosen, let found = try await sessions.find(request), found.account.id == chosen,
            case .authorize = held.flow.goal
        {
            let wanted = try await wanted(held.flow)
            if try await answers(wanted, found.session), !wanted.prompts.contains(.login) {
                if try await needsPermission(wanted, of: chosen) {
                    held.flow.stage = .permission(found.session.proof)
                    return try await keep(held, redirect(address), address)
                }
                return try await finish(wanted, for: found.session.proof, held)
            }
        }
        if let wait = try await starts.take(context.client.key, at: clock.now) {
            return busy(request, wait)
        }
        // Fill in a name only for a person whom this browser remembers.
        let people = try await sessions.people(browser)
        held.flow.hint = people.first { $0.id == chosen }?.name ?? held.flow.hint
        held.flow.remembers = chosen != nil
        held.flow.stage = try await firstStage(of: held.flow, app, request)
        return try await keep(held, redirect(address), address)
    }

    // MARK: Permission of third-party apps

    func needsPermission(_ wanted: AuthorizationService.Request, of account: UserID) async throws
        -> Bool
    {
        // A user whom the app did not expect is refused without being asked.
        if let expected = wanted.expectedAccount, expected != account { return false }
        return try await lacksPermission(wanted, of: account)
    }

    private func lacksPermission(
        _ wanted: AuthorizationService.Request, of account: UserID
    ) async throws -> Bool {
        guard !wanted.app.isFirstParty else { return false }
        if wanted.prompts.contains(.consent) { return true }
        let app = wanted.app.id
        let given = try await store.read { try $0.permissions.scope(of: account, app: app) }
        return given.flatMap { Scope($0) }.map { !wanted.permitted.isSubset(of: $0) } ?? true
    }

    func permissionPage(
        _ wanted: AuthorizationService.Request, of name: String, _ flow: SignInFlow,
        _ view: PageView, _ target: String
    ) -> Response {
        let scopes = view.scopes(wanted.permitted.words).map { PageValue.text($0) }
        return renderer.response(
            WebPage(
                template: "permission",
                title: view.texts("permission_title", ["app": wanted.app.name]),
                values: [
                    "turn": .text("\(flow.turn)"), "name": .text(name),
                    "signed_in_as": .text(view.texts("permission_as", ["name": name])),
                    "scopes": .list(scopes), "has_scopes": .flag(!scopes.isEmpty),
                    "leads_to": .text(
                        view.texts("permission_leads_to", ["address": target])),
                ], formTarget: target), for: view)
    }

    func permit(
        _ form: FormBody, _ proof: PageProof, _ held: SignInFlows.Held, _ app: AppRecord,
        _ request: Request
    ) async throws -> Response {
        let wanted = try await wanted(held.flow)
        guard form["action"] == "allow" else {
            try await flows.end(held.id)
            return try await bring(
                authorization.redirect(
                    of: wanted, error: .accessDenied, "The user did not allow it."))
        }
        // The permission is that of the person in front of this browser now.
        guard let found = try await sessions.find(request), found.account.id == proof.account else {
            var held = held
            held.flow.stage = .ended("signin_ended_expired")
            return try await keep(held, redirect("/signin/\(held.id)"), "/signin/\(held.id)")
        }
        let now = clock.now, account = proof.account, app = app.id, asked = wanted.permitted
        try await store.write { tables in
            let before = try tables.permissions.scope(of: account, app: app).flatMap { Scope($0) }
            let all = asked.words + (before?.words ?? []).filter { !asked.contains($0) }
            try tables.permissions.put(
                Scope(words: all).text, of: account, app: app, at: now)
            try tables.audit.append(
                AuditEvent(
                    "permission.given", actor: "user", account: account, app: app,
                    detail: ["scope": .string(asked.text)]), at: now)
        }
        return try await finish(wanted, for: proof, held)
    }

    // MARK: Going back to the app

    /// Sends the browser to the app with an answer.
    func bring(_ answer: AuthorizationAnswer, cookies: [String] = []) async throws -> Response {
        redirect(try await authorization.location(of: answer), cookies: cookies)
    }

    package func post(_ answer: AuthorizationAnswer, _ request: Request) -> Response {
        let view = view(request, app: nil)
        return renderer.response(
            WebPage(
                template: "post", title: view.texts("signin_continue_title"),
                values: [
                    "action": .text(answer.address),
                    "fields": .list(
                        answer.parameters.map {
                            ["name": .text($0.name), "value": .text($0.value)]
                        }),
                ], scripts: ["post.js"], formTarget: Self.formTargets(answer.address)),
            for: view)
    }
}

extension AppSettings {
    /// Whether a face that passed in an app with other settings passes under these: only if they are
    /// the same. An app without settings of its own has the server's, which may ask for more.
    fileprivate func asksForFace(noMoreThan other: AppSettings) -> Bool {
        liveness == other.liveness && faceThreshold == other.faceThreshold
    }
}
