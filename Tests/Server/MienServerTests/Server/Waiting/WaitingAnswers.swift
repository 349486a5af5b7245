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
        let (results, result) = AsyncStream<Answers>.makeStream()
        try await DecidedSessions.run(in: ScratchFolder()) { server in
            let world = try await WaitingWorld(server)
            let probes = try await world.wait()
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
