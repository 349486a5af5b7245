import MienCore
import MienIdentity
import Testing

@Suite("States of identity verification")
struct VerificationStateTests {
    typealias Kind = VerificationAttempt.Kind

    /// An event of the small world.
    enum Event: Hashable {
        case begin(Kind)
        /// About the latest attempt, open or not.
        case conclude(AttemptOutcome)
        case decide(ReviewDecision)
        case reset

        static let all: [Event] =
            Kind.allCases.map(Event.begin)
            + [
                .succeeded, .failed(), .failed(.implausibleAge), .failed(.fraud), .unreadable,
                .review, .notJudged,
            ].map(Event.conclude) + [
                .decide(.accept), .decide(.reject), .decide(.askAgain), .reset,
            ]
    }

    static let policy = VerificationPolicy(
        piiAttempts: 2, documentAttempts: 2, documents: Set(IdentityDocumentType.allCases))
    static let start = Instant(milliseconds: 1_800_000_000_000)

    static func id(_ number: Int) -> IdentityAttemptID { IdentityAttemptID("idv_\(number)")! }

    /// The same rules, written independently: the history of attempts since the last reset, from
    /// which every answer is computed again.
    struct Oracle {
        struct Attempt {
            let number: Int
            let kind: Kind
            let at: Instant
            var end: AttemptOutcome?
            var endedAt: Instant?
            var decision: ReviewDecision?
            var isOpen: Bool { end == nil || end == .review && decision == nil }
            var isSuccess: Bool { end == .succeeded || decision == .accept }
            var block: VerificationBlock? {
                if case .failed(let block) = end { block } else { nil }
            }
            var isFailure: Bool {
                if case .failed = end { return true }
                return decision == .reject
            }
        }

        var attempts: [Attempt] = []

        func isDocument(_ kind: Kind) -> Bool { kind == .document || kind == .capturedDocument }
        /// Attempts that count.
        func counted(_ documents: Bool) -> [Attempt] {
            attempts.filter { isDocument($0.kind) == documents && $0.end != .notJudged }
        }
        var achieved: VerificationMethod {
            let successes = attempts.filter(\.isSuccess)
            if successes.contains(where: { isDocument($0.kind) }) { return .governmentID }
            return successes.isEmpty ? .none : .knowledgeOfPII
        }
        func left(_ documents: Bool) -> Int {
            let granted = counted(documents).count { $0.decision == .askAgain }
            return max(0, 2 + granted - counted(documents).count)
        }

        func refusal(_ kind: Kind) -> IdentityError.Code? {
            let needs: VerificationMethod = isDocument(kind) ? .governmentID : .knowledgeOfPII
            if achieved >= needs { return .alreadyVerified }
            if attempts.contains(where: { $0.block == .fraud }) { return .retryBlocked }
            if isDocument(kind) {
                if counted(true).contains(where: \.isFailure) { return .retryBlocked }
                if kind == .document, counted(false).isEmpty { return .informationNotProvided }
            } else if attempts.contains(where: { $0.block != nil }) {
                return .retryBlocked
            }
            if attempts.contains(where: \.isOpen) { return .updateFailed }
            return left(isDocument(kind)) == 0 ? .retriesExceeded : nil
        }

        func status(_ required: VerificationMethod) -> DocumentVerificationStatus {
            let documents = counted(true)
            if documents.contains(where: \.isOpen) { return .pending }
            // The last that says something: one that was asked again says nothing.
            if let last = documents.last(where: { $0.decision != .askAgain }) {
                if last.isSuccess { return .succeeded }
                return last.isFailure ? .failed : .documentUnreadable
            }
            return required == .governmentID ? .notAttempted : .notRequired
        }
    }

    struct World {
        var state = VerificationState()
        var oracle = Oracle()
        var number = 0
        var now = VerificationStateTests.start
        /// The time the last counted or uncounted attempt began since the reset.
        var last: Instant?
    }

    @Test("every sequence of nine events agrees with an oracle that remembers everything")
    func smallWorld() {
        var visited = 0
        visit(World(), depth: 0, &visited)
        #expect(visited > 50_000)
    }

    private func visit(_ world: World, depth: Int, _ visited: inout Int) {
        visited += 1
        guard agrees(world) else { return }
        guard depth < 9 else { return }
        for event in Event.all {
            var next = world
            next.now = next.now + .seconds(1)
            // Worlds that an event does not change have been visited.
            guard apply(event, &next) else { continue }
            visit(next, depth: depth + 1, &visited)
        }
    }

