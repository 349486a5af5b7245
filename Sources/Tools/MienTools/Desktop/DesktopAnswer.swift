/// The last line of an answer to `pam_mien`. Lines `show TEXT` may precede it.
package enum DesktopAnswer: Sendable, Equatable {
    /// The person can be asked for their face.
    case ready
    /// The person's face, live.
    case accepted
    /// A face was judged, and is not the person's or not live.
    case refused(Refusal)
    /// No face was judged.
    case unavailable(Obstacle)
    /// The face is not locked any longer.
    case done

    package enum Refusal: String, Sendable, CaseIterable {
        case noMatch = "no-match"
        case notLive = "not-live"
    }

    package enum Obstacle: String, Sendable, CaseIterable {
        /// The line is no request.
        case malformed
        /// The process that asks belongs to another user.
        case notPermitted = "not-permitted"
        /// Nobody is enrolled under this name.
        case notEnrolled = "not-enrolled"
        /// The enrollment was not live, or the PIN did not confirm it.
        case notConfirmed = "not-confirmed"
        /// Five failed attempts in a row.
        case locked
        /// More than ``DesktopLimits/perMinute`` attempts in a minute.
        case tooManyAttempts = "too-many-attempts"
        /// The service looks at somebody.
        case busy
        /// The model pack cannot tell a face from a print or a screen, or there is none.
        case noNetworks = "no-networks"
        case noCamera = "no-camera"
        /// Nobody was there, or no frame was good enough.
        case noFace = "no-face"
        /// The time was over, or the program that asked has gone.
        case timedOut = "timed-out"
        /// Someone watches or manipulates the service.
        case tampered
        /// The stored faces cannot be read, or the networks failed.
        case failed
    }

    /// The line, without its end.
    package var line: String {
        switch self {
        case .ready: "ready"
        case .accepted: "accepted"
        case .refused(let reason): "refused \(reason.rawValue)"
        case .unavailable(let reason): "unavailable \(reason.rawValue)"
        case .done: "done"
        }
    }
}
