internal import MienCore
internal import MienServerAccess
internal import MienStore

/// The journey run that opens a capture.
struct CaptureOrigin: Sendable {
    let run: InstanceID
    let app: AppRecord
    let device: ProvedDevice?
    /// The user who signed in, before or in this run.
    let signedIn: UserID?
}