    private func apply(_ event: Event, _ world: inout World) -> Bool {
        let before = world.state
        switch event {
        case .begin(let kind):
            let expected = world.oracle.refusal(kind)
            do throws(IdentityError) {
                try world.state.begin(
                    kind, id: Self.id(world.number + 1), under: Self.policy, at: world.now)
                #expect(expected == nil, "began, but the oracle refuses: \(kind)")
                world.number += 1
                world.last = world.now
                world.oracle.attempts.append(
                    Oracle.Attempt(number: world.number, kind: kind, at: world.now))
                return true
            } catch {
                #expect(error.code == expected && world.state == before, "\(kind)")
                return false
            }
        case .conclude(let outcome):
            let index = world.oracle.attempts.lastIndex { $0.number == world.number }
            let isTaken =
                index.map { index in
                    let attempt = world.oracle.attempts[index]
                    return attempt.end == nil
                        && (outcome != .unreadable || world.oracle.isDocument(attempt.kind))
                } ?? false
            let found = world.state.conclude(Self.id(world.number), outcome, at: world.now)
            #expect(found == isTaken, "\(outcome)")
            guard isTaken, let index else {
                #expect(world.state == before)
                return false
            }
            world.oracle.attempts[index].end = outcome
            world.oracle.attempts[index].endedAt = world.now
        case .decide(let decision):
            let index = world.oracle.attempts.lastIndex { $0.number == world.number }
            let isTaken =
                index.map {
                    world.oracle.attempts[$0].end == .review
                        && world.oracle.attempts[$0].decision == nil
                } ?? false
            let found = world.state.decide(Self.id(world.number), decision, at: world.now)
            #expect(found == isTaken, "\(decision)")
            guard isTaken, let index else {
                #expect(world.state == before)
                return false
            }
            world.oracle.attempts[index].decision = decision
            world.oracle.attempts[index].endedAt = world.now
        case .reset:
            guard !world.oracle.attempts.isEmpty else { return false }
            world.state.reset()
            world.oracle.attempts = []
            world.last = nil
        }
        return true
    }

    private func agrees(_ world: World) -> Bool {
        let (state, oracle) = (world.state, world.oracle)
        var isRight =
            state.achieved == oracle.achieved && state.lastAttemptedAt == world.last
            && state.verifiedAt == oracle.attempts.filter(\.isSuccess).last?.endedAt
        for kind in Kind.allCases {
            isRight =
                isRight
                && state.refusal(of: kind, under: Self.policy)?.code == oracle.refusal(kind)
        }
        for required in VerificationMethod.allCases {
            let isVerified = oracle.achieved != .none && oracle.achieved >= required
            let isPII = oracle.achieved == .none
            let again =
                !isVerified && oracle.refusal(isPII ? .personalData : .document) == nil
            isRight =
                isRight && state.isVerified(required: required) == isVerified
                && state.canAttemptAgain(required: required, under: Self.policy) == again
                && state.attemptsRemaining(required: required, under: Self.policy)
                    == (again ? oracle.left(!isPII) : 0)
                && state.documentStatus(required: required) == oracle.status(required)
        }
        #expect(isRight, "\(world.oracle.attempts) \(state)")
        return isRight
    }

    // MARK: The sentences of the guide

    private func state(_ attempts: [(Kind, AttemptOutcome)]) throws -> VerificationState {
        var state = VerificationState()
        for (number, attempt) in attempts.enumerated() {
            try state.begin(
                attempt.0, id: Self.id(number), under: Self.policy,
                at: Self.start + .seconds(number))
            let isConcluded = state.conclude(
                Self.id(number), attempt.1, at: Self.start + .seconds(number))
            #expect(isConcluded)
        }
        return state
    }

    @Test("documents are accepted after attempts with personal data are used up")
    func usedUp() throws {
        let state = try state([(.personalData, .failed()), (.personalData, .failed())])
        #expect(!state.canAttemptAgain(required: .governmentID, under: Self.policy))
        #expect(state.refusal(of: .personalData, under: Self.policy)?.code == .retriesExceeded)
        #expect(state.refusal(of: .document, under: Self.policy) == nil)
    }

