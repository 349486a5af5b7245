internal import MienAPI
internal import MienCore

/// A journey's progress as the client knows it. Pure: it sends nothing and waits for nothing.
///
/// It allows one answer at a time. An answer that may have arrived is kept, and no other may be
/// sent until the server has reported its result. Otherwise a user could cancel something they had
/// unknowingly already confirmed.
struct JourneyProgress: Sendable {
    enum Phase: Sendable {
        /// Waits for the app's answer.
        case waiting
        /// The answer is being sent.
        case sending(RespondRequest)
        /// The answer was sent, and it is unknown whether it arrived.
        case uncertain(RespondRequest)
        case ended
        /// The server no longer knows the journey.
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

    /// Returns the request to send for an answer.
    ///
    /// - Parameter turn: The number of the response that is answered; `nil` for the last one.
    mutating func submit(
        _ option: ClientResponseOptionType, _ data: JSONValue?, to turn: Int? = nil
    ) throws(MienError) -> RespondRequest {
        if let turn, turn != self.turn {
            throw MienError(
                .invalidState, "This step was already answered. Answer the journey's current step.")
        }
        let request = RespondRequest(
            state: response.answer.state ?? "", option: option.type, data: data)
        switch phase {
        case .waiting: break
        case .uncertain(let last) where last == request: break
        case .uncertain:
            throw MienError(
                .invalidState,
                "An answer to this step may have arrived. Send the same answer again or call retry()."
            )
        case .sending: throw MienError(.invalidState, "An answer to this step is being sent.")
        case .ended: throw MienError(.noActiveJourney, "The journey has ended.")
        case .lost(let error): throw error
        }
        phase = .sending(request)
        return request
    }

    /// Returns the request again that may not have arrived.
    mutating func resubmit() throws(MienError) -> RespondRequest {
        guard case .uncertain(let request) = phase else {
            throw MienError(.invalidState, "There is no answer to send again.")
        }
        phase = .sending(request)
        return request
    }

    mutating func received(_ answer: JourneyAnswer) {
        let isUpdate =
            JourneyStepID(answer.journeyStepID.rawValue) == response.step
            && answer.data?["error"] != nil
        response = MienServiceResponse(answer, isUpdate: isUpdate)
        turn += 1
        phase = answer.state == nil ? .ended : .waiting
    }

    /// Notes that sending brought no answer.
    ///
    /// - Parameter error: `nil` if the sending was canceled.
    mutating func failed(_ error: MienError?) {
        guard case .sending(let request) = phase else { return }
        guard let error else {
            phase = .uncertain(request)
            return
        }
        switch error.code {
        // `invalidState` means that the server has a different answer, so this client's view is out
        // of date.
        case .noActiveJourney, .invalidState: phase = .lost(error)
        // It may have arrived. Otherwise it was refused with a reason, and a different answer may
        // be accepted.
        default: phase = error.mayHaveArrived ? .uncertain(request) : .waiting
        }
    }
}
