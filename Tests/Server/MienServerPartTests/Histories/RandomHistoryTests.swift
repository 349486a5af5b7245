import MienCore
import MienSimulation
import MienTesting
import Testing

/// Histories that are right by construction pass. Mutated, they are refused whenever no order
/// explains them, which is found out by trying every order.
@Suite struct RandomHistoryTests {
    @Test func `single-use tokens`() {
        check(SingleUseModel(), stream: 410, replies: [.issued, .taken, .refused, .isUsed(true)]) {
            _, number, generator in
            let name = "a"
            if number == 0 { return .issue(name) }
            return Int.random(in: 0..<3, using: &generator) == 0 ? .isUsed(name) : .take(name)
        }
    }

    @Test func `locks of authenticators`() {
        let model = LockModel(failedAttempts: 2, lockoutMilliseconds: 40, disableAfter: 4)
        check(
            model, stream: 411, replies: [.counted, .refused, .total(1), .open, .locked, .disabled]
        ) { state, number, generator in
            let at = Int64(number) * 10
            let actions: [LockModel.Action] =
                [.begin, .begin, .begin, .status, .total, .hold, .release]
                + (state.total > 0 ? [.succeed, .abandon(begun: at - 10)] : [])
            return LockModel.Call("x", actions.randomElement(using: &generator)!, at: at)
        }
    }

    @Test func `families of refresh tokens`() {
        check(
            RefreshModel(), stream: 412, replies: [.token(1), .token(2), .refused, .isEnded(true)]
        ) { state, _, generator in
            let generation =
                state.generation - (Int.random(in: 0..<4, using: &generator) == 0 ? 1 : 0)
            let actions: [RefreshModel.Action] = [
                .use(max(0, generation), mark: nil), .use(max(0, generation), mark: 1),
                .use(max(0, generation), mark: 2), .isEnded,
            ]
            if Int.random(in: 0..<12, using: &generator) == 0 {
                return RefreshModel.Call("f", .end)
            }
            return RefreshModel.Call("f", actions.randomElement(using: &generator)!)
        }
    }

    @Test func `buckets of tokens, as the clocks of several servers see them`() {
        let model = TokenBucketModel(burst: 2, intervalMicroseconds: 30_000)
        check(model, stream: 415, replies: [.granted, .refused, .restored]) {
            state, number, generator in
            if Int.random(in: 0..<10, using: &generator) == 0 {
                return TokenBucketModel.Call("b", .restore(fullAt: state.fullAt - 30_000))
            }
            let skew = Int64.random(in: -20...20, using: &generator)
            return TokenBucketModel.Call("b", .take(at: 1000 + Int64(number) * 10 + skew))
        }
    }

    @Test func `live captures`() {
        check(
            LiveCaptureModel(), stream: 416,
            replies: [.done, .refused, .isOpen(true), .isOpen(false)]
        ) { state, number, generator in
            let session: Int =
                switch state {
                case .open: number
                case .live(let session), .interrupted(let session), .ended(by: let session): session
                }
            let actions: [LiveCaptureModel.Action] = [
                .begin(number), .begin(number), .end(session), .interrupt, .interrupt, .reopen,
                .reopen, .expire, .isOpen,
            ]
            return LiveCaptureModel.Call("c", actions.randomElement(using: &generator)!)
        }
    }

    @Test func `records with a revision`() {
        check(
            CompareAndSetModel(), stream: 413,
            replies: [.written, .stale, .content(0, revision: 0), .content(3, revision: 1)]
        ) { state, number, generator in
            if Int.random(in: 0..<3, using: &generator) == 0 {
                return CompareAndSetModel.Call("r", .read)
            }
            let stale = Int.random(in: 0..<3, using: &generator) == 0 ? 1 : 0
            return CompareAndSetModel.Call(
                "r", .write(content: number + 1, from: max(0, state.revision - stale)))
        }
    }

    @Test func `the audit log`() {
        check(
            AppendModel(), stream: 414,
            replies: [.number(1), .number(2), .log(.init([1])), .log(.init())]
        ) { _, number, generator in
            Int.random(in: 0..<3, using: &generator) == 0 ? .read : .append(UInt64(number))
        }
    }

    private func check<Model: SequentialModel>(
        _ model: Model, stream: UInt64, replies: [Model.Reply],
        call: (Model.State, Int, inout SeededGenerator) -> Model.Call
    ) {
        var generator = TestSeed.generator(stream)
        let checker = LinearizabilityChecker(model)

        // Long ones with much overlap and many lost replies.
        for _ in 0..<60 {
            let made = MadeHistory(
                model, calls: 60, overlap: 4, unknown: 10, &generator, call: call)
            let verdict = checker.check(made.history)
            #expect(verdict.isLinearizable, "\(verdict)")
        }

        // One call after another: the reply is determined, so every other one is refused.
        for _ in 0..<60 {
            let made = MadeHistory(model, calls: 12, overlap: 0, unknown: 0, &generator) {
                call($0, $1, &$2)
            }
            let sequential = History(
                made.history.operations.sorted { $0.began < $1.began }.enumerated().map {
                    Operation(
                        client: 1, call: $1.call, began: Int64($0) * 10,
                        outcome: .init($1.outcome!.reply, ended: Int64($0) * 10 + 1))
                })
            #expect(checker.check(sequential).isLinearizable)
            for (number, operation) in sequential.operations.enumerated() {
                for reply in replies where !model.allows(reply, for: operation.outcome!.reply) {
                    #expect(checker.check(sequential.answering(number, reply)).isViolation)
                }
            }
        }

        // Small ones with overlap, mutated.
        var refused = 0, mutants = 0
        for _ in 0..<300 {
            let made = MadeHistory(
                model, calls: 6, overlap: 2, unknown: 10, &generator, call: call)
            let number = made.history.operations.indices.randomElement(using: &generator)!
            let changed: History<Model.Call, Model.Reply> =
                Int.random(in: 0..<4, using: &generator) == 0
                ? made.history.without(number)
                : made.history.answering(number, replies.randomElement(using: &generator)!)
            let expected = EveryOrder(model: model).explains(changed.operations)
            let verdict = checker.check(changed)
            #expect(verdict.isLinearizable == expected, "\(changed.operations)\n\(verdict)")
            mutants += 1
            if !expected { refused += 1 }
        }
        #expect(refused > mutants / 5, "mutations are found: \(refused) of \(mutants)")
    }
}
