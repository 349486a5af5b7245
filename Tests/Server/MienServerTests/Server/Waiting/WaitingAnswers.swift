import MienAPI
import MienCore
import MienTesting

/// For whom each thing that waited acted after a change. Each change happens once, on a server of
/// its own, to everything that waits at once.
actor WaitingAnswers {
    static let shared = WaitingAnswers()

    struct Answers: Sendable {
        /// The account for which everything was made.
        let user: UserID
        /// The account for which it acted; `nil` if it did nothing.
        var byThing: [Waiting: UserID?] = [:]
    }

    private var tasks: [AccountChange: Task<Answers, any Error>] = [:]

    func after(_ change: AccountChange) async throws -> Answers {
        let task = tasks[change] ?? Task { try await Self.answers(after: change) }
        tasks[change] = task
        return try await task.value
    }

    private static func answers(after change: AccountChange) async throws -> Answers {
        var answers = try await Self.answers(after: change) { try await $0.wait() }
        let phone = try await Self.answers(after: change) { try await $0.waitForPhone() }
        // The account of that world stands for the one of the first.
        for (waiting, user) in phone.byThing {
            answers.byThing[waiting] = .some(user == phone.user ? answers.user : user)
        }
        return answers
    }

    /// - Parameter wait: Lets things wait in a world of their own.
    private static func answers(
        after change: AccountChange,
        of wait: @Sendable (WaitingWorld) async throws -> [Waiting: WaitingWorld.Probe]
    ) async throws -> Answers {
        let (results, result) = AsyncStream<Answers>.makeStream(), service = try StubService()
        try await DecidedSessions.run(
            in: ScratchFolder(), DecidedVerifier(needsFace: true), WaitingWorld.settings
        ) { server in
            let world = try await WaitingWorld(server, service)
            let probes = try await wait(world)
            try await world.apply(change)
            var answers = Answers(user: world.user)
            for waiting in Waiting.allCases {
                guard let probe = probes[waiting] else { continue }
                answers.byThing[waiting] = .some(try await probe())
            }
            result.yield(answers)
        }
        guard let answers = await results.first(where: { _ in true }) else {
            throw CancellationError()
        }
        return answers
    }
}
