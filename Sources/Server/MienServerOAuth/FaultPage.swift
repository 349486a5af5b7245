internal import HTTPTypes
internal import Hummingbird
internal import MienServerCore

/// A page for a faulty request that cannot be reported to an app, because the app is unknown.
enum FaultPage {
    static func response(_ text: String, status: HTTPResponse.Status = .badRequest) -> Response {
        var response = WebPage.response(
            title: "This link does not work",
            body:
                "<h1>This link does not work</h1><p>\(WebPage.escaped(text))</p><p>Go back to the app and try again. If that does not help, contact the developer of the app.</p>",
            formTarget: "")
        response.status = status
        return response
    }
}
