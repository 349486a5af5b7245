internal import MienAPI
package import MienCore
package import MienStore

/// The sign-in that a change or a new token rests on.
///
/// It ends when the account's epoch moves on, when its grant ends, and when an authenticator that
/// produced it is removed or locked. Check it in the transaction that writes: time may have passed
/// since the request was allowed.
package struct SignInStanding: Sendable, Hashable, Codable {
    package let account: UserID
    /// The account's epoch at sign-in; `nil` if a run established who the user is without
    /// authenticating them.
    let epoch: Int?
    /// `nil` for a sign-in that has no grant yet.
    package let grant: GrantID?
    package let authenticators: [AuthenticatorID]

    package init(
        account: UserID, epoch: Int?, grant: GrantID? = nil, authenticators: [AuthenticatorID]
    ) {
        (self.account, self.epoch, self.grant, self.authenticators) = (
            account, epoch, grant, authenticators
        )
    }

    /// The sign-in of a request's access token.
    package init(_ caller: Caller) {
        self.init(
            account: caller.account.id, epoch: caller.account.epoch, grant: caller.grant.id,
            authenticators: caller.grant.authenticators)
    }

    package func holds(in tables: Tables) throws -> Bool {
        guard let now = try tables.accounts.standing(of: account) else { return false }
        if let epoch, now.epoch != epoch { return false }
        if let grant, try tables.grants.find(grant).map({ $0.family.revokedAt != nil }) ?? true {
            return false
        }
        return try areUsable(in: tables)
    }

    /// Whether each authenticator is still there and locked by nobody.
    package func areUsable(in tables: Tables) throws -> Bool {
        for used in authenticators {
            guard try tables.authenticators.exists(used, of: account),
                try !tables.locks.isHeld(used)
            else { return false }
        }
        return true
    }

    /// - Throws: ``OAuthError`` `invalid_token` if the sign-in has ended.
    package func require(in tables: Tables) throws {
        guard try holds(in: tables) else { throw Self.ended }
    }

    package static let ended = OAuthError(
        .invalidToken, "The sign-in ended before this request was complete. Sign in again.",
        scheme: "Bearer")
}
