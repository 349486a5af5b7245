package import MienCore
package import MienStore

/// The journey run that opens a capture.
package struct CaptureOrigin: Sendable {
    let run: InstanceID
    let app: AppRecord
    let device: ProvedDevice?
    /// The user who signed in, before or in this run.
    let signedIn: UserID?

    package init(run: InstanceID, app: AppRecord, device: ProvedDevice?, signedIn: UserID?) {
        (self.run, self.app, self.device, self.signedIn) = (run, app, device, signedIn)
    }
}
