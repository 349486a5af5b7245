import MienAPI
import MienCore
import MienServer
import MienStore

/// The refresh tokens of one sign-in.
struct RefreshPart: SimulatedPart {
    private let trial: TrialContext
    private let history = HistoryRecorder<RefreshModel.Call, RefreshModel.Reply>()
    /// The refresh tokens that any client may have seen, by generation.
    private let known = Mutexed<[String]>([])
    /// The grant behind them.
    private let grant = Mutexed<GrantID?>(nil)

    init(_ trial: TrialContext) { self.trial = trial }

    private var stage: SimulationStage { trial.stage }
    var counts: (calls: Int, answers: Int) { count(history) }

    var actions: [SimulatedAction] {
        [SimulatedAction(weight: 25, act: refresh), SimulatedAction(weight: 3, act: end)]
    }

    /// The sign-in whose refresh tokens the clients use.
    func begin() async {
        let signIn = SignIn(
            account: SimulationStage.account, app: stage.appRecord, methods: ["pwd"],
            at: stage.servers[0].clock.now, scope: .standard, epoch: stage.epoch)
        let answer = try? await stage.servers[0].grants.tokens(for: signIn)
        if let token = answer?.refreshToken {
            known.value = [token]
            grant.value = BearerSecret.parse(token, GrantKind.self)?.id
        }
    }

    @Sendable private func refresh(_ client: Int) async {
        let all = known.value
        guard !all.isEmpty else { return }
        // Mostly the newest token. An older one is what a thief or a late client has.
        let age = min(all.count - 1, trial.world.pick([0, 0, 0, 0, 0, 1, 1, 2]))
        let generation = all.count - 1 - age, token = all[generation]
        // Only the time tells whether an unmarked request is a repeated one, and the model has none.
        // The newest token is therefore used with a mark.
        let mark = age == 0 ? client + 1 : trial.world.pick([0, client + 1])
        // After a lost answer, the client tries again, with the same mark.
        for _ in 0..<2 {
            let reply = await trial.send(
                RefreshModel.Call("family", .use(generation, mark: mark == 0 ? nil : mark)),
                to: history, client
            ) { services in
                guard let next = try await refresh(token, mark: mark, services) else {
                    return .refused
                }
                learn(next, generation: generation + 1)
                return .token(generation + 1)
            }
            if reply != nil { return }
        }
    }

    /// Anybody may see a token that the server has sent.
    private func learn(_ token: String, generation: Int) {
        if known.value.count == generation { known.value.append(token) }
    }

    @Sendable private func end(_ client: Int) async {
        guard let token = known.value.last else { return }
        _ = await trial.send(RefreshModel.Call("family", .end), to: history, client) {
            try await $0.grants.revoke(token, app: stage.appRecord)
            return .done
        }
    }

    /// - Returns: the new token; `nil` if the old one was refused.
    private func refresh(_ token: String, mark: Int, _ services: ServerServices) async throws
        -> String?
    {
        let key = mark == 0 ? nil : "a client's repeat key \(mark)"
        if trial.bug == .rotatesInTwoTransactions || trial.bug == .forgetsReuse {
            return try await refreshWrongly(token, key, services)
        }
        do {
            return try await services.grants.refresh(
                token, repeatKey: key, app: stage.appRecord, scope: nil, resources: [],
                thumbprint: nil
            ).refreshToken
        } catch let error as OAuthError where error.code == .invalidGrant { return nil }
    }

    private func refreshWrongly(_ token: String, _ key: String?, _ services: ServerServices)
        async throws -> String?
    {
        struct Reused: Error {}
        guard let (id, secret) = BearerSecret.parse(token, GrantKind.self) else { return nil }
        let generation = secret.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let now = services.clock.now, store = services.store, keys = SimulationStage.keys
        let mark = key.map { keys.hash(ofSecret: Array($0.utf8)) }
        func text(_ grant: TokenGrantRecord) -> String {
            let number = UInt32(grant.family.generation)
            let code = keys.refreshSecret(
                of: grant.id, nonce: grant.nonce, generation: grant.family.generation)
            let head = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
            return "\(id.text).\(Base64URL.encode(head + code.prefix(28)))"
        }
        if trial.bug == .rotatesInTwoTransactions {
            guard var grant = try await store.read({ try $0.grants.find(id) }) else { return nil }
            let use = grant.family.use(generation, mark: mark, at: now), changed = grant
            try await store.write { try $0.grants.update(changed) }
            return use == .rotated || use == .repeated ? text(grant) : nil
        }
        do {
            let grant = try await store.write { tables -> TokenGrantRecord? in
                guard var grant = try tables.grants.find(id) else { return nil }
                let use = grant.family.use(generation, mark: mark, at: now)
                try tables.grants.update(grant)
                if use == .reused { throw Reused() }
                return use == .rotated || use == .repeated ? grant : nil
            }
            return grant.map(text)
        } catch is Reused { return nil }
    }

    func judge(_ tables: Tables) throws -> String? {
        if let grant = try grant.value.flatMap({ try tables.grants.find($0) }) {
            history.end(
                history.begin(RefreshModel.Call("family", .isEnded), client: 0),
                .isEnded(grant.family.revokedAt != nil))
        }
        return violation(of: RefreshModel(), history)
    }
}
