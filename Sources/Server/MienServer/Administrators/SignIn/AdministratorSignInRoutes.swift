internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes with which a page of the portal signs an administrator in. They need no credential,
/// but accept requests of the portal's own pages only, so that no other page can sign a browser in.
package struct AdministratorSignInRoutes {
    let signIns: AdministratorSignIns
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("administrator/session") { request, context in
            try await answer(request, context) { cookies in
                let wanted = try await body.read(
                    AdministratorSignInRequest.self, AdministratorSignInRequest.CodingKeys.self,
                    from: request)
                return try await signIns.passwords.signIn(
                    wanted.name, password: Sensitive(wanted.password),
                    code: Sensitive(wanted.code), cookies)
            }
        }
        router.post("administrator/session/passkey/options") { request, context in
            try AdminCookies.requirePortal(request)
            if let busy = try await limited(context) { return busy }
            return JSONBody.response(try await signIns.passkeys.signInOptions())
        }
        router.post("administrator/session/passkey") { request, context in
            try await answer(request, context) { cookies in
                let wanted = try await body.read(
                    AdministratorPasskeySignInRequest.self,
                    AdministratorPasskeySignInRequest.CodingKeys.self, from: request)
                return try await signIns.passkeys.signIn(wanted.credential, cookies)
            }
        }
        addSetup(.setup, "administrator/setup", to: router)
        addSetup(.invitation, "administrator/invitation", to: router)
    }

    private func addSetup(
        _ kind: AdministratorOffer.Kind, _ path: String, to router: RouterGroup<MienRequestContext>
    ) {
        router.post(RouterPath("\(path)/options")) { request, context in
            try AdminCookies.requirePortal(request)
            if let busy = try await limited(context) { return busy }
            let wanted = try await body.read(
                AdministratorSetupOptionsRequest.self,
                AdministratorSetupOptionsRequest.CodingKeys.self, from: request)
            return JSONBody.response(
                try await signIns.offers.options(kind, code: Sensitive(wanted.code)))
        }
        router.post(RouterPath(path)) { request, context in
            try await answer(request, context) { cookies in
                let wanted = try await body.read(
                    AdministratorSetupRequest.self, AdministratorSetupRequest.CodingKeys.self,
                    from: request)
                return try await signIns.offers.accept(kind, wanted, cookies)
            }
        }
    }

    /// Answers with the cookies of a sign-in. Refusals of all kinds take the same time.
    private func answer(
        _ request: Request, _ context: MienRequestContext,
        _ signIn: (PortalCookies) async throws -> BrowserSignIn
    ) async throws -> Response {
        try AdminCookies.requirePortal(request)
        if let busy = try await limited(context) { return busy }
        let cookies = PortalCookies(request, signIns.cookies)
        let begun = try await EvenPace.keep(step: EvenPace.signUpStep) { try await signIn(cookies) }
        var response = Response(status: .noContent)
        begun.setCookies(signIns.cookies, in: &response)
        return response
    }

    private func limited(_ context: MienRequestContext) async throws -> Response? {
        try await signIns.guesses.take(context.client.key, at: signIns.clock.now).map {
            ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: $0)
        }
    }
}
