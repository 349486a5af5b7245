internal import MienAPI
public import MienCore
public import MienKeys

/// Approves, with this device's OTP token, transactions that another device has started.
///
///     let approvals = try OTPApprovals(options)
///     guard let waiting = try await approvals.transaction(typed, for: token.id) else { return }
///     for line in waiting.shown.lines { show(line.name, line.value) }
///     let response = try await vault.sign(waiting.shown, on: token.id, with: .pin(pin))
///     try await approvals.approve(waiting, with: response)
public struct OTPApprovals: Sendable {
    private let connection: Connection

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    /// A transaction that waits for approval.
    public struct Waiting: Sendable, Hashable {
        /// The lines to show, all of which are signed.
        public let shown: ShownTransaction
        /// The app that asks.
        public let app: String
        public let expiresAt: Instant
        let code: ApprovalCode
        let token: String
    }

    /// Gets the transaction to show.
    ///
    /// - Parameters:
    ///   - code: What the owner has typed.
    ///   - token: The OTP token's ID.
    /// - Returns: `nil` for a code that is malformed, unknown, used, expired, or for another user or
    ///   app.
    /// - Throws: ``MienError``; `OTPError` if the server's challenge does not match its data, or the
    ///   data cannot be shown.
    public func transaction(_ code: String, for token: String) async throws -> Waiting? {
        guard let code = ApprovalCode(typed: code) else { return nil }
        let request = ShowApprovalRequest(tokenID: token, approvalCode: code.text)
        do {
            let answer: ApprovalAnswer = try await connection.json(
                .init(
                    method: .post, path: ["v1", "otp", "approvals", "show"],
                    body: Connection.encode(request)))
            return Waiting(
                shown: try ShownTransaction(
                    answer.approvalData, challenge: answer.transactionChallenge),
                app: answer.appID, expiresAt: Instant(milliseconds: answer.expiresAt), code: code,
                token: token)
        } catch let error as MienError where error.problem?.code == .invalidCredentials {
            return nil
        }
    }

    /// Approves a transaction.
    ///
    /// - Parameter response: The OTP token's signature of ``Waiting/shown``.
    /// - Returns: `false` for a wrong response, a request that is no longer open, and a locked or
    ///   removed token.
    public func approve(_ waiting: Waiting, with response: OneTimeCode) async throws -> Bool {
        try await decide(waiting, response.text)
    }

    /// Declines a transaction.
    ///
    /// - Returns: `false` if the request is no longer open.
    public func decline(_ waiting: Waiting) async throws -> Bool {
        try await decide(waiting, nil)
    }

    private func decide(_ waiting: Waiting, _ passcode: String?) async throws -> Bool {
        let request = DecideApprovalRequest(
            tokenID: waiting.token, approvalCode: waiting.code.text, passcode: passcode)
        do {
            // Sending a decision twice would report that the request is no longer open.
            try await connection.send(
                .init(
                    method: .post, path: ["v1", "otp", "approvals"],
                    body: Connection.encode(request), isRepeatable: false))
            return true
        } catch let error as MienError where error.problem?.code == .invalidCredentials {
            return false
        }
    }
}
