internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// Takes the selfies of verification sessions with the captures of faces.
struct CapturedSelfies: SessionSelfies {
    let captures: CaptureService

    func open(for session: IdentityAttemptID, app: AppRecord, user: UserID?) async throws -> (
        capture: CaptureID, startToken: String
    ) {
        let opened = try await captures.openSelfie(
            for: Self.owner(session), app: app, signedIn: user)
        return (opened.0, opened.startToken)
    }

    func result(
        of capture: CaptureID, for session: IdentityAttemptID, run: InstanceID?, app: AppRecord
    ) async throws -> SessionSelfie {
        switch try await captures.selfie(capture, of: run ?? Self.owner(session), app: app) {
        case .unfinished: .unfinished
        case .refused: .refused
        case .passed(let picture, let template): .passed(picture: picture, template: template)
        }
    }

    func release(_ capture: CaptureID) async throws {
        try await captures.dropPicture(of: capture)
    }

    func remove(_ capture: CaptureID) async throws { try await captures.remove(capture) }

    /// The session in place of the run to which a capture belongs.
    private static func owner(_ session: IdentityAttemptID) -> InstanceID {
        InstanceID(session.text)!
    }
}
