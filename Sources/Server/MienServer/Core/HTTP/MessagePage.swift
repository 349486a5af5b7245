package import HTTPTypes
package import Hummingbird

/// A page that tells a person something, with at most one button. The target with the pages for
/// people writes it, in the person's language.
package struct MessagePage: Sendable {
    /// A button that sends a form to the page's own address.
    package struct Form: Sendable {
        /// The name of its text.
        package let button: String
        /// A hidden field.
        package let field: (name: String, value: String)
    }

    /// The name of its texts: `notice_spent` has `notice_spent_title` and `notice_spent_text`.
    package let name: String
    /// Facts to show, each under the name of a text. A value that begins with `text:` is itself the
    /// name of a text.
    package let facts: [(name: String, value: String)]
    /// A description of the fault, in English, for an app’s developer.
    package let detail: String?
    package let form: Form?
    package let status: HTTPResponse.Status

    package init(
        _ name: String, facts: [(name: String, value: String)] = [], detail: String? = nil,
        form: Form? = nil, status: HTTPResponse.Status = .ok
    ) {
        (self.name, self.facts, self.detail, self.form, self.status) = (
            name, facts, detail, form, status
        )
    }
}

/// Writes messages as pages.
package protocol MessagePages: Sendable {
    func response(_ message: MessagePage, to request: Request) -> Response
}
