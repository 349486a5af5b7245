internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of an administrator's own sign-in methods and sessions.
package struct OwnMethodRoutes {
    let signIns: AdministratorSignIns
    let body: JSONBody

    private var own: OwnMethods { signIns.own }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("administrator/methods") { _, context in
            guard let admin = context.administrator else { throw Problem(.invalidCredentials) }
            return JSONBody.response(
                try await own.list(of: admin, context.administratorSession))
        }
        router.delete("administrator/session") { request, context in
            try await signOut(request, context, everywhere: false)
        }
        router.delete("administrator/sessions") { request, context in
            try await signOut(request, context, everywhere: true)
        }
        router.post("administrator/passkeys/options") { request, context in
            JSONBody.response(try await own.passkeyOptions(caller(request, context)))
        }
        router.post("administrator/passkeys") { request, context in
            let caller = try caller(request, context)
            let wanted = try await body.read(
                AdministratorPasskeyRequest.self, AdministratorPasskeyRequest.CodingKeys.self,
                from: request)
            return JSONBody.response(
                try await own.addPasskey(wanted.credential, named: wanted.name, caller),
                status: .created)
        }
        router.delete("administrator/passkeys/:passkey") { request, context in
            let caller = try caller(request, context)
            let id = try AuthenticatorID(context.parameters.require("passkey"), field: "passkey")
            try await own.removePasskey(id, caller)
            return Response(status: .noContent)
        }
        addPassword(to: router)
    }

    private func addPassword(to router: RouterGroup<MienRequestContext>) {
        router.put("administrator/password") { request, context in
            let caller = try caller(request, context)
            let wanted = try await body.read(
                AdministratorPasswordRequest.self, AdministratorPasswordRequest.CodingKeys.self,
                from: request)
            try await own.setPassword(Sensitive(wanted.password), caller)
            return Response(status: .noContent)
        }
        router.delete("administrator/password") { request, context in
            try await own.removePassword(caller(request, context))
            return Response(status: .noContent)
        }
        router.post("administrator/authenticator-app/options") { request, context in
            JSONBody.response(try await own.appOptions(caller(request, context)))
        }
        router.put("administrator/authenticator-app") { request, context in
            let caller = try caller(request, context)
            let wanted = try await body.read(
                AuthenticatorAppRequest.self, AuthenticatorAppRequest.CodingKeys.self,
                from: request)
            try await own.setApp(wanted, caller)
            return Response(status: .noContent)
        }
    }

    /// - Throws: ``Problem`` `.invalidCredentials` without a session.
    private func caller(_ request: Request, _ context: MienRequestContext) throws
        -> OwnMethods.Caller
    {
        guard let session = context.administratorSession, let hash = hash(request) else {
            throw Problem(.invalidCredentials)
        }
        return OwnMethods.Caller(session: session, hash: hash)
    }

    private func hash(_ request: Request) -> [UInt8]? {
        signIns.cookies.secret(.session, request).map {
            signIns.store.keys.hash(ofSecret: $0)
        }
    }

    /// Ends the session of the request, or all of the administrator's.
    private func signOut(
        _ request: Request, _ context: MienRequestContext, everywhere: Bool
    ) async throws -> Response {
        guard let admin = context.administrator else { throw Problem(.invalidCredentials) }
        let now = signIns.clock.now
        // A request with a credential may also carry a cookie, of another administrator's session.
        // Ignore it.
        let hash = context.administratorSession == nil ? nil : hash(request)
        try await signIns.store.write { tables in
            var ended = 0
            if everywhere {
                ended = try tables.adminSessions.removeAll(of: admin)
            } else if let hash, try tables.adminSessions.remove(hash) {
                ended = 1
            }
            guard ended > 0 else { return }
            try tables.audit.append(
                AuditEvent(
                    "administrator.signed-out", actor: admin.text,
                    detail: ["sessions": .number(Double(ended))]), at: now)
        }
        var response = Response(status: .noContent)
        if hash != nil {
            response.headers[.setCookie] = signIns.cookies.removal(.session)
        }
        return response
    }
}
