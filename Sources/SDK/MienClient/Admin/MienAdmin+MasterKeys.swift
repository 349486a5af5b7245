public import MienAPI

extension MienAdmin {
    /// Returns the server's master keys and how many records need each.
    public func masterKeys() async throws -> MasterKeysAnswer { try await get("master-keys") }

    /// Adds a master key. The server then seals under it what earlier keys sealed.
    public func rotateMasterKey() async throws -> MasterKeysAnswer {
        try await send(.post, "master-keys", isRepeatable: false)
    }

    /// Removes a master key that no record needs.
    public func removeMasterKey(version: Int) async throws {
        try await act(.delete, "master-keys", String(version))
    }
}
