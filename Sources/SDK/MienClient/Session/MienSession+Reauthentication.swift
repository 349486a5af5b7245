internal import MienAPI
public import MienCore
internal import MienKeys

/// Changes that need a fresh, strong sign-in (RFC 9470).
extension MienSession {
    /// Runs `change`. If the server requires a more recent or stronger sign-in, has the user sign
    /// in again and runs `change` once more.
    ///
    /// ``enableBiometric(localizedReason:constraint:policy:)``, ``disableBiometric()`` and
    /// ``send(_:_:body:)`` do this themselves. Changes that are refused at the same time share one
    /// sign-in.
    ///
    /// - Throws: errors of `change` and of the reauthenticator. ``MienError``
    ///   `.reauthenticationRequired` with ``MienError/reauthentication`` if the session has no
    ///   reauthenticator, if another user signed in, or if the second run is also refused.
    public func performing<Value: Sendable>(_ change: @Sendable () async throws -> Value)
        async throws -> Value
    {
        do { return try await change() } catch let error as MienError {
            guard let needed = error.reauthentication, !error.isAfterReauthentication else {
                throw error
            }
            guard reauthenticator != nil, !Reauthenticating.isInside else {
                throw error.naming(user)
            }
            try await reauthenticate(needed)
        }
        do { return try await change() } catch let error as MienError
            where error.reauthentication != nil
        {
            throw error.naming(user, isAfterReauthentication: true)
        }
    }

    /// Sends a request to the server as the signed-in user, with a proof if the tokens are bound,
    /// and reauthenticates as ``performing(_:)`` does.
    ///
    ///     let passkeys = try await session.send(.get, ["v1", "me", "passkeys"])
    ///
    /// - Parameter path: the segments below the server's address, not percent-encoded.
    /// - Returns: the body of the response; `null` if it is empty.
    @discardableResult
    public func send(
        _ method: HTTPTransportRequest.Method, _ path: [String], body: JSONValue? = nil
    ) async throws -> JSONValue {
        // Requests without content send an empty object where the server expects a body.
        let takesBody = method != .get && method != .delete
        let bytes = (body ?? (takesBody ? [:] : nil)).map { Array(JSONText.write($0).utf8) } ?? []
        return try await performing { [self] in
            let access = try await access()
            let response = try await connection.send(
                .init(
                    method: method, path: path, access: access,
                    body: bytes,
                    isRepeatable: method != .post && method != .patch))
            guard !response.body.isEmpty else { return .null }
            do {
                return try JSONText.parse(
                    response.body, limits: .init(maxBytes: Connection.maxAnswerBytes, maxDepth: 32))
            } catch {
                throw MienError(.serverError, "The response is not JSON.", mayHaveArrived: true)
            }
        }
    }

    // MARK: Signing in again

    /// Has the user sign in again, or waits for the sign-in in progress. Ends it when all tasks
    /// that wait for it have been canceled.
    private func reauthenticate(_ needed: ReauthenticationRequest) async throws {
        let current =
            reauthenticating
            ?? Reauthenticating(
                task: Task {
                    try await Reauthenticating.$isInside.withValue(true) {
                        try await self.signInAgain(needed)
                    }
                })
        let task = current.task
        reauthenticating = current
        reauthenticating?.waiting += 1
        defer { leave(task) }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            Task { await self.giveUp(task) }
        }
        try Task.checkCancellation()
    }

    private func leave(_ task: Task<Void, any Error>) {
        // The task has ended. Later refusals start a new sign-in.
        if reauthenticating?.task == task { reauthenticating = nil }
    }

    private func giveUp(_ task: Task<Void, any Error>) {
        guard reauthenticating?.task == task else { return }
        reauthenticating?.waiting -= 1
        guard reauthenticating?.waiting == 0 else { return }
        task.cancel()
        reauthenticating = nil
    }

    private func signInAgain(_ needed: ReauthenticationRequest) async throws {
        guard let reauthenticator else { return }
        var request = needed
        request.loginHint = user
        switch try await reauthenticator(request, self) {
        case .steppedUp: try await renewAfterStepUp()
        // The token of a journey that was started with a session names that session and is not
        // exchanged.
        case .journeyToken(let token) where Self.claims(token)["sid"] != nil:
            try await renewAfterStepUp()
        case .journeyToken(let token): try await replace(Self.exchange(token), request)
        case .code(let code, let redirectURI, let verifier):
            try await replace(
                Self.redemption(of: code, redirectURI: redirectURI, codeVerifier: verifier), request
            )
        }
    }

    /// Returns the claims of a token without verifying it. Use it only for a token that is about to
    /// be used or that came from the server itself.
    static func claims(_ token: Sensitive<String>) -> [String: JSONValue] {
        token.use { text in
            guard let payload = try? JWS.parse(compact: text).unverifiedPayload else { return [:] }
            return (try? JSONText.parse(payload))?.objectValue ?? [:]
        }
    }
}

/// A sign-in that changes wait for.
struct Reauthenticating {
    /// Whether this task runs within a reauthenticator, which must not wait for itself.
    @TaskLocal static var isInside = false

    let task: Task<Void, any Error>
    var waiting = 0
}
