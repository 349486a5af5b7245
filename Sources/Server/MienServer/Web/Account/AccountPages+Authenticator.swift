internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore

/// Adding an authenticator app: a QR code, and the first code of the app.
extension AccountPages {
    func addAuthenticator(to router: Router<MienRequestContext>) {
        router.get("account/authenticator") { request, context in
            try await with(request, context) { user in
                try await authenticatorPage(user, context)
            }
        }
        router.post("account/authenticator") { request, context in
            try await answer(request, context) { user, form in
                var body: [String: JSONValue] = ["passcode": .string(form["passcode"] ?? "")]
                if let name = form["name"] { body["name"] = .string(name) }
                do {
                    _ = try await api.send(
                        .put, "/v1/me/otp/authenticator-app", .object(body), as: user.signIn,
                        from: context)
                } catch let problem as Problem where problem.code == .invalidCredentials {
                    return try await authenticatorPage(
                        user, context, complaint: "account_authenticator_wrong")
                }
                return pages.redirect(user.address(done: "account_done_authenticator"))
            }
        }
    }

    private func authenticatorPage(
        _ user: User, _ context: MienRequestContext, complaint: String? = nil
    ) async throws -> Response {
        let texts = user.view.texts
        let made = try await api.send(
            .post, "/v1/me/otp/authenticator-app", .object([:]), as: user.signIn, from: context)
        let size = Int(made["qr_code"]?["size"]?.numberValue ?? 0) + 8
        return pages.renderer.response(
            WebPage(
                template: "authenticator", title: texts("account_add_authenticator"),
                values: [
                    "query": .text(user.query), "back": .text(user.address(done: nil)),
                    "secret": .text(made["secret"]?.stringValue ?? ""),
                    "uri": .text(made["uri"]?.stringValue ?? ""),
                    "path": .text(made["qr_code"]?["path"]?.stringValue ?? ""),
                    "view": .text("-4 -4 \(size) \(size)"),
                    "complaint": .optional(complaint.map { texts($0) }),
                ], status: complaint == nil ? .ok : .badRequest), for: user.view)
    }
}
