public import Logging
public import MienCore

/// The journeys of one app in the form that mobile apps use: initialize once, start, answer, with
/// one journey at a time.
///
///     try Mien.initialize(serverPath: "https://login.example.org", applicationId: "shop")
///     Mien.delegate = self
///     try Mien.startJourney(journeyId: "face-login")
///
/// Each call has three forms: it reports to ``delegate``, it calls a handler, or it is `async`.
/// ``JourneyClient`` and ``Journey`` offer the same without shared state.
@MainActor
public enum Mien {
    private static var client: JourneyClient?
    private static var journey: Journey?
    private static var last: MienServiceResponse?

    /// The receiver of results. It is held weakly.
    public static weak var delegate: (any MienDelegate)?

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public static func initialize(
        serverPath: String, applicationId: String = "default_application", resource: String? = nil,
        logLevel: Logger.Level = .warning,
        pollingTimeout: Duration = .seconds(3)
    ) throws(MienError) {
        try initialize(
            MienOptions(
                serverPath: serverPath, applicationId: applicationId, resource: resource,
                logLevel: logLevel, pollingTimeout: pollingTimeout))
    }

    /// Initializes with options. A journey in progress is dropped.
    public static func initialize(_ options: MienOptions) throws(MienError) {
        client = try JourneyClient(options)
        (journey, last) = (nil, nil)
    }

    /// The response to the last call, whose step waits for an answer.
    static var current: MienServiceResponse? { last }

    /// The underlying client; `nil` before `initialize`.
    public static var journeyClient: JourneyClient? { client }

    // MARK: Async calls

    /// Starts a journey. A journey in progress is dropped.
    ///
    /// - Parameter session: The session of the signed-in user, for journeys about that user, such
    ///   as registration and step-up.
    /// - Throws: ``MienError``; `CancellationError`; as ``JourneyClient/start(_:_:session:)``.
    @discardableResult
    public static func startJourney(
        _ journeyId: String, _ options: StartJourneyOptions = StartJourneyOptions(),
        session: MienSession? = nil
    ) async throws -> MienServiceResponse {
        let started = try await ready().start(journeyId, options, session: session)
        return present(started, await started.response)
    }

    @discardableResult
    public static func startJourney(
        journeyId: String, options: StartJourneyOptions = StartJourneyOptions(),
        session: MienSession? = nil
    ) async throws -> MienServiceResponse {
        try await startJourney(journeyId, options, session: session)
    }

    /// Answers the current step.
    ///
    /// - Throws: as ``Journey/respond(_:_:)``.
    @discardableResult
    public static func submitClientResponse(
        clientResponseOptionId: ClientResponseOptionType, data: JSONValue? = nil
    ) async throws -> MienServiceResponse {
        let current = try active()
        return present(current, try await current.respond(clientResponseOptionId, data))
    }

    // MARK: Calls with a handler

    public static func startJourney(
        _ journeyId: String, _ options: StartJourneyOptions? = nil, session: MienSession? = nil,
        _ handler: any MienHandler
    ) {
        tell(handler) {
            try await startJourney(
                journeyId, options ?? StartJourneyOptions(), session: session)
        }
    }

    public static func submitClientResponse(
        _ clientResponseOptionId: ClientResponseOptionType, _ data: JSONValue? = nil,
        _ handler: any MienHandler
    ) {
        tell(handler) {
            try await submitClientResponse(
                clientResponseOptionId: clientResponseOptionId, data: data)
        }
    }

    // MARK: Calls that report to the delegate

    /// Starts a journey and reports the result to ``delegate``.
    ///
    /// - Throws: ``MienError`` `.notInitialized`.
    public static func startJourney(
        journeyId: String, options: StartJourneyOptions = StartJourneyOptions(),
        session: MienSession? = nil
    ) throws(MienError) {
        _ = try ready()
        tell(nil) { try await startJourney(journeyId, options, session: session) }
    }

    /// Answers the current step and reports the result to ``delegate``.
    ///
    /// - Throws: ``MienError`` `.notInitialized`, `.noActiveJourney`.
    public static func submitClientResponse(
        clientResponseOptionId: ClientResponseOptionType, data: JSONValue? = nil
    ) throws(MienError) {
        _ = try active()
        tell(nil) {
            try await submitClientResponse(
                clientResponseOptionId: clientResponseOptionId, data: data)
        }
    }

    // MARK: Saving and restoring

    /// Returns the journey as text. Protect it like a session.
    ///
    /// - Throws: ``MienError`` `.notInitialized`, `.noActiveJourney`.
    public static func serializeState() throws(MienError) -> String {
        let current = try active()
        guard let last else { throw MienError(.noActiveJourney, "No journey has been started.") }
        return try current.application.saved(last)
    }

    /// Resumes a saved journey at its current step.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; `.invalidState` for another app's journey and for
    ///   malformed text.
    @discardableResult
    public static func restoreFromSerializedState(_ state: String) throws(MienError)
        -> MienServiceResponse
    {
        let (restored, response) = try ready().restored(state)
        return present(restored, response)
    }

    // MARK: Helpers

    private static func ready() throws(MienError) -> JourneyClient {
        guard let client else { throw MienError(.notInitialized, "Call Mien.initialize first.") }
        return client
    }

    private static func active() throws(MienError) -> Journey {
        _ = try ready()
        guard let journey else {
            throw MienError(.noActiveJourney, "No journey has been started. Start one first.")
        }
        return journey
    }

    private static func present(_ current: Journey, _ response: MienServiceResponse)
        -> MienServiceResponse
    {
        (journey, last) = (current, response)
        return response
    }

    /// Runs a call in a task, since apps use these forms where they cannot await.
    private static func tell(
        _ handler: (any MienHandler)?,
        _ call: @escaping @MainActor () async throws -> MienServiceResponse
    ) {
        Task {
            let result: Result<MienServiceResponse, MienError>
            do { result = .success(try await call()) } catch {
                result = .failure(
                    error as? MienError ?? MienError(.networkError, "The call was canceled."))
            }
            guard let handler else { return delegate?.mienDidReceiveResult(result) ?? () }
            switch result {
            case .success(let response): handler.success(response)
            case .failure(let error): handler.failure(error)
            }
        }
    }
}
