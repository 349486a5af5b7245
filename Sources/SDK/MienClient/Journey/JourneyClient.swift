internal import Logging
internal import MienAPI
public import MienCore

/// Starts journeys for one app on one server.
///
///     let client = try JourneyClient(MienOptions(serverPath: "https://login.example.org", applicationId: "shop"))
///     let journey = try await client.start("face-login")
public struct JourneyClient: Sendable {
    public let options: MienOptions
    let connection: Connection
    let application: Journey.Application

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        try self.init(options) { try await Task.sleep(for: $0) }
    }

    /// - Parameter sleep: Waits between attempts.
    init(_ options: MienOptions, sleep: @escaping @Sendable (Duration) async throws -> Void)
        throws(MienError)
    {
        guard !options.applicationId.isEmpty else {
            throw MienError(.invalidInitializationOptions, "applicationId is empty.")
        }
        self.options = options
        connection = try options.connection(sleep: sleep)
        application = Journey.Application(
            id: options.applicationId, server: connection.address, devices: options.deviceTokens)
    }

    /// Starts a journey.
    ///
    /// The request is repeated if no answer comes. A run whose answer was lost expires on the
    /// server and has changed nothing.
    ///
    /// - Parameter session: The session of the user that the journey is about, for journeys that
    ///   need a signed-in user. It must belong to the same app on the same server. Its access token
    ///   is sent with the start.
    /// - Throws: ``MienError`` `.invalidInitializationOptions` for another app's session; errors of
    ///   ``MienSession/accessToken()``.
    public func start(
        _ journeyId: String, _ start: StartJourneyOptions = StartJourneyOptions(),
        session: MienSession? = nil
    ) async throws -> Journey {
        // The token must not reach another server.
        guard
            session.map({
                $0.connection.address == connection.address
                    && $0.options.applicationId == options.applicationId
            }) ?? true
        else {
            throw MienError(
                .invalidInitializationOptions, "The session belongs to another server or app.")
        }
        let access = try await session?.access()
        let device = try? await options.deviceTokens.token(for: application.device)
        var parameters = start.additionalParams
        if let resource = options.resource {
            var members = parameters?.objectValue ?? [:]
            if members["resource"] == nil { members["resource"] = .string(resource) }
            parameters = .object(members)
        }
        let request = StartJourneyRequest(
            clientID: options.applicationId, clientSecret: options.clientSecret?.use { $0 },
            additionalParams: parameters, flowID: start.flowId,
            deviceToken: device?.use { $0 }, organization: start.organization)
        let answer: JourneyAnswer = try await connection.json(
            .init(
                method: .post, path: ["v1", "journeys", journeyId, "start"], access: access,
                body: Connection.encode(request)))
        await application.keep(answer, connection.logger)
        return Journey(answer, connection: connection, application: application)
    }

    /// Resumes a journey that was saved with ``Journey/serializeState()`` at its current step.
    ///
    /// - Throws: ``MienError`` `.invalidState` for another app's journey and for malformed text.
    public func restore(_ state: String) throws(MienError) -> Journey {
        try restored(state).journey
    }

    func restored(_ state: String) throws(MienError) -> (
        journey: Journey, response: MienServiceResponse
    ) {
        let saved = try SavedJourney(state, server: connection.address, application: application.id)
        return (
            Journey(saved.answer, connection: connection, application: application),
            MienServiceResponse(saved.answer)
        )
    }

    /// Cancels recoveries of the account that was signed in on this device before they were
    /// requested. Nobody has to be signed in.
    ///
    /// - Returns: whether there was anything to cancel.
    public func cancelRecoveries() async throws -> Bool {
        guard let device = try await options.deviceTokens.token(for: application.device) else {
            return false
        }
        let request = CancelRecoveryRequest(
            clientID: options.applicationId, clientSecret: options.clientSecret?.use { $0 },
            deviceToken: device.use { $0 })
        do {
            try await connection.send(
                .init(
                    method: .post, path: ["v1", "recovery", "cancel"],
                    body: Connection.encode(request)))
            return true
        } catch let error as MienError where error.problem?.code == .notFound { return false }
    }

    /// Returns the capture session of a start token.
    public func captureSession(startToken: Sensitive<String>) -> CaptureSession {
        CaptureSession(startToken, connection)
    }
}

/// The options of a journey's start.
public struct StartJourneyOptions: Sendable, Hashable {
    /// The journey's own parameters, a JSON object.
    public var additionalParams: JSONValue?
    /// The app's own identifier, which is returned in the token.
    public var flowId: String?
    /// The organization through which the user signs in, for B2B apps: an ID, an external ID, or
    /// `none`. By default the user's only one.
    public var organization: String?

    public init(
        additionalParams: JSONValue? = nil, flowId: String? = nil, organization: String? = nil
    ) {
        (self.additionalParams, self.flowId) = (additionalParams, flowId)
        self.organization = organization
    }
}
