internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The page for codes that devices without a browser show: RFC 8628 §3.3.
///
/// Somebody who sends another person such a code, or a link with it, wants that person to sign in
/// the sender's device. So the page always asks, names the app, shows the code to compare, and says
/// what happens.
extension WebPages {
    func addDevice(to router: Router<MienRequestContext>) {
        router.get("device") { request, _ in
            let browser = sessions.browser(request)
            let view = view(of: browser, request, app: nil)
            let result = request.uri.queryParameters["result"].map(String.init)
            if let result, ["approved", "denied", "expired"].contains(result) {
                return marking(
                    browser,
                    message(
                        view, title: "device_\(result)_title", text: "device_\(result)_text",
                        link: result == "expired"
                            ? ("/device", view.texts("button_start_again")) : nil))
            }
            let code = request.uri.queryParameters["user_code"].map(String.init) ?? ""
            return marking(browser, codePage(view, String(code.prefix(16))))
        }
        router.post("device") { request, context in
            try await shown(request) {
                do { return try await takeCode(request, context) } catch is OutsideForm {
                    return redirect("/device")
                } catch is OAuthError {
                    return redirect("/device")
                }
            }
        }
    }

    private func takeCode(_ request: Request, _ context: MienRequestContext) async throws
        -> Response
    {
        let form = try await ownForm(request), browser = sessions.browser(request)
        // Before the code is checked, so that nobody finds out codes.
        if let wait = try await deviceCodes.take(context.client.key, at: clock.now) {
            return busy(request, wait)
        }
        let typed = form["user_code"] ?? ""
        guard let parameters = try await authorization.device(typed: typed),
            let code = try await authorization.userCode(of: parameters),
            let hash = parameters.device
        else {
            return codePage(
                view(of: browser, request, app: nil), String(typed.prefix(16)),
                complaint: "device_unknown", status: .badRequest)
        }
        switch form["action"] {
        case "allow":
            let wanted = try await authorization.request(parameters)
            return try await signIn(wanted, parameters, request, context)
        case "deny": return try await bring(authorization.deny(hash))
        default:
            let wanted = try await authorization.request(parameters)
            let view = view(of: browser, request, app: wanted.app)
            let name = try await sessions.find(request)?.account.shownName
            return renderer.response(
                WebPage(
                    template: "device",
                    title: view.texts("device_ask_title", ["app": wanted.app.name]),
                    values: [
                        "asks": true, "code": .text(code),
                        "text": .text(view.texts("device_ask_text", ["app": wanted.app.name])),
                        "signed_in_as": name.map {
                            .text(view.texts("permission_as", ["name": $0]))
                        } ?? false,
                    ]), for: view)
        }
    }

    private func codePage(
        _ view: PageView, _ code: String, complaint: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        renderer.response(
            WebPage(
                template: "device", title: view.texts("device_title"),
                values: [
                    "asks": false, "code": .text(code),
                    "complaint": complaint.map { .text(view.texts($0)) } ?? false,
                ], status: status), for: view)
    }
}
