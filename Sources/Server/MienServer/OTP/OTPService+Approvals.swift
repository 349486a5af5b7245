internal import MienAPI
package import MienCore
internal import MienKeys
internal import MienStore

/// Transactions that a user approves on another device: the one with their OTP token.
extension OTPService {
    static let approvalLifetime = Duration.seconds(300)

    /// A transaction that waits for approval, as both devices see it.
    package struct WaitingTransaction: Sendable {
        package let challenge: String
        package let data: [String: String]
        /// The known device of the user that started the transaction: wrong signatures count for it.
        let device: DeviceID?

        package init(challenge: String, data: [String: String], device: DeviceID?) {
            (self.challenge, self.data, self.device) = (challenge, data, device)
        }

        fileprivate var content: Sensitive<[UInt8]> {
            var value: [String: JSONValue] = [
                "challenge": .string(challenge), "data": .object(data.mapValues { .string($0) }),
            ]
            value["device"] = device.map { .string($0.text) }
            return Sensitive(Array(JSONText.write(.object(value)).utf8))
        }

        fileprivate init(_ content: Sensitive<[UInt8]>) throws {
            let value = try content.use { try JSONText.parse($0) }
            guard let challenge = value["challenge"]?.stringValue,
                let data = value["data"]?.objectValue?.compactMapValues(\.stringValue)
            else { throw StoreError(.corrupt, "A stored approval is malformed.") }
            self.init(
                challenge: challenge, data: data,
                device: value["device"]?.stringValue.flatMap { DeviceID($0) })
        }
    }

    /// Stores a transaction that waits for approval.
    ///
    /// - Parameter id: The request's ID, for ``decision(on:run:)``.
    /// - Returns: the code that the user types on the other device.
    package func requestApproval(
        _ id: String, of transaction: WaitingTransaction, by account: UserID, app: AppID,
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

    /// Closes a request that waits for a decision. Does nothing if it has been decided.
    package func closeApproval(_ id: String, run: String) async throws {
        try await store.write(.process) { try $0.approvals.close(id, run: run) }
    }

    package enum ApprovalDecision: Sendable {
        case pending, declined, expired
        case approved(AuthenticatorID, by: UserID, epoch: Int)
    }

    /// Returns what the user has decided.
    ///
    /// An approval counts while the OTP token that gave it does, and until the user's sign-ins end:
    /// the journey acts on it at once.
    package func decision(on id: String, run: String) async throws -> ApprovalDecision {
        let now = clock.now
        return try await store.read { tables in
            guard let found = try tables.approvals.find(id, run: run, at: now) else {
                return .expired
            }
            switch found.decision {
            case nil: return now < found.expiresAt ? .pending : .expired
            case .declined?: return .declined
            case .approved(let token, let epoch)?:
                let standing = SignInStanding(
                    account: found.account, epoch: epoch, authenticators: [token])
                guard try standing.holds(in: tables) else { return .expired }
                return .approved(token, by: found.account, epoch: epoch)
            }
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
            ?? WaitingTransaction(challenge: "", data: [:], device: nil)
        let judgment = try await verifySignature(
            passcode, over: waiting.challenge, of: found?.account, app: found?.app,
            device: waiting.device, token: token)
        guard case .accepted = judgment, let found else {
            try await note(judgment, of: found?.account.id, app: found?.app.id, by: "device")
            return judgment
        }
        let now = clock.now
        let isFirst = try await store.write { tables in
            guard
                try tables.approvals.decide(
                    found.record.id, .approved(token, epoch: found.account.epoch), at: now)
            else { return false }
            try tables.audit.append(
                AuditEvent(
                    "otp.approved", actor: "device", account: found.account.id, app: found.app.id,
                    detail: [
                        "authenticator": .string(token.text), "approval": .string(found.record.id),
                    ]), at: now)
            return true
        }
        return isFirst ? judgment : .refused(locked: false, isJudged: true)
    }

    /// - Returns: whether the request was open.
    func decline(_ code: ApprovalCode, with token: AuthenticatorID) async throws -> Bool {
        guard let found = try await open(code, for: token) else { return false }
        let now = clock.now
        return try await store.write { tables in
            guard try tables.approvals.decide(found.record.id, .declined, at: now)
            else { return false }
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
                try !tables.locks.isHeld(token),
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
