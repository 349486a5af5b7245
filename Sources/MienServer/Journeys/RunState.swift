internal import MienAccess
internal import MienCore
internal import MienJourney

/// A run of a journey as it is stored: the engine's value, and what the server adds.
struct RunState: Codable, Sendable {
    var instance: JourneyInstance
    /// The client's own mark.
    var flowID: String?
    /// A device the client has proved to be one that this account has signed in on.
    var device: Device?
    /// The sign-in it was begun with, if it was.
    var begun: Begun?

    struct Begun: Codable, Sendable {
        let grant: GrantID
        let signedInAt: Instant
        /// What that sign-in proved, and when.
        let proofs: [SignInProof]
    }

    struct Device: Codable, Sendable {
        let id: DeviceID
        let account: UserID
    }
}
