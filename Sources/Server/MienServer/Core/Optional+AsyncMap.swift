extension Optional where Wrapped: Sendable {
    /// An asynchronous `map`.
    package func asyncMap<Output: Sendable>(_ body: (Wrapped) async throws -> Output) async rethrows
        -> Output?
    {
        guard let self else { return nil }
        return try await body(self)
    }
}
