import MienAPI
import MienCore
import MienServer
import MienStore

/// A thing that works once, in the table that the server keeps it in.
enum SingleUseThing: Sendable, Hashable {
    case challenge(Int), proof(Int), link(Int), recoveryCode(Int)

    static let all: [SingleUseThing] =
        (0..<2).map { .challenge($0) } + (0..<2).map { .proof($0) } + (0..<2).map { .link($0) }
        + (0..<2).map { .recoveryCode($0) }

    /// The things whose use can be looked up.
    static let readable = all.filter {
        switch $0 {
        case .proof, .link: true
        case .challenge, .recoveryCode: false
        }
    }

    var name: String { "\(self)" }
    /// The hash, or bytes that stand for it.
    var hash: [UInt8] { Array(name.utf8) }
    /// A challenge of the server's length.
    static func challengeToken(_ number: Int) -> String {
        String(repeating: "ABCDEFGH", count: 3) + "CHALLNG" + (number == 0 ? "A" : "B")
    }
    static func challengeHash(_ number: Int) -> [UInt8] {
        SimulationStage.keys.hash(ofSecret: Array(challengeToken(number).utf8))
    }

    func take(in tables: Tables, at now: Instant) throws -> Bool {
        switch self {
        case .challenge(let number):
            try tables.challenges.take(
                Self.challengeHash(number), purpose: "biometric_request", binding: "", at: now)
        case .proof: try tables.spent.spend(.proof, hash, until: now + .seconds(86_400))
        case .link: try tables.mailedLinks.take(hash: hash, at: now)
        case .recoveryCode: try tables.recoveryCodes.take(hash, of: SimulationStage.recovery)
        }
    }

    /// Whether a proof or a link was not used yet. The other tables tell only who takes the thing.
    func isFresh(in tables: Tables, at now: Instant) throws -> Bool {
        switch self {
        case .challenge, .recoveryCode: true
        case .proof: try !tables.spent.contains(.proof, hash)
        case .link:
            try tables.mailedLinks.find(hash: hash, at: now).map { $0.endedAt == nil } ?? false
        }
    }
}

/// Things that work once.
struct SingleUsePart: SimulatedPart {
    private let trial: TrialContext
    private let history = HistoryRecorder<SingleUseModel.Call, SingleUseModel.Reply>()
    /// The operations whose uses were acknowledged.
    private let acknowledged = Mutexed<[Int]>([])

    init(_ trial: TrialContext) { self.trial = trial }

    var counts: (calls: Int, answers: Int) { count(history) }

    func prepare(_ tables: Tables) throws {
        let now = SimulationStage.start
        for number in 0..<2 {
            try tables.challenges.insert(
                SingleUseThing.challengeHash(number), purpose: "biometric_request", binding: "",
                expiresAt: now + .seconds(86_400))
            try tables.mailedLinks.insert(
                MailedLinkRecord(
                    purpose: .removeAuthenticator, subject: "\(number)",
                    account: SimulationStage.account, createdAt: now,
                    expiresAt: now + .seconds(86_400)),
                hash: SingleUseThing.link(number).hash)
        }
        try tables.recoveryCodes.replace(
            SimulationStage.recovery, with: (0..<2).map { SingleUseThing.recoveryCode($0).hash })
    }

    var actions: [SimulatedAction] { [SimulatedAction(weight: 30, act: take)] }

    @Sendable private func take(_ client: Int) async {
        let things = trial.bug == nil ? SingleUseThing.all : SingleUseThing.readable
        let thing = trial.world.pick(things), number = trial.nextNumber()
        let reply = await trial.send(.take(thing.name), to: history, client) {
            try await take(thing, operation: number, $0)
        }
        // The service of challenges writes no entry.
        if case .challenge = thing { return }
        if reply == .taken { acknowledged.value.append(number) }
    }

    private func take(_ thing: SingleUseThing, operation: Int, _ services: ServerServices)
        async throws -> SingleUseModel.Reply
    {
        let now = services.clock.now, store = services.store
        switch trial.bug {
        case .takesInTwoTransactions:
            guard try await store.read({ try thing.isFresh(in: $0, at: now) }) else {
                return .refused
            }
            try await store.write {
                _ = try thing.take(in: $0, at: now)
                try $0.log(operation, "simulation.taken", at: now)
            }
            return .taken
        case .answersBeforeCommit:
            guard try await store.read({ try thing.isFresh(in: $0, at: now) }) else {
                return .refused
            }
            let process = Incarnation.current
            trial.world.start {
                await Incarnation.$current.withValue(process) {
                    try? await store.write {
                        let isTaken = try thing.take(in: $0, at: now)
                        if isTaken { try $0.log(operation, "simulation.taken", at: now) }
                    }
                }
            }
            return .taken
        case .logsInAnotherTransaction:
            guard try await store.write(.always, { try thing.take(in: $0, at: now) }) else {
                return .refused
            }
            // As if the entry were unimportant.
            try? await store.write { try $0.log(operation, "simulation.taken", at: now) }
            return .taken
        default: break
        }
        if case .challenge(let number) = thing, trial.bug == nil {
            let token = SingleUseThing.challengeToken(number)
            return try await services.challenges.take(token, for: .biometric) ? .taken : .refused
        }
        let isTaken = try await store.write(trial.bug == .takesWithoutSync ? .process : .always) {
            guard try thing.take(in: $0, at: now) else { return false }
            try $0.log(operation, "simulation.taken", at: now)
            return true
        }
        return isTaken ? .taken : .refused
    }

    func judge(_ tables: Tables) throws -> String? {
        for thing in SingleUseThing.readable {
            let isUsed = try !thing.isFresh(in: tables, at: SimulationStage.start + .seconds(60))
            history.end(history.begin(.isUsed(thing.name), client: 0), .isUsed(isUsed))
        }
        let taken = try tables.operations("simulation.taken", after: trial.stage.auditEntries)
        if Set(taken).count != taken.count { return "a use is logged twice" }
        if let lost = acknowledged.value.first(where: { !taken.contains($0) }) {
            return "use \(lost) was acknowledged and is not in the audit log"
        }
        return violation(of: SingleUseModel(initially: .fresh), history)
    }
}
