public import MienAPI
public import MienCore

/// Recovery codes, and recoveries that somebody asked for.
extension MienSession {
    /// Makes ten recovery codes and ends earlier ones. Show them to the user now: they cannot be read again.
    public func makeRecoveryCodes() async throws -> [Sensitive<String>] {
        let token = try await accessToken()
        let answer: RecoveryCodesAnswer = try await connection.json(
            .init(method: .post, path: ["v1", "me", "recovery-codes"], bearer: token, isRepeatable: false))
        return answer.codes.map { Sensitive($0) }
    }

    public func recoveryCodesStatus() async throws -> RecoveryCodesStatus {
        try await connection.json(.init(method: .get, path: ["v1", "me", "recovery-codes"], bearer: try await accessToken()))
    }

    public func removeRecoveryCodes() async throws {
        try await connection.send(.init(method: .delete, path: ["v1", "me", "recovery-codes"], bearer: try await accessToken()))
    }

    /// Recoveries of this account that wait. Show them when the app starts: the user may want to cancel them.
    public func recoveries() async throws -> [OwnRecovery] {
        let page: Page<OwnRecovery> = try await connection.json(
            .init(method: .get, path: ["v1", "me", "recovery"], bearer: try await accessToken()))
        return page.items
    }

    /// Cancels what was requested after this sign-in.
    ///
    /// - Throws: ``MienError`` with the problem `not_found` if there is nothing to cancel.
    public func cancelRecoveries() async throws {
        try await connection.send(.init(method: .delete, path: ["v1", "me", "recovery"], bearer: try await accessToken()))
    }
}
