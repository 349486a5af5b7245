internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

extension AuthenticatorChanges {
    /// Returns why a step may not change the authenticators of `user`, or `nil` if it may.
    ///
    /// A run that authenticated or established the user counts as fresh. A run that only began with
    /// a sign-in is as old as that sign-in.
    ///
    /// - Parameter reach: Where a new authenticator will sign the user in.
    func refusal(
        of change: AuthenticatorChange, of user: UserID, reach: AuthenticatorReach,
        in context: EffectContext
    ) async throws -> StepErrorCode? {
        guard context.app.isFirstParty else { return .notAllowed }
        guard let known = context.user, known.id == user else { return .userMissing }
        if known.proof?.isNewAccount == true { return nil }
        let now = clock.now
        var proofs = context.begun?.proofs ?? []
        if let proof = known.proof {
            var methods = proof.methods
            // Earlier sign-ins count as well while they are fresh.
            for earlier in proofs where rule.isFresh(earlier, at: now) {
                methods += earlier.methods
            }
            proofs = [SignInProof(methods: methods, at: now, isRecovery: known.isRecovered)]
        }
        guard let account = try await store.read({ try $0.accounts.find(user) }) else {
            return .userMissing
        }
        let reachable =
            change == .add
            ? try await reachable(account, app: context.app.id, reach: reach) : .none
        var used = known.proof?.authenticators ?? []
        if let grant = context.begun?.grant {
            used += try await store.read { try $0.grants.find(grant)?.authenticators ?? [] }
        }
        proofs = try await counting(proofs, from: used, of: account)
        return rule.shortfall(for: change, proofs: proofs, reachable: reachable, at: now) == nil
            ? nil : .insufficientUserAuthentication
    }
}
