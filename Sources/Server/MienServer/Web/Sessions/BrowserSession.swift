internal import Foundation
internal import MienAPI
internal import MienCore

/// The session of a browser in which a user signed in: what it proves, and to which apps it leads.
///
/// It lasts as long as the browser's sign-in, ``PageProof/grant``, which users see among their
/// sign-ins.
struct BrowserSession: Codable, Sendable {
    var proof: PageProof
    /// The app whose journey signed the user in. The sign-in belongs to no app.
    let app: AppID
    /// The app for whose account page the user proved more than the sign-in did. Journeys and faces
    /// of that app need not count in another.
    var stepUpApp: AppID?

    var account: UserID { proof.account }

    var standing: SignInStanding {
        SignInStanding(
            account: account, epoch: proof.epoch, grant: proof.grant,
            authenticators: proof.authenticators)
    }
}
