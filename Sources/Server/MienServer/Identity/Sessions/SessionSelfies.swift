internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// Takes the selfies of verification sessions, by live captures.
package protocol SessionSelfies: Sendable {
    /// Opens a capture that belongs to a session.
    func open(for session: IdentityAttemptID, app: AppRecord, user: UserID?) async throws -> (
        capture: CaptureID, startToken: String
    )
    /// - Parameter run: The run of a journey to which the capture belongs, instead of the session.
    func result(
        of capture: CaptureID, for session: IdentityAttemptID, run: InstanceID?, app: AppRecord
    ) async throws -> SessionSelfie
    /// Removes the picture of a capture, which stays for later steps of a journey.
    func release(_ capture: CaptureID) async throws
    /// Ends a capture, with its picture.
    func remove(_ capture: CaptureID) async throws
}

/// The result of a selfie.
package enum SessionSelfie: Sendable {
    case unfinished
    case refused
    /// - Parameters:
    ///   - picture: A frame.
    ///   - template: The `FaceTemplate` of a live person; `nil` for a still picture.
    case passed(picture: Sensitive<[UInt8]>, template: Sensitive<[UInt8]>?)
}
