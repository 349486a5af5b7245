internal import Foundation
internal import MienAPI
internal import MienCore

/// A sign-in of a browser: what it proves, and to which apps it leads.
struct BrowserSession: Codable, Sendable {
    var proof: PageProof
    /// The app that signed the user in.
    let app: AppID
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

    var account: UserID { proof.account }

    var standing: SignInStanding {
        SignInStanding(
            account: account, epoch: proof.epoch, grant: grant,
            authenticators: proof.authenticators)
    }
}
