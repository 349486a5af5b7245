public import MienAPI

extension CaptureSession {
    /// Tells the server which actions the person cannot perform, before the session starts. The
    /// server draws others instead, which prove the same.
    ///
    /// Offer the actions of ``CaptureAnswer/omittableActions``, which ``status()`` returns. The list
    /// replaces an earlier one.
    ///
    /// - Returns: the session's state.
    /// - Throws: ``MienError``; with the problem `not_permitted` if the remaining actions do not
    ///   suffice or the app does not allow it: offer another way to sign in, such as the options of
    ///   the step before. With `invalid_state` if the session has begun.
    @discardableResult
    public func omitActions(_ actions: [CaptureAction]) async throws -> CaptureAnswer {
        noted(
            try await connection.json(
                .init(
                    method: .post, path: ["v1", "capture", "accommodation"], bearer: token,
                    body: Connection.encode(
                        CaptureAccommodationRequest(
                            omittedActions: actions.map { .known($0) })))))
    }
}
