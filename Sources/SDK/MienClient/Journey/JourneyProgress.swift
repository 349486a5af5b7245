internal import MienAPI
internal import MienCore

/// Where a journey is, as the client knows it. Pure: sends nothing, waits for nothing.
///
/// One answer at a time. An answer whose fate is not known is kept, and is the only one that may be
/// sent until the server has said what came of it: otherwise a person could cancel what they have,
/// without anybody telling them, already confirmed.
struct JourneyProgress: Sendable {
    enum Phase: Sendable {
        /// For the app's answer.
        case waiting
        /// On its way.
        case sending(RespondRequest)
        /// Sent, and nobody knows whether it arrived.
        case uncertain(RespondRequest)
        case ended
        /// The server does not know the journey any more.
        case lost(MienError)
    }

    private(set) var phase: Phase
    private(set) var response: MienServiceResponse
    /// Counts responses from 1.
    private(set) var turn = 1

    init(_ answer: JourneyAnswer) {
        response = MienServiceResponse(answer)
        phase = answer.state == nil ? .ended : .waiting
    }

    /// What to send for this answer.
    ///
    /// - Parameter turn: the response that is answered; `nil` for the last one.
    mutating func submit(
        _ option: ClientResponseOptionType, _ data: JSONValue?, to turn: Int? = nil
    ) throws(MienError) -> RespondRequest {
        if let turn, turn != self.turn {
            throw MienError(
                .invalidState, "this step was answered already; the journey has gone on")
        }
        let request = RespondRequest(
            state: response.answer.state ?? "", option: option.type, data: data)
        switch phase {
        case .waiting: break
        case .uncertain(let last) where last == request: break
        case .uncertain:
            throw MienError(
                .invalidState,
                "an answer to this step may have arrived: send the same one again, or call retry()")
        case .sending: throw MienError(.invalidState, "an answer to this step is under way")
        case .ended: throw MienError(.noActiveJourney, "the journey has ended")
        case .lost(let error): throw error
        }
        phase = .sending(request)
        return request
    }

    /// The answer whose fate is not known, once more.
    mutating func resubmit() throws(MienError) -> RespondRequest {
        guard case .uncertain(let request) = phase else {
            throw MienError(.invalidState, "there is no answer to send again")
        }
        phase = .sending(request)
        return request
    }

    mutating func received(_ answer: JourneyAnswer) {
        let isUpdate =
            JourneyStepID(answer.journeyStepID) == response.step && answer.data?["error"] != nil
        response = MienServiceResponse(answer, isUpdate: isUpdate)
        turn += 1
        phase = answer.state == nil ? .ended : .waiting
    }

    /// Sending brought no answer.
    ///
    /// - Parameter error: `nil` when it was cancelled.
    mutating func failed(_ error: MienError?) {
        guard case .sending(let request) = phase else { return }
        guard let error else {
            phase = .uncertain(request)
            return
        }
        switch error.code {
        // With `invalidState` the server knows another answer than this one: what this client
        // believes is past.
        case .noActiveJourney, .invalidState: phase = .lost(error)
        // It may have arrived; or it was refused, with the reason, and another answer may be
        // better.
        default: phase = error.mayHaveArrived ? .uncertain(request) : .waiting
        }
    }
}
