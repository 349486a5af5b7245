internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// Whose face a capture is to be compared with, and who asks.
struct ExpectedFace: Codable, Sendable {
    /// Known to the run.
    var user: UserID?
    /// Typed, may be nobody's.
    var identifier: String?
    /// A device that an account has signed in on.
    var device: RunState.Device?

    init(_ user: UserReference?, device: RunState.Device?) {
        switch user {
        case nil: break
        case .id(let id): self.user = id
        case .identifier(let text): identifier = text.use { $0 }
        }
        self.device = device
    }
}

extension CaptureService {
    /// Counts a live capture that came to nothing after an action was told as a wrong face. Else
    /// one could go on until something is drawn that suits a recording.
    ///
    /// Takes as long, and writes as much, whether there is such a face or not.
    func countGuess(_ content: Content, app: AppID) async throws {
        let expected = content.expected
        guard content.purpose == .authentication, expected.user != nil || expected.identifier != nil
        else { return }
        let found = try await store.read { tables -> AuthenticatorRecord? in
            let named =
                try expected.user.map { try tables.accounts.find($0) }
                ?? expected.identifier.flatMap { try tables.accounts.find(identifier: $0) }
            guard let account = named, account.state == .active else { return nil }
            return try tables.authenticators.find(.face, of: account, app: app)
        }
        guard let found else { return try await gate.pretend() }
        let device = expected.device.flatMap { $0.account == found.account ? $0.id : nil }
        if try await gate.begin(found, device: device) == nil { try await gate.pretend() }
    }
}

extension CaptureService {
    /// Whose turn looking at this session's pictures takes: the account of the known device that it
    /// is for, or else the client's address.
    func share(of content: Content) -> WorkShare {
        let expected = content.expected
        if let device = expected.device, expected.user == nil || expected.user == device.account {
            return .device(device.id, of: device.account)
        }
        return .stranger(
            naming: expected.user?.text ?? expected.identifier.map {
                Base64URL.encode(store.keys.hash(ofSecret: Array($0.utf8)))
            } ?? "")
    }
}
