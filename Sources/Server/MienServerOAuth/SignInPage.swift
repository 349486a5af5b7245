internal import HTTPTypes
internal import Hummingbird
internal import MienServerCore

/// The sign-in page of the authorization code grant. Contains no scripts and loads nothing from
/// other hosts.
struct SignInPage {
    let appName: String
    /// The query of the authorization request, which the form sends back.
    let query: String
    /// Must match the cookie, so that another site cannot submit this form.
    let mark: String
    var name = ""
    var message: String?
    /// The origin or scheme that the browser is redirected to after the sign-in.
    let target: String

    var response: Response {
        let message =
            message.map { "<p class=\"wrong\" role=\"alert\">\(WebPage.escaped($0))</p>" } ?? ""
        return WebPage.response(
            title: "Sign in to \(appName)",
            body: """
                <h1>Sign in to \(WebPage.escaped(appName))</h1>
                \(message)
                <form method="post" action="?\(WebPage.escaped(query))">
                <input type="hidden" name="mark" value="\(WebPage.escaped(mark))">
                <label for="username">User name or email address</label>
                <input id="username" name="username" value="\(WebPage.escaped(name))" autocomplete="username webauthn" autocapitalize="none" required autofocus>
                <label for="password">Password</label>
                <input id="password" name="password" type="password" autocomplete="current-password" required>
                <button>Sign in</button>
                </form>
                """, formTarget: target)
    }

    /// A page for a faulty request that cannot be reported to an app, because the app is unknown.
    static func fault(_ text: String, status: HTTPResponse.Status = .badRequest) -> Response {
        var response = WebPage.response(
            title: "This link does not work",
            body:
                "<h1>This link does not work</h1><p>\(WebPage.escaped(text))</p><p>Go back to the app and try again. If that does not help, contact the developer of the app.</p>",
            formTarget: "")
        response.status = status
        return response
    }
}
