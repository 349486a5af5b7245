public import MienAPI
public import MienCore

/// Recovery codes, and recoveries that were requested.
extension MienSession {
    private static let codesPath = ["v1", "me", "recovery-codes"],
        recoveriesPath = ["v1", "me", "recovery"]

    /// Creates ten recovery codes and invalidates earlier ones. Show them to the user now: they
    /// cannot be read again.
    ///
    /// - Throws: as ``performing(_:)``.
    public func makeRecoveryCodes() async throws -> [Sensitive<String>] {
        try await performing { [self] in
            let access = try await access()
            let answer: RecoveryCodesAnswer = try await connection.json(
                .init(
                    method: .post, path: Self.codesPath, access: access, isRepeatable: false))
            return answer.codes.map { Sensitive($0) }
        }
    }

    public func recoveryCodesStatus() async throws -> RecoveryCodesStatus {
        let access = try await access()
        return try await connection.json(
            .init(method: .get, path: Self.codesPath, access: access))
    }

    /// Invalidates the remaining recovery codes.
    ///
    /// - Throws: ``MienError`` with the problem `not_found` if there are none; as
    ///   ``performing(_:)``.
    public func removeRecoveryCodes() async throws { try await send(.delete, Self.codesPath) }

    /// Returns this account's pending recoveries. Show them when the app starts, so that the user
    /// can cancel them.
    public func recoveries() async throws -> [OwnRecovery] {
        let access = try await access()
        let page: Page<OwnRecovery> = try await connection.json(
            .init(
                method: .get, path: Self.recoveriesPath, access: access
            ))
        return page.items
    }

    /// Cancels recoveries that were requested after this sign-in.
    ///
    /// - Throws: ``MienError`` with the problem `not_found` if there is nothing to cancel.
    public func cancelRecoveries() async throws { try await send(.delete, Self.recoveriesPath) }
}
