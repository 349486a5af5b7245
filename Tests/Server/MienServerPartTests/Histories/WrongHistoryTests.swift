import MienCore
import MienSimulation
import MienTesting
import Testing

/// Histories that the checker must refuse: each way in which a server with several processes could go wrong,
/// as the clients would see it.
@Suite struct WrongHistoryTests {
    private let tokens = LinearizabilityChecker(SingleUseModel())
    private let families = LinearizabilityChecker(RefreshModel())
    private let records = LinearizabilityChecker(CompareAndSetModel())
    private let logs = LinearizabilityChecker(AppendModel())
    private let locks = LinearizabilityChecker(
        LockModel(failedAttempts: 3, lockoutMilliseconds: 60_000, disableAfter: 10))

    @Test func `a thing that two clients took`() {
        let right: History<SingleUseModel.Call, SingleUseModel.Reply> = history(
            (0, 0, 1, .issue("a"), .issued), (1, 2, 9, .take("a"), .taken),
            (2, 3, 8, .take("a"), .refused))
        #expect(tokens.check(right).isLinearizable)
        #expect(tokens.check(right.answering(2, .taken)).isViolation, "taken twice")
        #expect(tokens.check(right.answering(1, .refused)).isViolation, "taken by nobody")
    }

    @Test func `a thing taken by a client that was told nothing, and by another one`() {
        // The first may have taken it: then the second is refused. Or not: then the second takes it.
        for reply in [SingleUseModel.Reply.taken, .refused] {
            #expect(
                tokens.check(
                    history(
                        (0, 0, 1, .issue("a"), .issued), (1, 2, nil, .take("a"), .taken),
                        (2, 3, 8, .take("a"), reply))
                ).isLinearizable)
        }
        #expect(
            tokens.check(
                history(
                    (0, 0, 1, .issue("a"), .issued), (1, 2, nil, .take("a"), .taken),
                    (2, 3, 8, .take("a"), .taken), (3, 4, 7, .take("a"), .taken))
            ).isViolation)
    }

    @Test func `an acknowledged use that is forgotten`() {
        #expect(
            tokens.check(
                history(
                    (0, 0, 1, .issue("a"), .issued), (1, 2, 3, .take("a"), .taken),
                    (2, 4, 5, .isUsed("a"), .isUsed(false)))
            ).isViolation)
    }

    @Test func `an acknowledged thing that is not there`() {
        #expect(
            tokens.check(
                history((0, 0, 1, .issue("a"), .issued), (1, 2, 3, .take("a"), .refused))
            ).isViolation)
    }

    @Test func `an old refresh token that is accepted`() {
        func use(_ generation: Int, _ mark: Int? = nil) -> RefreshModel.Call {
            RefreshModel.Call("f", .use(generation, mark: mark))
        }
        #expect(
            families.check(
                history((1, 0, 1, use(0, 7), .token(1)), (2, 2, 3, use(0), .token(1)))
            ).isViolation, "the token of a second use")
        #expect(
            families.check(
                history((1, 0, 1, use(0, 7), .token(1)), (1, 2, 3, use(0, 7), .token(1)))
            ).isLinearizable, "the same client repeats its request")
        #expect(
            families.check(
                history((1, 0, 1, use(0, 7), .token(1)), (2, 2, 3, use(0, 8), .token(1)))
            ).isViolation, "another client")
        #expect(
            families.check(
                history(
                    (1, 0, 1, use(0, 7), .token(1)), (2, 2, 3, use(0), .refused),
                    (1, 4, 5, use(1), .token(2)))
            ).isViolation, "the family lives on after reuse")
        #expect(
            families.check(
                history((1, 0, 9, use(0, 7), .token(1)), (2, 0, 9, use(0, 8), .token(1)))
            ).isViolation, "two at once")
    }

    @Test func `a sign-in that goes on after it was ended`() {
        #expect(
            families.check(
                history(
                    (1, 0, 1, RefreshModel.Call("f", .end), .done),
                    (1, 2, 3, RefreshModel.Call("f", .use(0, mark: nil)), .token(1)))
            ).isViolation)
        #expect(
            families.check(
                history(
                    (1, 0, 1, RefreshModel.Call("f", .end), .done),
                    (1, 2, 3, RefreshModel.Call("f", .isEnded), .isEnded(false)))
            ).isViolation)
    }

    @Test func `an update that overwrote another one`() {
        func write(_ content: Int, from revision: Int) -> CompareAndSetModel.Call {
            CompareAndSetModel.Call("r", .write(content: content, from: revision))
        }
        let read = CompareAndSetModel.Call("r", .read)
        let right: History<CompareAndSetModel.Call, CompareAndSetModel.Reply> = history(
            (1, 0, 9, write(1, from: 0), .written), (2, 0, 9, write(2, from: 0), .stale),
            (1, 10, 11, read, .content(1, revision: 1)))
        #expect(records.check(right).isLinearizable)
        #expect(records.check(right.answering(1, .written)).isViolation, "both were written")
        #expect(
            records.check(right.answering(2, .content(2, revision: 1))).isViolation,
            "what was refused is there")
        #expect(
            records.check(right.answering(2, .content(0, revision: 0))).isViolation, "a stale read")
        #expect(
            records.check(right.answering(2, .content(1, revision: 2))).isViolation,
            "a revision that nobody wrote")
    }

    @Test func `an entry of the log that is lost, repeated, or moved`() {
        let right: History<AppendModel.Call, AppendModel.Reply> = history(
            (1, 0, 5, .append(1), .appended), (2, 1, 6, .append(2), .appended),
            (1, 7, 8, .append(3), .appended), (3, 10, 11, .read, .log(.init([2, 1, 3]))))
        #expect(logs.check(right).isLinearizable)
        for (wrong, reason) in [
            ([2, 1], "lost"), ([2, 1, 1, 3], "twice"), ([2, 3, 1], "in the wrong order"),
            ([], "empty"), ([4, 1, 3], "another one"),
        ] as [([UInt64], Comment)] {
            #expect(logs.check(right.answering(3, .log(.init(wrong)))).isViolation, reason)
        }
        #expect(
            logs.check(
                history((1, 0, 5, .append(1), .number(1)), (2, 1, 6, .append(2), .number(1)))
            ).isViolation, "a number twice")
        #expect(
            logs.check(
                history((1, 0, 5, .append(1), .number(2)), (2, 6, 7, .append(2), .number(1)))
            ).isViolation, "against the order of time")
    }

    @Test func `a guess that was not counted`() {
        func at(_ time: Int64, _ action: LockModel.Action) -> LockModel.Call {
            LockModel.Call("password", action, at: time)
        }
        let right: History<LockModel.Call, LockModel.Reply> = history(
            (1, 0, 5, at(0, .begin), .counted), (2, 0, 5, at(0, .begin), .counted),
            (3, 0, 5, at(0, .begin), .counted), (4, 6, 7, at(0, .begin), .refused),
            (5, 8, 9, at(0, .total), .total(3)))
        #expect(locks.check(right).isLinearizable)
        #expect(locks.check(right.answering(3, .counted)).isViolation, "a guess while locked")
        #expect(locks.check(right.answering(4, .total(2))).isViolation, "a lost count")
        #expect(locks.check(right.answering(4, .total(4))).isViolation, "counted while locked")
        #expect(locks.check(right.answering(1, .refused)).isViolation, "locked too early")
        #expect(
            locks.check(
                history(
                    (1, 0, 1, at(0, .hold), .done), (2, 2, 3, at(0, .begin), .counted))
            ).isViolation, "a lock that a server has not heard of")
        #expect(
            locks.check(
                history(
                    (1, 0, 1, at(0, .hold), .done), (1, 2, 3, at(0, .release), .done),
                    (2, 4, 5, at(0, .begin), .refused))
            ).isViolation, "an unlocking that is forgotten")
    }
}