    @Test("an implausible age and a death block personal data; fraud blocks documents, too")
    func blocks() throws {
        for block in VerificationBlock.allCases {
            let state = try state([(.personalData, .failed(block))])
            #expect(!state.canAttemptAgain(required: .governmentID, under: Self.policy))
            #expect(state.refusal(of: .personalData, under: Self.policy)?.code == .retryBlocked)
            #expect(
                state.refusal(of: .document, under: Self.policy)?.code
                    == (block == .fraud ? .retryBlocked : nil))
        }
    }

    @Test("raising the requirement reopens verification, and the level achieved remains")
    func raised() throws {
        let state = try state([(.personalData, .succeeded)])
        #expect(state.isVerified(required: .knowledgeOfPII))
        #expect(!state.canAttemptAgain(required: .knowledgeOfPII, under: Self.policy))
        #expect(!state.isVerified(required: .governmentID) && state.achieved == .knowledgeOfPII)
        #expect(state.canAttemptAgain(required: .governmentID, under: Self.policy))
        #expect(state.refusal(of: .personalData, under: Self.policy)?.code == .alreadyVerified)
    }

    @Test("without documents, no document succeeds")
    func noDocuments() {
        for kind in [Kind.document, .capturedDocument] {
            #expect(
                VerificationState().refusal(of: kind, under: VerificationPolicy())?.code
                    == .unsupportedMethod)
        }
    }

    @Test(
        "a requirement is the app's level instead of the deployment's, and the user's only raises it"
    )
    func requirement() {
        let levels = VerificationMethod.allCases
        for deployment in levels {
            for app in levels.map(Optional.some) + [nil] {
                for user in levels.map(Optional.some) + [nil] {
                    let base = app ?? deployment
                    #expect(
                        VerificationRequirement(deployment: deployment, app: app, user: user).method
                            == (user.map { $0 > base ? $0 : base } ?? base))
                }
            }
        }
    }
}

@Suite("Verified identities")
struct VerifiedIdentityTests {
    private static func identity(
        _ state: VerificationState, _ required: VerificationMethod,
        documents: Set<IdentityDocumentType> = [.passport, .driverLicense]
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            owner: UserID("usr_1")!, state: state,
            requirement: VerificationRequirement(deployment: required),
            policy: VerificationPolicy(documents: documents))
    }

    @Test("a user who never attempted verification")
    func empty() {
        let found = Self.identity(VerificationState(), .knowledgeOfPII)
        #expect(!found.verified && found.verifiedAt == nil && found.lastAttemptedAt == nil)
        #expect(found.verificationMethod == .none && found.attemptsRemaining == 3)
        #expect(found.canAttemptVerificationAgain && found.acceptableDocumentTypes.isEmpty)
        #expect(found.documentVerificationStatus == .notRequired)
        let strict = Self.identity(VerificationState(), .governmentID)
        #expect(strict.acceptableDocumentTypes == [.driverLicense, .passport])
        #expect(strict.documentVerificationStatus == .notAttempted)
    }

    @Test("the time of a success is told only if it suffices")
    func success() throws {
        let now = VerificationStateTests.start, id = VerificationStateTests.id(1)
        var state = VerificationState()
        try state.begin(.personalData, id: id, under: VerificationPolicy(), at: now)
        let isConcluded = state.conclude(id, .succeeded, at: now + .seconds(2))
        #expect(isConcluded)
        let found = Self.identity(state, .knowledgeOfPII)
        #expect(found.verified && found.verifiedAt == now + .seconds(2))
        #expect(found.lastAttemptedAt == now && !found.canAttemptVerificationAgain)
        #expect(found.attemptsRemaining == 0)
        let raised = Self.identity(state, .governmentID)
        #expect(!raised.verified && raised.verifiedAt == nil)
        #expect(raised.verificationMethod == .knowledgeOfPII && raised.canAttemptVerificationAgain)
        #expect(raised.attemptsRemaining == 5)
        #expect(!Self.identity(state, .governmentID, documents: []).canAttemptVerificationAgain)
    }

    @Test("documents that have to be sent again use up no attempt, ten times until a reset")
    func uncounted() throws {
        var state = VerificationState(), number = 0
        func send(_ recapture: [DocumentRecapture]) throws {
            number += 1
            try state.begin(
                .capturedDocument, id: VerificationStateTests.id(number),
                under: VerificationStateTests.policy, at: VerificationStateTests.start)
            let isChanged = state.conclude(
                VerificationStateTests.id(number), .unreadable, recapture: recapture,
                at: VerificationStateTests.start)
            #expect(isChanged)
        }
        let again = [DocumentRecapture(.back, .imageMissing, hints: [DocumentRecapture.sameSide])]
        for _ in 0..<VerificationPolicy.uncountedDocuments {
            #expect(state.mayAskAgain)
            try send(again)
            #expect(state.documentAttempts == 0 && state.recapture == again)
            #expect(state.documentStatus(required: .governmentID) == .documentUnreadable)
        }
        #expect(!state.mayAskAgain)
        try send(again)
        #expect(state.documentAttempts == 1)
        try send(again)
        #expect(throws: IdentityError.self) { try send(again) }
        state.reset()
        #expect(state.mayAskAgain)
        // What nobody can mend by other pictures counts.
        try send([])
        #expect(state.documentAttempts == 1)
    }
}
