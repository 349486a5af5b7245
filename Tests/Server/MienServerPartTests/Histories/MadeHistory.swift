import MienCore
import MienSimulation

/// Makes histories that are right by construction: each call takes effect at one moment, and its
/// beginning and reply are put around it.
struct MadeHistory<Model: SequentialModel> {
    let model: Model
    let history: History<Model.Call, Model.Reply>

    /// - Parameters:
    ///   - overlap: how many moments a call may begin before, and be answered after, its own. 0: one
    ///     call after another.
    ///   - unknown: the share of calls whose reply is lost, in percent. Half of them have no effect.
    init(
        _ model: Model, calls: Int, overlap: Int64, unknown: Int,
        _ generator: inout SeededGenerator,
        call: (_ state: Model.State, _ number: Int, inout SeededGenerator) -> Model.Call
    ) {
        var state = model.initial, operations: [Operation<Model.Call, Model.Reply>] = []
        for number in 0..<calls {
            let moment = Int64(number) * 10, call = call(state, number, &generator)
            let began = moment - Int64.random(in: 0...overlap * 10 + 1, using: &generator)
            let ended = moment + Int64.random(in: 0...overlap * 10 + 1, using: &generator)
            let isUnknown = Int.random(in: 0..<100, using: &generator) < unknown
            if isUnknown, Bool.random(using: &generator) {
                operations.append(Operation(client: number, call: call, began: began, outcome: nil))
                continue
            }
            let reply = model.apply(call, to: &state)
            operations.append(
                Operation(
                    client: number, call: call, began: began,
                    outcome: isUnknown ? nil : .init(reply, ended: ended)))
        }
        // The order of the list means nothing.
        operations.shuffle(using: &generator)
        (self.model, history) = (model, History(operations))
    }
}

/// Judges small histories of one object by trying every order, without any cleverness.
struct EveryOrder<Model: SequentialModel> {
    let model: Model

    func explains(_ operations: [Operation<Model.Call, Model.Reply>]) -> Bool {
        explains(operations, from: model.initial)
    }

    private func explains(
        _ left: [Operation<Model.Call, Model.Reply>], from state: Model.State
    ) -> Bool {
        if left.allSatisfy({ $0.outcome == nil }) { return true }
        return left.indices.contains { index in
            // Nothing that is left ended before this began.
            guard left.allSatisfy({ ($0.outcome?.ended ?? .max) >= left[index].began }) else {
                return false
            }
            var next = state, rest = left
            let operation = rest.remove(at: index)
            let reply = model.apply(operation.call, to: &next)
            if let seen = operation.outcome?.reply, !model.allows(seen, for: reply) { return false }
            return explains(rest, from: next)
        }
    }
}

extension History {
    /// The same history with another reply to one call.
    func answering(_ number: Int, _ reply: Reply) -> History {
        var changed = self
        let old = changed.operations[number]
        changed.operations[number] = Operation(
            client: old.client, call: old.call, began: old.began,
            outcome: old.outcome.map { .init(reply, ended: $0.ended) })
        return changed
    }

    /// The same history without the call.
    func without(_ number: Int) -> History {
        var changed = self
        changed.operations.remove(at: number)
        return changed
    }
}

/// A history in one line for each call: (client, began, ended, call, reply); no end means that the
/// client never learned the reply.
func history<Call, Reply>(_ rows: (Int, Int64, Int64?, Call, Reply)...) -> History<Call, Reply> {
    History(
        rows.map { client, began, ended, call, reply in
            Operation(
                client: client, call: call, began: began,
                outcome: ended.map { .init(reply, ended: $0) })
        })
}
