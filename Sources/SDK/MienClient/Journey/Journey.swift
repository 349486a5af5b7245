internal import Logging
internal import MienAPI
public import MienCore

/// One run of a journey.
///
///     let journey = try await client.start("face-login")
///     for try await step in journey.steps {
///         switch step.id {
///         case .loginForm: try await step.respond("face", ["user_identifier": "ada"])
///         case .selfieAcquisition: try await step.capture(frames); try await step.respond(.clientInput)
///         default: try await step.respond(.cancel)
///         }
///     }
///     if case .success(let completion) = try await journey.outcome() { … }
///
/// Errors of `respond` leave the journey unchanged. Answer the step again; after a network error,
/// with the same answer.
public actor Journey {
    nonisolated let link: Connection
    nonisolated let application: Application
    private var progress: JourneyProgress
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter = 0

    /// The properties of the app that a journey needs.
    struct Application: Sendable {
        let id: String
        let server: ServerAddress
        let devices: any DeviceTokenStorage
    }

    init(_ answer: JourneyAnswer, connection: Connection, application: Application) {
        (link, self.application) = (connection, application)
        progress = JourneyProgress(answer)
    }

    /// The journey's last response.
    public var response: MienServiceResponse { progress.response }

    /// The steps that need an answer from this client, the current one first. Ends with the
    /// journey; ``outcome()`` returns how it ended.
    ///
    /// The next step arrives only after the current one is answered; until then an iterator waits.
    /// Several loops may run, and each receives every step that arrives while it waits.
    public nonisolated var steps: Steps { Steps(journey: self) }

    /// Answers the current step.
    ///
    /// - Throws: ``MienError``; `CancellationError`. After `network_error` and cancellation it is
    ///   unknown whether the answer arrived. The same answer may be sent again, with this method or
    ///   with ``retry()``; a different one is refused with `invalid_state`.
    @discardableResult
    public func respond(_ option: ClientResponseOptionType = .clientInput, _ data: JSONValue? = nil)
        async throws -> MienServiceResponse
    {
        try await send(progress.submit(option, data))
    }

    func respond(_ option: ClientResponseOptionType, _ data: JSONValue?, to turn: Int) async throws
        -> MienServiceResponse
    {
        try await send(progress.submit(option, data, to: turn))
    }

    /// Sends the answer again that may not have arrived.
    @discardableResult
    public func retry() async throws -> MienServiceResponse { try await send(progress.resubmit()) }

    private func send(_ request: RespondRequest) async throws -> MienServiceResponse {
        do {
            let answer: JourneyAnswer = try await link.json(
                .init(
                    method: .post, path: ["v1", "journeys", "respond"],
                    body: Connection.encode(request)))
            await application.keep(answer, link.logger)
            progress.received(answer)
        } catch {
            progress.failed(error as? MienError)
            if case .lost = progress.phase { wake() }
            throw error
        }
        wake()
        return progress.response
    }

    /// Returns how the journey ended; `nil` while it is in progress.
    public func outcome() -> JourneyOutcome? {
        guard progress.response.hasEnded else { return nil }
        if progress.response.step == .success, let token = progress.response.token {
            return .success(token: token)
        }
        return .rejection(progress.response.errorData ?? .null)
    }

    /// Returns the journey as text, for ``JourneyClient/restore(_:)``. Protect it like a session:
    /// anyone who has the text can continue the journey.
    ///
    /// - Throws: ``MienError`` `.noActiveJourney` once it has ended.
    public func serializeState() throws -> String { try application.saved(progress.response) }

    /// Opens the capture session of the current step.
    ///
    /// - Throws: ``MienError`` `.invalidState` when the step has none.
    public func captureSession() throws -> CaptureSession {
        guard let token = progress.response.startToken else {
            throw MienError(.invalidState, "This step has no capture session.")
        }
        return CaptureSession(token, link)
    }

    // MARK: Waiting for steps

    /// Returns the first response after number `turn` that needs an answer; `nil` if the journey
    /// ended.
    func step(after turn: Int) async throws -> JourneyStep? {
        while true {
            try Task.checkCancellation()
            if progress.response.hasEnded { return nil }
            if case .lost(let error) = progress.phase { throw error }
            if progress.turn > turn {
                return JourneyStep(journey: self, turn: progress.turn, response: progress.response)
            }
            await wait()
        }
    }

    private func wait() async {
        let number = nextWaiter
        nextWaiter += 1
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume()
                } else {
                    waiting[number] = continuation
                }
            }
        } onCancel: {
            Task { await self.wake(number) }
        }
    }

    private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }

    private func wake() {
        for continuation in waiting.values { continuation.resume() }
        waiting.removeAll()
    }
}

extension Journey.Application {
    func saved(_ response: MienServiceResponse) throws(MienError) -> String {
        guard !response.hasEnded else {
            throw MienError(.noActiveJourney, "The journey has ended.")
        }
        return SavedJourney(server: server, application: id, answer: response.answer).text
    }

    /// Stores the device token, if there is one. A failure to store it does not fail the sign-in.
    func keep(_ answer: JourneyAnswer, _ logger: Logger) async {
        guard let token = answer.deviceToken else { return }
        do { try await devices.store(Sensitive(token), for: device) } catch {
            logger.warning(
                "Could not store the device token",
                metadata: ["client.error": "\(type(of: error))"])
        }
    }

    var device: DeviceTokenKey { DeviceTokenKey(server: server.text, application: id) }
}

/// The way a journey ended.
public enum JourneyOutcome: Sendable {
    /// Completed, with a signed JWT as proof.
    case success(token: Sensitive<String>)
    /// Rejected, with `{cause, reason}`.
    case rejection(JSONValue)
}
