import MienCore
import MienSimulation
import MienTesting
import Testing

/// The smallest model: a register.
private struct Register: SequentialModel {
    enum Call: Sendable { case write(Int), read }
    enum Reply: Equatable, Sendable { case done, value(Int) }
    let initial = 0
    func key(of call: Call) -> Int { 0 }
    func apply(_ call: Call, to state: inout Int) -> Reply {
        switch call {
        case .write(let value):
            state = value
            return .done
        case .read: return .value(state)
        }
    }
}

private typealias Seen = History<Register.Call, Register.Reply>

@Suite struct LinearizabilityCheckerTests {
    private let checker = LinearizabilityChecker(Register())

    @Test func `an empty history is linearizable`() {
        #expect(checker.check(History()).isLinearizable)
    }

    @Test func `overlapping calls may take effect in any order`() {
        for value in [0, 1] {
            let verdict = checker.check(
                history((1, 0, 10, .write(1), .done), (2, 5, 6, .read, .value(value))))
            #expect(verdict.isLinearizable, "\(verdict)")
        }
    }

    @Test func `a read that begins after a write ended sees it`() {
        let stale = checker.check(
            history((1, 0, 10, .write(1), .done), (2, 11, 12, .read, .value(0))))
        #expect(stale.isViolation)
    }

    @Test func `a call and a reply at the same time overlap`() {
        #expect(
            checker.check(
                history((1, 0, 10, .write(1), .done), (2, 10, 12, .read, .value(0)))
            ).isLinearizable)
    }

    @Test func `two reads do not see a write and then not`() {
        let verdict = checker.check(
            history(
                (1, 0, 100, .write(1), .done), (2, 10, 20, .read, .value(1)),
                (3, 30, 40, .read, .value(0))))
        #expect(verdict.isViolation)
    }

    @Test func `a write without a reply may take effect late, or never, but not twice`() {
        let late: Seen = history(
            (1, 0, nil, .write(1), .done), (2, 10, 20, .read, .value(0)),
            (2, 500, 510, .read, .value(1)))
        #expect(checker.check(late).isLinearizable)
        let never: Seen = history(
            (1, 0, nil, .write(1), .done), (2, 10, 20, .read, .value(0)))
        #expect(checker.check(never).isLinearizable)
        let twice: Seen = history(
            (1, 0, nil, .write(1), .done), (2, 10, 20, .read, .value(1)),
            (2, 30, 40, .write(2), .done), (2, 50, 60, .read, .value(1)))
        #expect(checker.check(twice).isViolation)
    }

    @Test func `a counterexample names the calls, and the one that has no place`() throws {
        let verdict = checker.check(
            history((1, 0, 10, .write(1), .done), (2, 11, 12, .read, .value(0))))
        guard case .violation(let example) = verdict else {
            Issue.record("the stale read was accepted")
            return
        }
        #expect(example.longestOrder == [0] && example.blocked == 1)
        #expect(
            "\(verdict)" == """
                not linearizable: no order explains the replies about 0
                  1  client 1  0…10  write(1) → done
                  ✗  client 2  11…12  read → value(0)
                """)
    }

    @Test func `too many steps leave the verdict open`() {
        let calls = (0..<12).map {
            Operation<Register.Call, Register.Reply>(
                client: $0, call: .write($0), began: 0, outcome: .init(.done, ended: 100))
        }
        let read = Operation<Register.Call, Register.Reply>(
            client: 99, call: .read, began: 200, outcome: .init(.value(77), ended: 201))
        let history = History(calls + [read])
        let verdict = LinearizabilityChecker(Register(), maxSteps: 50).check(history)
        #expect(!verdict.isLinearizable && !verdict.isViolation)
        #expect(checker.check(history).isViolation)
    }

    @Test func `more than 64 calls about one object are checked`() {
        var generator = TestSeed.generator(401)
        let made = MadeHistory(
            Register(), calls: 500, overlap: 3, unknown: 0, &generator
        ) { _, number, generator in
            Bool.random(using: &generator) ? .read : .write(number)
        }
        #expect(checker.check(made.history).isLinearizable)
        let last = made.history.operations.map(\.began).max() ?? 0
        var wrong = made.history
        wrong.operations.append(
            Operation(
                client: 0, call: .read, began: last + 1000,
                outcome: .init(.value(-1), ended: last + 1001)))
        #expect(checker.check(wrong).isViolation)
    }

    @Test func `the verdict on small histories is that of trying every order`() {
        var generator = TestSeed.generator(402), violations = 0
        for _ in 0..<3000 {
            let operations = (0..<Int.random(in: 1...6, using: &generator)).map { client in
                let began = Int64.random(in: 0...12, using: &generator)
                let call: Register.Call =
                    Bool.random(using: &generator)
                    ? .read : .write(Int.random(in: 1...2, using: &generator))
                let reply: Register.Reply =
                    if case .read = call { .value(Int.random(in: 0...2, using: &generator)) } else {
                        .done
                    }
                let ended = began + Int64.random(in: 0...6, using: &generator)
                return Operation(
                    client: client, call: call, began: began,
                    outcome: Int.random(in: 0..<6, using: &generator) == 0
                        ? nil : .init(reply, ended: ended))
            }
            let expected = EveryOrder(model: Register()).explains(operations)
            let verdict = checker.check(History(operations))
            #expect(verdict.isLinearizable == expected, "\(operations)\n\(verdict)")
            #expect(verdict.isViolation == !expected)
            if !expected { violations += 1 }
        }
        #expect((300...2700).contains(violations), "both verdicts occur: \(violations) of 3000")
    }

    @Test func `a recorder keeps the order of events, and unknown outcomes`() {
        let recorder = HistoryRecorder<Register.Call, Register.Reply>()
        let write = recorder.begin(.write(1), client: 1)
        let read = recorder.begin(.read, client: 2)
        recorder.end(read, .value(1))
        recorder.drop(recorder.begin(.write(9), client: 3))
        let history = recorder.history
        #expect(history.operations.count == 2)
        #expect(history.operations[0].outcome == nil && history.operations[0].began == 1)
        #expect(history.operations[1].began == 2 && history.operations[1].outcome?.ended == 3)
        #expect(checker.check(history).isLinearizable)
        recorder.end(write, .done)
        #expect(recorder.history.operations[0].outcome?.ended == 5)
    }
}
