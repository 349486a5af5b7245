internal import MienAPI
internal import MienAccess
package import MienCore
internal import MienOTP
internal import MienServerAccess
internal import MienServerCore
internal import MienStore

/// Transactions that a user approves on another device: the one with their OTP token.
extension OTPService {
    static let approvalLifetime = Duration.seconds(300)

    /// A transaction that waits for approval, as both devices see it.
    package struct WaitingTransaction: Sendable {
        package let challenge: String
        package let data: [String: String]

        package init(challenge: String, data: [String: String]) {
            (self.challenge, self.data) = (challenge, data)
        }

        fileprivate var content: Sensitive<[UInt8]> {
            let value: JSONValue = [
                "challenge": .string(challenge), "data": .object(data.mapValues { .string($0) }),
            ]
            return Sensitive(Array(JSONText.write(value).utf8))
        }

        fileprivate init(_ content: Sensitive<[UInt8]>) throws {
            let value = try content.use { try JSONText.parse($0) }
            guard let challenge = value["challenge"]?.stringValue,
                let data = value["data"]?.objectValue?.compactMapValues(\.stringValue)
            else { throw StoreError(.corrupt, "A stored approval is malformed.") }
            self.init(challenge: challenge, data: data)
        }
    }

    /// Stores a transaction that waits for approval, whether or not the user exists.
    ///
    /// - Parameter id: The request's ID, for ``decision(on:run:)``.
    /// - Returns: the code that the user types on the other device.
    package func requestApproval(
        _ id: String, of transaction: WaitingTransaction, by account: UserID?, app: AppID,
        run: String
    ) async throws -> (code: String, expiresAt: Instant) {
        var generator = SystemRandomNumberGenerator()
        let code = ApprovalCode(using: &generator), end = clock.now + Self.approvalLifetime
        let record = ApprovalRecord(
            id: id, account: account, app: app, run: run, content: transaction.content,
            expiresAt: end)
        let hash = hash(of: code)
        try await store.write(.process) { try $0.approvals.insert(record, codeHash: hash) }
        return (code.text, end)
    }

    package enum ApprovalDecision: Sendable {
        case pending, declined, expired
        case approved(AuthenticatorID, by: UserID, epoch: Int)
    }

    /// Returns what the user has decided. A decision is returned once.
    package func decision(on id: String, run: String) async throws -> ApprovalDecision {
        let now = clock.now
        // Most answers are "not yet", and reading is cheaper than writing.
        let found = try await store.read { try $0.approvals.find(id, run: run, at: now) }
        guard let found else { return .expired }
        guard found.decision != nil else { return .pending }
        let taken = try await store.write { try $0.approvals.take(id, run: run) }
        switch taken?.decision {
        case .approved(let token, let epoch)?:
            guard let account = taken?.account else { return .expired }
            return .approved(token, by: account, epoch: epoch)
        case .declined?: return .declined
        case nil: return .expired
        }
    }

    // MARK: On the other device

    /// Returns the transaction to show on the device with an OTP token.
    ///
    /// - Returns: `nil` for an unknown code, one that was used or has expired, and one of another
    ///   user or app.
    func transaction(_ code: ApprovalCode, for token: AuthenticatorID) async throws -> (
        transaction: WaitingTransaction, app: AppID, expiresAt: Instant
    )? {
        guard let found = try await open(code, for: token) else { return nil }
        return (
            try WaitingTransaction(found.record.content), found.record.app, found.record.expiresAt
        )
    }

    /// Approves a transaction with the response of an OTP token to what its device shows.
    func approve(
        _ code: ApprovalCode, with token: AuthenticatorID, _ passcode: Sensitive<String>
    ) async throws -> Judgment {
        let found = try await open(code, for: token)
        let waiting =
            try found.map { try WaitingTransaction($0.record.content) }
            // The same work for an unknown code.
            ?? WaitingTransaction(challenge: "", data: [:])
        let judgment = try await verifySignature(
            passcode, over: waiting.challenge, of: found?.account, app: found?.app, device: nil,
            token: token)
        guard case .accepted = judgment, let found else { return judgment }
        let isFirst = try await store.write { tables in
            try tables.approvals.decide(
                found.record.id, .approved(token, epoch: found.account.epoch))
        }
        return isFirst ? judgment : .refused(locked: false, isJudged: true)
    }

    /// - Returns: whether the request was open.
    func decline(_ code: ApprovalCode, with token: AuthenticatorID) async throws -> Bool {
        guard let found = try await open(code, for: token) else { return false }
        let now = clock.now
        return try await store.write { tables in
            guard try tables.approvals.decide(found.record.id, .declined) else { return false }
            try tables.audit.append(
                AuditEvent(
                    "otp.declined", actor: "device", account: found.account.id, app: found.app.id),
                at: now)
            return true
        }
    }

    private func open(_ code: ApprovalCode, for token: AuthenticatorID) async throws -> (
        record: ApprovalRecord, account: AccountRecord, app: AppRecord
    )? {
        let now = clock.now, hash = hash(of: code)
        return try await store.read { tables in
            guard let record = try tables.approvals.open(codeHash: hash, at: now),
                let (owner, appID) = try tables.otpTokens.owner(of: token),
                record.account == owner, record.app == appID,
                let account = try tables.accounts.find(owner), account.state == .active,
                let app = try tables.apps.find(appID)
            else { return nil }
            return (record, account, app)
        }
    }

    private func hash(of code: ApprovalCode) -> [UInt8] {
        store.keys.hash(ofSecret: Array("approval ".utf8) + code.characters)
    }
}
