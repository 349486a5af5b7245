internal import MienAPI
package import MienCore
package import MienStore

/// A user's wish to sign out: of an app, or of a browser.
package struct SignOut: Sendable {
    package let account: UserID
    /// The app that the user signs out of; `nil` for the browser only.
    package let app: AppID?
    /// The app's sign-in that ends; `nil` for all of the app's in the browser.
    package let grant: GrantID?
    /// The sign-in of the browser that asks, if it is the user's.
    package let browser: GrantID?
    /// Whether every app's sign-in of the browser ends.
    package let isOfBrowser: Bool

    package init(
        account: UserID, app: AppID?, grant: GrantID?, browser: GrantID?, isOfBrowser: Bool
    ) {
        (self.account, self.app, self.grant) = (account, app, grant)
        (self.browser, self.isOfBrowser) = (browser, isOfBrowser)
    }

    /// Whether a sign-in of the browser ends.
    fileprivate func ends(_ signIn: TokenGrantRecord) -> Bool {
        guard let other = signIn.app else { return true }
        return isOfBrowser || (grant == nil && other == app)
    }
}

extension GrantService {
    /// The most sign-ins of a browser that a sign-out ends.
    package static let maxSignedOut = 200

    /// Ends sign-ins because the user signs out. One that has ended or is unknown is not an error.
    ///
    /// The browser's own sign-in always ends, so that the next visit to an app asks for a sign-in.
    ///
    /// - Returns: The sign-ins of apps whose sessions in the browser end: those that ended, and the
    ///   one that was named, even if it had ended before.
    package func end(_ wish: SignOut) async throws -> [TokenGrantRecord] {
        let now = clock.now
        return try await store.write { tables in
            var ended: [TokenGrantRecord] = []
            func end(_ signIn: TokenGrantRecord) throws {
                guard !ended.contains(where: { $0.id == signIn.id }) else { return }
                ended.append(signIn)
                guard try tables.grants.revoke(signIn.id, of: wish.account, at: now) else { return }
                let isBrowser = signIn.app == nil
                var detail: [String: JSONValue] = ["grant": .string(signIn.id.text)]
                if let asking = wish.app, asking != signIn.app {
                    detail["signed_out_of"] = .string(asking.text)
                }
                try tables.audit.append(
                    AuditEvent(
                        isBrowser ? "browser.signed_out" : "tokens.revoked",
                        actor: isBrowser ? "user" : "app", account: wish.account, app: signIn.app,
                        detail: detail), at: now)
            }
            let named = try wish.grant.flatMap { try tables.grants.find($0) },
                browser = try wish.browser.flatMap { try tables.grants.find($0) }
            var marks = Set<[UInt8]>()
            if let named, named.account == wish.account, named.app == wish.app {
                try end(named)
                // A sign-in that has ended says nothing about the browser any longer.
                if named.family.revokedAt == nil, let mark = named.browserMark {
                    marks.insert(mark)
                }
            }
            if let browser, browser.account == wish.account, let mark = browser.browserMark {
                marks.insert(mark)
            }
            for mark in marks {
                for signIn in try tables.grants.all(
                    of: wish.account, inBrowser: mark, atMost: Self.maxSignedOut)
                where wish.ends(signIn) {
                    try end(signIn)
                }
            }
            return ended.filter { $0.app != nil }
        }
    }
}
