internal import HTTPTypes
internal import Hummingbird
internal import MienAccess
internal import MienCore
internal import MienServerAccess
internal import MienServerCore

/// The pages that links in emails open. They look like the sign-in page.
enum NoticePage {
    /// Describes what the link does, with a button that does it.
    static func confirmation(_ status: MailedLinkService.Status, code: String) -> Response {
        switch status {
        case .unknown: unknown
        case .spent: spent
        case .open(.authenticator(let type, let addedAt)):
            page(
                "Remove this \(type.noun)?",
                """
                <p>\(type.indefiniteNoun) was added to your account on \(addedAt.noticeText).</p>
                <p>If you added it, close this page. If you did not, remove it. Sign-ins that used it will end, too.</p>
                <form method="post" action="?">
                <input type="hidden" name="code" value="\(WebPage.escaped(code))">
                <button>Remove the \(type.noun)</button>
                </form>
                """)
        case .open(.recovery(let requestedAt)):
            page(
                "Cancel this recovery?",
                """
                <p>Someone asked to recover access to your account on \(requestedAt.noticeText).</p>
                <p>If that was you, close this page. If it was not, cancel the request.</p>
                <form method="post" action="?">
                <input type="hidden" name="code" value="\(WebPage.escaped(code))">
                <button>Cancel the recovery</button>
                </form>
                """)
        }
    }

    /// - Parameter status: The status that ``MailedLinkService/use(_:)`` returned.
    static func result(_ status: MailedLinkService.Status) -> Response {
        switch status {
        case .unknown: unknown
        case .spent: spent
        case .open(.authenticator(let type, addedAt: _)):
            page(
                "The \(type.noun) was removed",
                "<p>It can no longer be used, and the sign-ins that used it have ended. Check your other sign-in methods.</p>"
            )
        case .open(.recovery):
            page(
                "The recovery was canceled",
                "<p>Nothing about your account has changed. The person who made the request may be able to read your mail, so check your email account, too.</p>"
            )
        }
    }

    static func malformed(_ status: HTTPResponse.Status) -> Response {
        page(
            "This link does not work",
            "<p>The form is malformed. Open the link in the email again.</p>", status)
    }

    /// The same page for wrong and expired codes.
    private static var unknown: Response {
        page(
            "This link does not work",
            "<p>The link is incomplete or has expired. Links in emails work for seven days.</p>",
            .notFound)
    }

    private static var spent: Response {
        page(
            "This link was already used",
            "<p>Its subject has been removed or replaced. Nothing else was changed. A newer email may contain a link that works.</p>",
            .gone)
    }

    private static func page(_ title: String, _ body: String, _ status: HTTPResponse.Status = .ok)
        -> Response
    {
        var response = WebPage.response(
            title: title, body: "<h1>\(WebPage.escaped(title))</h1>\n\(body)", formTarget: "")
        response.status = status
        return response
    }
}
