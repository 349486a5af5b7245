internal import Foundation
internal import MienAccess
internal import MienCore
internal import MienServerAccess
internal import MienServerOAuth

/// A sign-in of a browser: what it proves, and to which apps it leads.
struct BrowserSession: Codable, Sendable {
    let account: UserID
    /// The app and the journey that signed the user in.
    let app: AppID
    let journey: String
    /// The values of `amr`.
    let methods: [String]
    let at: Instant
    /// The account's epoch at the sign-in, or after a change of the password in this browser.
    var epoch: Int
    let authenticators: [AuthenticatorID]
    let isRecovery: Bool
    /// The passkey that signed in directly.
    let passkey: AuthenticatorID?
    let createdAt: Instant
    var usedAt: Instant
    /// The grant of the sign-in itself. Users see it among their sign-ins, and the session ends with
    /// it.
    var grant: GrantID
    /// The grants of the account pages, by app.
    var grants: [String: GrantID]

    /// How long a session lives, and how long without use.
    static let lifetime = Duration.seconds(12 * 3600), idle = Duration.seconds(3600)

    /// When the session ends unless it is used.
    var expiresAt: Instant { min(createdAt + Self.lifetime, usedAt + Self.idle) }

    var proof: AuthorizationService.Proof {
        .init(
            account: account, methods: methods, at: at, epoch: epoch,
            authenticators: authenticators, isRecovery: isRecovery, passkey: passkey)
    }

    var standing: SignInStanding {
        SignInStanding(
            account: account, epoch: epoch, grant: grant, authenticators: authenticators)
    }
}

/// A person who signed in on a page, from whichever step.
struct PageProof: Codable, Sendable {
    let account: UserID
    let journey: String
    let methods: [String]
    let at: Instant
    let epoch: Int
    let authenticators: [AuthenticatorID]
    let isRecovery: Bool
    var passkey: AuthenticatorID?
}
