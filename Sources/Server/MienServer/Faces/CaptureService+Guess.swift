internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// The user whose face a capture will be compared with, and the device that requests it.
struct ExpectedFace: Codable, Sendable {
    /// A user that the run knows.
    var user: UserID?
    /// A typed identifier, which may belong to nobody.
    var identifier: String?
    /// A device that an account has signed in on.
    var device: ProvedDevice?

    init(_ user: UserReference?, device: ProvedDevice?) {
        switch user {
        case nil: break
        case .id(let id): self.user = id
        case .identifier(let text): identifier = text.use { $0 }
        }
        self.device = device
    }
}

extension CaptureRecords {
    /// Counts a live capture as a wrong face if it fails after an action was announced. Otherwise
    /// an attacker could try again until the drawn actions match a recording.
    ///
    /// Takes as long and writes as much whether or not the face exists.
    ///
    /// - Returns: what counts it in a transaction; `nil` if the capture guesses nobody's face.
    func guess(_ content: Content, app: AppID) async throws -> (@Sendable (Tables) throws -> Void)?
    {
        let expected = content.expected
        guard content.purpose == .authentication, expected.user != nil || expected.identifier != nil
        else { return nil }
        let found = try await store.read { tables -> AuthenticatorRecord? in
            let named =
                try expected.user.map { try tables.accounts.find($0) }
                ?? expected.identifier.flatMap { try tables.accounts.find(named: $0) }
            guard let account = named, account.state == .active else { return nil }
            return try tables.face(of: account, in: app)
        }
        let policy = try await gate.policy(for: .face, app: found?.app ?? app), gate = gate,
            now = clock.now
        let device = expected.device.flatMap { $0.account == found?.account ? $0.id : nil }
        return { tables in
            if let found,
                try gate.begin(found, device: device, under: policy, in: tables, at: now) != nil
            {
                return
            }
            try gate.pretend(in: tables, at: now)
        }
    }
}

extension CaptureService {
    /// Returns the share that the analysis of this session's pictures is queued for: the account of
    /// the known device, or else the client's address.
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
