public import Logging
public import MienCore

/// One app's journeys in the form that mobile apps use: initialise once, start, answer, one journey
/// at a time.
///
///     try Mien.initialize(serverPath: "https://login.example.org", applicationId: "shop")
///     Mien.delegate = self
///     try Mien.startJourney(journeyId: "face-login")
///
/// Each call comes in three forms: it tells ``delegate``, it tells a handler of its own, or it is
/// awaited. ``JourneyClient`` and ``Journey`` are the same without anything shared.
@MainActor
public enum Mien {
    private static var client: JourneyClient?
    private static var journey: Journey?
    private static var last: MienServiceResponse?

    /// Held weakly.
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

    /// A journey that is under way is forgotten.
    public static func initialize(_ options: MienOptions) throws(MienError) {
        client = try JourneyClient(options)
        (journey, last) = (nil, nil)
    }

    /// The client behind all this; `nil` before `initialize`.
    public static var journeyClient: JourneyClient? { client }

    // MARK: Awaited

    /// Starts a journey; one that is under way is forgotten.
    ///
    /// - Throws: ``MienError``; `CancellationError`.
    @discardableResult
    public static func startJourney(
        _ journeyId: String, _ options: StartJourneyOptions = StartJourneyOptions()
    ) async throws -> MienServiceResponse {
        let started = try await ready().start(journeyId, options)
        return present(started, await started.response)
    }

    @discardableResult
    public static func startJourney(
        journeyId: String, options: StartJourneyOptions = StartJourneyOptions()
    ) async throws -> MienServiceResponse {
        try await startJourney(journeyId, options)
    }

    /// Answers the present step.
    ///
    /// - Throws: as ``Journey/respond(_:_:)``.
    @discardableResult
    public static func submitClientResponse(
        clientResponseOptionId: ClientResponseOptionType, data: JSONValue? = nil
    ) async throws -> MienServiceResponse {
        let current = try active()
        return present(current, try await current.respond(clientResponseOptionId, data))
    }

    // MARK: Told to a handler

    public static func startJourney(
        _ journeyId: String, _ options: StartJourneyOptions? = nil, _ handler: any MienHandler
    ) {
        tell(handler) { try await startJourney(journeyId, options ?? StartJourneyOptions()) }
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

    // MARK: Told to the delegate

    /// - Throws: ``MienError`` `.notInitialized`. What comes of the call is told to ``delegate``.
    public static func startJourney(
        journeyId: String, options: StartJourneyOptions = StartJourneyOptions()
    ) throws(MienError) {
        _ = try ready()
        tell(nil) { try await startJourney(journeyId, options) }
    }

    /// - Throws: ``MienError`` `.notInitialized`, `.noActiveJourney`. What comes of the call is
    ///   told to ``delegate``.
    public static func submitClientResponse(
        clientResponseOptionId: ClientResponseOptionType, data: JSONValue? = nil
    ) throws(MienError) {
        _ = try active()
        tell(nil) {
            try await submitClientResponse(
                clientResponseOptionId: clientResponseOptionId, data: data)
        }
    }

    // MARK: Saved and restored

    /// The journey as text. Keep it like a session.
    ///
    /// - Throws: ``MienError`` `.notInitialized`, `.noActiveJourney`.
    public static func serializeState() throws(MienError) -> String {
        let current = try active()
        guard let last else { throw MienError(.noActiveJourney, "there is no journey") }
        return try current.application.saved(last)
    }

    /// Goes on with a saved journey, at the step it was at.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; `.invalidState` for another app's journey, and
    ///   for what is none.
    @discardableResult
    public static func restoreFromSerializedState(_ state: String) throws(MienError)
        -> MienServiceResponse
    {
        let (restored, response) = try ready().restored(state)
        return present(restored, response)
    }

    // MARK: Inside

    private static func ready() throws(MienError) -> JourneyClient {
        guard let client else { throw MienError(.notInitialized, "call Mien.initialize first") }
        return client
    }

    private static func active() throws(MienError) -> Journey {
        _ = try ready()
        guard let journey else {
            throw MienError(.noActiveJourney, "there is no journey; start one")
        }
        return journey
    }

    private static func present(_ current: Journey, _ response: MienServiceResponse)
        -> MienServiceResponse
    {
        (journey, last) = (current, response)
        return response
    }

    /// The call goes on without its caller: apps come to these forms from places that cannot wait.
    private static func tell(
        _ handler: (any MienHandler)?,
        _ call: @escaping @MainActor () async throws -> MienServiceResponse
    ) {
        Task {
            let result: Result<MienServiceResponse, MienError>
            do { result = .success(try await call()) } catch {
                result = .failure(
                    error as? MienError ?? MienError(.networkError, "the call was cancelled"))
            }
            guard let handler else { return delegate?.mienDidReceiveResult(result) ?? () }
            switch result {
            case .success(let response): handler.success(response)
            case .failure(let error): handler.failure(error)
            }
        }
    }
}
