internal import MienAPI
package import MienCore
internal import MienKeys
package import MienStore

/// Verifying codes and signatures. A user may have several OTP tokens in an app; they share one lock,
/// and a code is valid if it is one of theirs.
extension OTPService {
    package enum Judgment: Sendable {
        case accepted(AuthenticatorID)
        /// - Parameter isJudged: Whether the lock gate counted the code.
        case refused(locked: Bool, isJudged: Bool)
    }

    /// Returns a match, or `nil` for a wrong code.
    private typealias Check =
        @Sendable (OTPToken, _ counters: OTPToken.Counters) throws ->
        OTPToken.Match?

    /// Verifies a code through the lock gate. Does the same work if there is no user or token, or
    /// if every token is locked.
    ///
    /// - Parameter registered: The OTP token whose first code this is, which confirms that the token
    ///   has arrived; no other token counts. This is not a sign-in: it resets no failures, and the
    ///   device gets no counter of its own, so that another token gains no guesses.
    package func authenticate(
        _ passcode: Sensitive<String>, of account: AccountRecord?, app: AppRecord,
        device: DeviceID?, registered: AuthenticatorID? = nil
    ) async throws -> Judgment {
        let now = clock.now
        return try await judge(account, app, device, only: registered, isSignIn: registered == nil)
        { token, counters in
            try Self.typed(passcode).flatMap { try token.match($0, from: counters, at: now) }
        }
    }

    /// Verifies a CAP token's answer to a service's question.
    func authenticate(
        _ passcode: Sensitive<String>, answering question: CAPQuestion, of account: AccountRecord?,
        app: AppRecord
    ) async throws -> Judgment {
        try await judge(account, app, nil) { token, counters in
            try Self.typed(passcode).flatMap {
                try token.match($0, to: question, from: counters)
            }
        }
    }

    private static func typed(_ passcode: Sensitive<String>) -> OneTimeCode? {
        passcode.use { OneTimeCode(typed: $0) }
    }

    /// Verifies a code of one OTP token, to tell its device whether its PIN was right. Like
    /// `authenticate`, it uses up the code.
    func confirm(_ passcode: Sensitive<String>, of token: AuthenticatorID) async throws -> Judgment
    {
        let found = try await store.read { tables -> (AccountRecord, AppRecord)? in
            guard let (owner, appID) = try tables.otpTokens.owner(of: token),
                let account = try tables.accounts.find(owner), account.state == .active,
                let app = try tables.apps.find(appID)
            else { return nil }
            return (account, app)
        }
        let now = clock.now
        let judgment = try await judge(found?.0, found?.1, nil, only: token, isSignIn: true) {
            token, counters in
            try Self.typed(passcode).flatMap { try token.match($0, from: counters, at: now) }
        }
        try await note(judgment, of: found?.0.id, app: found?.1.id, by: "device")
        return judgment
    }

    /// - Parameters:
    ///   - text: The signed text.
    ///   - token: The OTP token that signed, if that is known; no other token counts.
    package func verifySignature(
        _ passcode: Sensitive<String>, over text: String, of account: AccountRecord?,
        app: AppRecord?, device: DeviceID?, token: AuthenticatorID? = nil
    ) async throws -> Judgment {
        try await judge(account, app, device, only: token) { token, counters in
            try Self.typed(passcode).flatMap {
                try token.match($0, ofChallenge: text, from: counters)
            }
        }
    }

    func verifySignature(
        _ passcode: Sensitive<String>, of shown: ShownTransaction, by account: AccountRecord?,
        app: AppRecord
    ) async throws -> Judgment {
        try await judge(account, app, nil) { token, counters in
            try Self.typed(passcode).flatMap {
                try token.match($0, of: shown, from: counters)
            }
        }
    }

    private struct Candidate: Sendable {
        let record: AuthenticatorRecord
        let counters: OTPToken.Counters
    }

    private func judge(
        _ account: AccountRecord?, _ app: AppRecord?, _ device: DeviceID?,
        only wanted: AuthenticatorID? = nil, isSignIn: Bool = true, _ check: Check
    ) async throws -> Judgment {
        guard let account, let app else { return try await pretend(locked: false, check) }
        let (candidates, isHeld) = try await store.read { tables in
            let all = try tables.authenticators.all(.otp, of: account, app: app.id).filter {
                wanted == nil || $0.id == wanted
            }
            let free = try all.filter { try !tables.locks.isHeld($0.id) }
            let found = try free.compactMap { record in
                try tables.otpTokens.counters(of: record.id).map {
                    Candidate(
                        record: record,
                        counters: .init(
                            next: UInt64($0.position), awaited: $0.awaited.map { UInt64($0) }))
                }
            }
            return (found, free.count < all.count)
        }
        guard let first = candidates.first else {
            return try await pretend(locked: isHeld, check)
        }
        // The tokens of an app share one counter.
        guard let pass = try await gate.begin(first.record, device: device) else {
            return try await pretend(locked: true, check)
        }
        var found: (record: AuthenticatorRecord, match: OTPToken.Match)?
        var awaited: [(AuthenticatorID, Int64)] = []
        do {
            for candidate in candidates {
                let token = try OTPToken(candidate.record)
                // Every token is tried, so that the time does not depend on which one matches.
                switch try check(token, candidate.counters) {
                case nil: break
                case .ahead(let counter)?:
                    if let counter = Int64(exactly: counter) {
                        awaited.append((candidate.record.id, counter))
                    }
                case let match?: found = found ?? (candidate.record, match)
                }
            }
        } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard let (record, match) = found else {
            // Answer as for a wrong code, so that guessing reveals nothing.
            if !awaited.isEmpty {
                try await store.write { [awaited] tables in
                    for (token, counter) in awaited {
                        try tables.otpTokens.expect(counter, of: token)
                    }
                }
            }
            return .refused(locked: false, isJudged: true)
        }
        if case .code(let movingFactor) = match {
            // If two requests use the same code at once, accept only one.
            guard let used = Int64(exactly: movingFactor) else {
                return .refused(locked: false, isJudged: true)
            }
            let isMine = try await store.write { try $0.otpTokens.advance(record.id, past: used) }
            guard isMine else { return .refused(locked: false, isJudged: true) }
        }
        if isSignIn { try await gate.succeed(pass) } else { try await gate.abandon(pass) }
        return .accepted(record.id)
    }

    private func pretend(locked: Bool, _ check: Check) async throws -> Judgment {
        try await gate.pretend()
        _ = try check(
            OTPToken(
                kind: .hotp, digits: 6,
                secret: OTPSecret(bytes: [UInt8](repeating: 0, count: OTPToken.hash.byteCount))),
            .init(next: 0, awaited: nil))
        return .refused(locked: locked, isJudged: false)
    }
}
