internal import HTTPTypes
internal import MienAPI
internal import MienCore

/// The pages that links in emails open.
enum NoticePage {
    /// Describes what the link does, with a button that does it.
    static func confirmation(_ status: MailedLinkService.Status, code: String) -> MessagePage {
        switch status {
        case .unknown: unknown
        case .spent: spent
        case .open(.authenticator(let type, let addedAt)):
            MessagePage(
                "notice_remove",
                facts: [
                    ("notice_what", "text:notice_kind_\(type.rawValue)"),
                    ("notice_added", addedAt.noticeText),
                ], form: .init(button: "notice_remove_button", field: ("code", code)))
        case .open(.recovery(let requestedAt)):
            MessagePage(
                "notice_recovery", facts: [("notice_requested", requestedAt.noticeText)],
                form: .init(button: "notice_recovery_button", field: ("code", code)))
        }
    }

    /// - Parameter status: The status that ``MailedLinkService/use(_:)`` returned.
    static func result(_ status: MailedLinkService.Status) -> MessagePage {
        switch status {
        case .unknown: unknown
        case .spent: spent
        case .open(.authenticator(let type, addedAt: _)):
            MessagePage(
                "notice_removed",
                facts: [("notice_what", "text:notice_kind_\(type.rawValue)")])
        case .open(.recovery): MessagePage("notice_canceled")
        }
    }

    static func malformed(_ status: HTTPResponse.Status) -> MessagePage {
        MessagePage("notice_malformed", status: status)
    }

    /// The same page for wrong and expired codes.
    private static var unknown: MessagePage { MessagePage("notice_unknown", status: .notFound) }

    private static var spent: MessagePage { MessagePage("notice_spent", status: .gone) }
}
