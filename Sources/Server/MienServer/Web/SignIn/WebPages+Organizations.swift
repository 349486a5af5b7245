internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The last part of a sign-in to an app: through which organization.
extension WebPages {
    /// Brings the browser back to the app, or asks the person to choose an organization.
    ///
    /// - Parameter held: The sign-in in progress; `nil` for a request that a session answers.
    func finish(
        _ wanted: AuthorizationService.Request, for proof: PageProof, _ held: SignInFlows.Held,
        cookies: [String] = []
    ) async throws -> Response {
        let stage: SignInFlow.Stage
        switch try await choice(wanted, wanted.organization, of: proof.account) {
        case .none: return try await end(held, wanted, for: proof, through: nil, cookies)
        case .chosen(let access):
            return try await end(held, wanted, for: proof, through: access.id, cookies)
        case .several: stage = .organization(proof)
        case .refused(let refusal): stage = .ended("signin_ended_\(refusal.rawValue)")
        }
        var held = held
        held.flow.stage = stage
        let address = "/signin/\(held.id)"
        return try await keep(held, redirect(address, cookies: cookies), address)
    }

    /// The same for a request that a session answers without a sign-in in progress.
    func finish(
        _ wanted: AuthorizationService.Request, for proof: PageProof,
        _ parameters: AuthorizationParameters, _ request: Request,
        _ browser: BrowserSessions.Browser, _ context: MienRequestContext
    ) async throws -> Response {
        let isSilent = wanted.prompts.contains(.none)
        switch try await choice(wanted, wanted.organization, of: proof.account) {
        case .none:
            return try await bring(
                authorization.redirect(of: wanted, for: proof, through: nil))
        case .chosen(let access):
            return try await bring(
                authorization.redirect(of: wanted, for: proof, through: access.id))
        case .several where isSilent:
            return try await bring(
                authorization.redirect(
                    of: wanted, error: .interactionRequired,
                    "The user belongs to several organizations. Send organization with the ID of one."
                ))
        case .refused where isSilent:
            return try await bring(
                authorization.redirect(
                    of: wanted, error: .accessDenied,
                    "The user may not sign in to this app through such an organization."))
        case .several:
            return try await begin(
                .organization(proof), wanted, parameters, request, browser, context)
        case .refused(let refusal):
            return try await begin(
                .ended("signin_ended_\(refusal.rawValue)"), wanted, parameters, request, browser,
                context)
        }
    }

    func organizationPage(
        _ flow: SignInFlow, _ proof: PageProof, _ view: PageView, _ target: String
    ) async throws -> Response {
        let wanted = try await wanted(flow)
        var organizations: [OrganizationAccess] = []
        // Show the choice even if only one organization is left.
        switch try await choice(wanted, .open, of: proof.account) {
        case .several(let all): organizations = all
        case .chosen(let access): organizations = [access]
        case .none, .refused: break
        }
        let name = try await name(of: proof.account)
        return renderer.response(
            WebPage(
                template: "organization", title: view.texts("signin_organization_title"),
                values: [
                    "turn": .text("\(flow.turn)"), "back": .flag(!target.isEmpty),
                    "signed_in_as": .text(view.texts("permission_as", ["name": name])),
                    "without": .flag(wanted.app.settings.organizations.use == .allow),
                    "organizations": .list(
                        organizations.map { access in
                            [
                                "id": .text(access.id.text), "name": .text(access.name),
                                "letter": .text(String(access.name.prefix(1)).uppercased()),
                            ]
                        }),
                ], formTarget: target), for: view)
    }

    /// Takes the organization that the person chose.
    func takeOrganization(
        _ form: FormBody, _ proof: PageProof, _ held: SignInFlows.Held, _ request: Request
    ) async throws -> Response {
        let wanted = try await wanted(held.flow), address = "/signin/\(held.id)"
        var held = held
        // The choice is that of the person in front of this browser now.
        guard let found = try await sessions.find(request), found.account.id == proof.account else {
            held.flow.stage = .ended("signin_ended_expired")
            return try await keep(held, redirect(address), address)
        }
        guard let chosen = form["organization"] else { return redirect(address) }
        switch try await choice(wanted, OrganizationWish(chosen), of: proof.account) {
        case .none: return try await end(held, wanted, for: proof, through: nil, [])
        case .chosen(let access):
            return try await end(held, wanted, for: proof, through: access.id, [])
        case .several: return redirect(address)
        case .refused(let refusal):
            held.flow.stage = .ended("signin_ended_\(refusal.rawValue)")
            return try await keep(held, redirect(address), address)
        }
    }

    private func end(
        _ held: SignInFlows.Held, _ wanted: AuthorizationService.Request, for proof: PageProof,
        through organization: OrganizationID?, _ cookies: [String]
    ) async throws -> Response {
        try await flows.end(held.id)
        return try await bring(
            authorization.redirect(of: wanted, for: proof, through: organization),
            cookies: cookies)
    }

    private func choice(
        _ wanted: AuthorizationService.Request, _ wish: OrganizationWish, of account: UserID
    ) async throws -> OrganizationChoice {
        // The app gets no code for a user whom it did not expect, and learns nothing else.
        if let expected = wanted.expectedAccount, expected != account { return .none }
        let app = wanted.app
        return try await store.read { try $0.chooseOrganization(of: account, in: app, wish) }
    }
}
