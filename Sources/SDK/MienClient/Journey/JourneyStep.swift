public import MienAPI
public import MienCore

/// A step that waits for this client's answer.
public struct JourneyStep: Sendable {
    let journey: Journey
    let turn: Int
    public let response: MienServiceResponse

    public var id: JourneyStepID { response.step }
    public var data: JSONValue? { response.data }
    public var options: [String: ClientResponseOption] { response.clientResponseOptions }

    /// Answers this step. A second, different answer to it is refused.
    ///
    /// - Throws: as ``Journey/respond(_:_:)``.
    @discardableResult
    public func respond(_ option: ClientResponseOptionType = .clientInput, _ data: JSONValue? = nil)
        async throws -> MienServiceResponse
    {
        try await journey.respond(option, data, to: turn)
    }

    /// The step's capture session.
    ///
    /// - Throws: ``MienError`` `.invalidState` when the step has none.
    public func captureSession() throws(MienError) -> CaptureSession {
        guard let token = response.startToken else {
            throw MienError(.invalidState, "This step has no capture session.")
        }
        return CaptureSession(token, journey.link)
    }

    /// Sends frames to the step's capture session until it is decided. Then answer the step, with
    /// `.clientInput` if the session passed.
    ///
    /// - Parameter consent: Called before the first frame if the session asks the person for
    ///   consent. If they do not agree, the session is canceled: answer with `.cancel`.
    /// - Returns: the session's last answer.
    /// - Throws: ``MienError`` `.invalidState` when the step has no capture session, or when the
    ///   session asks for consent and `consent` is `nil`.
    @discardableResult
    public nonisolated(nonsending) func capture<Frames: AsyncSequence>(
        _ frames: Frames, onGuidance: (CaptureAnswer) -> Void = { _ in },
        consent: ConsentHandler? = nil
    ) async throws -> CaptureAnswer where Frames.Element == CaptureFrame {
        try await captureSession().run(frames, onGuidance: onGuidance, consent: consent)
    }
}

/// The steps of a journey in the order in which they arrive.
public struct Steps: AsyncSequence, Sendable {
    let journey: Journey

    public func makeAsyncIterator() -> Iterator { Iterator(journey: journey) }

    public struct Iterator: AsyncIteratorProtocol {
        let journey: Journey
        private var turn = 0

        init(journey: Journey) { self.journey = journey }

        public mutating func next() async throws -> JourneyStep? {
            let step = try await journey.step(after: turn)
            if let step { turn = step.turn }
            return step
        }
    }
}
