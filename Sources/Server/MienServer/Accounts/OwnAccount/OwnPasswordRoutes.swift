internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The route with which a signed-in user sets or changes their password.
struct OwnPasswordRoutes {
    let grants: GrantService
    let changes: AuthenticatorChanges
    let check: PasswordCheck
    let accounts: AccountService
    let devices: KnownDeviceService
    let body: JSONBody

    func add(to router: RouterGroup<MienRequestContext>) {
        router.put("me/password") { request, _ in
            let caller = try await grants.caller(of: request)
            let wanted = try await body.read(
                SetPasswordRequest.self, SetPasswordRequest.CodingKeys.self, from: request)
            let standing = try await changes.require(.add, by: caller, reach: .account)
            try await set(wanted, by: caller, standing)
            return Response(status: .noContent)
        }
    }

    private func set(
        _ wanted: SetPasswordRequest, by caller: Caller, _ standing: SignInStanding
    ) async throws {
        let device = try await device(wanted.deviceToken, of: caller)
        var mayReplace = caller.grant.proofs.contains {
            $0.isRecovery && changes.rule.isFresh($0, at: changes.clock.now)
        }
        if let current = wanted.currentPassword {
            try await require(Sensitive(current), of: caller, device: device)
            mayReplace = true
        }
        let answer = try await accounts.setPassword(
            Sensitive(wanted.password), by: standing, device: device, mayReplace: mayReplace,
            app: caller.app, actor: "user", for: .signedIn(caller.account.id))
        switch answer {
        case .set: return
        case .ended: throw SignInStanding.ended
        case .weak: throw Self.fault("is required to replace a password")
        case .locked: throw Problem.authenticatorLocked("The password")
        }
    }

    /// Checks the current password and counts the guess.
    private func require(_ current: Sensitive<String>, of caller: Caller, device: DeviceID?)
        async throws
    {
        let user = caller.account.id
        let judgment = try await check.judge(
            current, of: caller.account, device: device, for: .signedIn(user))
        guard case .refused(_, let isLocked, let isJudged) = judgment else { return }
        let now = changes.clock.now,
            event = AuditEvent(
                "password.refused", actor: "user", account: user, app: caller.app,
                detail: isLocked ? ["locked": true] : [:])
        try await changes.store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        // One message for both, so that the answer does not tell whether the guess was judged.
        throw Self.fault("is wrong, or the password is locked")
    }

    private static func fault(_ message: String) -> Problem {
        Problem(
            .invalidRequest,
            errors: [
                .init(
                    field: SetPasswordRequest.CodingKeys.currentPassword.rawValue, message: message)
            ])
    }

    private func device(_ token: String?, of caller: Caller) async throws -> DeviceID? {
        guard let token, let device = try await devices.find(token, app: caller.app),
            device.account == caller.account.id
        else { return nil }
        return device.id
    }
}
