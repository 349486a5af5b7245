internal import Foundation
internal import MienAPI
package import MienCore
package import MienStore

/// Emails account owners about each new authenticator, with a link that removes it without a
/// sign-in.
///
///     let notice = notices.draft()
///     try await store.write { tables in
///         …                                                    // adds the authenticator
///         try notice.store(about: record, of: account, app: app, in: tables, at: now)
///     }
package struct AuthenticatorNotices: Sendable {
    /// How long a link is valid.
    static let lifetime = Duration.seconds(7 * 86_400)
    /// The limit for one account. Beyond it, new authenticators are refused, so that a thief cannot
    /// bury the important notice under others.
    static let maxPerHour = 50

    let store: Store
    package let mail: MailService
    let publicURL: @Sendable () -> String

    package func draft() -> Draft {
        Draft(link: MailedLink(store.keys, publicURL: publicURL()), mail: mail)
    }

    /// The event that an email reports about an authenticator.
    package enum News: Sendable {
        case added
        /// A face's template was computed again, by another model pack.
        case computedAgain
    }

    package struct Draft: Sendable {
        fileprivate let link: MailedLink
        fileprivate let mail: MailService

        /// Stores the link and the email in the transaction that adds or replaces `authenticator`, and ends the
        /// links to the authenticators it replaces.
        ///
        /// - Parameter app: The app in which it was added; `nil` for an administrator.
        ///   An account without a verified address gets no email.
        /// - Throws: ``Problem`` `.tooManyRequests` after ``AuthenticatorNotices/maxPerHour``
        ///   within an hour, because nothing may be added without a notice.
        package func store(
            about authenticator: AuthenticatorRecord, of account: AccountRecord, app: AppID?,
            news: News = .added, in tables: Tables, at now: Instant
        ) throws {
            guard let address = account.noticeAddress else {
                return try tables.mailedLinks.end(
                    .removeAuthenticator, authenticator.id.text, at: now)
            }
            let recent = try tables.mailedLinks.count(
                of: account.id, .removeAuthenticator, after: now - .seconds(3600))
            guard recent < AuthenticatorNotices.maxPerHour else {
                throw Problem(
                    .tooManyRequests,
                    "Too many authenticators were added to this account within an hour. Try again later."
                )
            }
            try link.store(
                .removeAuthenticator, authenticator.id.text, of: account.id,
                until: now + AuthenticatorNotices.lifetime, in: tables, at: now)
            let appName = try app.flatMap { try tables.apps.find($0)?.name.isolated }
            let notice =
                switch news {
                case .added:
                    AuthenticatorNotices.mail(
                        to: address, authenticator.type, appName, link, at: now)
                case .computedAgain:
                    AuthenticatorNotices.mailOfMigration(to: address, appName, link, at: now)
                }
            try mail.post(notice, through: .notices, about: account.id, in: tables, at: now)
        }
    }

    private static func mailOfMigration(
        to address: Sensitive<String>, _ app: String?, _ link: MailedLink, at now: Instant
    ) -> Mail {
        Mail(
            to: address, subject: "Your face sign-in was updated",
            body: Sensitive(
                """
                We now use another method to recognize faces. When you signed in\(app.map { " to \($0)" } ?? "") on \(now.noticeText), the numbers that describe your face were computed again, from that sign-in. Your sign-ins, devices, and consent stay as they are. The earlier numbers are erased after 30 days.

                If you signed in then, you can ignore this message.

                If you did not, open this page and remove your face. You do not have to sign in. The link works once, for seven days:

                \(link.url.use { $0 })

                Removing it also ends the sign-ins that used it. Afterwards, check your other sign-in methods.
                """))
    }

    /// Composes the email. Includes no text that the client could choose, such as the
    /// authenticator's name: the email must not carry an attacker's words.
    private static func mail(
        to address: Sensitive<String>, _ type: AuthenticatorType, _ app: String?,
        _ link: MailedLink, at now: Instant
    ) -> Mail {
        let source = app.map { "in \($0)" } ?? "by an administrator"
        return Mail(
            to: address, subject: "New sign-in method: \(type.noun)",
            body: Sensitive(
                """
                \(type.indefiniteNoun) was added to your account \(source) on \(now.noticeText).

                If that was you, you can ignore this message.

                If it was not, open this page and remove it. You do not have to sign in. The link works once, for seven days:

                \(link.url.use { $0 })

                Removing it also ends the sign-ins that used it. Afterwards, check your other sign-in methods.
                """))
    }
}

extension Instant {
    /// `2026-11-22 at 14:30 UTC`
    package var noticeText: String {
        let text = iso8601
        return "\(text.prefix(10)) at \(text.dropFirst(11).prefix(5)) UTC"
    }
}
