internal import MienAPI
internal import MienCore
internal import MienStore

/// Live captures for identity verification.
struct OwnedCaptures: LiveFaceCaptures {
    let captures: CaptureService

    func open(
        for owner: String, user: UserID?, app: AppRecord,
        admission: @escaping @Sendable (Tables) throws -> Void
    ) async throws -> OpenedLiveFace {
        let opened = try await captures.openLive(
            for: owner, user: user, app: app, admission: admission)
        return OpenedLiveFace(
            id: opened.id, startToken: opened.startToken, expiresAt: opened.expiresAt)
    }

    func take(_ token: String, for owner: String, app: AppRecord) async throws -> [UInt8]? {
        try await captures.takeLive(token, for: owner, app: app)
    }

    func remove(of owner: String, in tables: Tables) throws {
        try captures.removeLive(of: owner, in: tables)
    }
}
