internal import MienAPI
public import MienCore

extension MienSession {
    /// Sets or changes the user's password, and ends every other sign-in. This one stays.
    ///
    ///     try await session.setPassword(Sensitive(new), current: Sensitive(old))
    ///
    /// - Parameter current: The current password. Required to replace one, unless the user signed
    ///   in by recovering the account.
    /// - Throws: ``MienError`` with the problem `invalid_request`, whose ``Problem/errors`` name
    ///   `password` or `current_password` and say why it was refused; as ``performing(_:)``.
    public func setPassword(
        _ password: Sensitive<String>, current: Sensitive<String>? = nil
    ) async throws {
        let device = try? await options.deviceTokens.token(for: key)
        let request = SetPasswordRequest(
            password: password.use { $0 }, currentPassword: current?.use { $0 },
            deviceToken: device?.use { $0 })
        try await performing { [self] in
            let access = try await access()
            try await connection.send(
                .init(
                    method: .put, path: ["v1", "me", "password"], access: access,
                    body: Connection.encode(request),
                    isRepeatable: false))
        }
    }
}
