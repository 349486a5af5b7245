public import MienAPI
public import MienCore
public import MienIdentity

/// A verification session with a document: consent, pictures of the document, the person's face, and
/// the submission. The server knows how far it is; ``step(of:)`` says what comes next.
///
///     let session = client.documentSession(startToken: token)
///     var answer = try await session.status()
///     if let consent = answer.consent { answer = try await session.giveConsent(to: consent) }
///     answer = try await session.choose(country: "US", type: .idCard)
///     let verdict = try await session.put(front, of: .documentFront)      // verdict.accepted, or why not
///     let selfie = try await session.startSelfie()                         // a CaptureSession
///     answer = try await session.submit()
///
/// Pictures are repeated after a lost response; a picture replaces the earlier one of its side.
public struct DocumentSession: Sendable {
    let token: Sensitive<String>
    let connection: Connection

    /// The largest picture of a document that the server accepts, in bytes.
    public static let maxPictureBytes = 16 << 20
    /// The largest frame of ``preview(_:)`` in bytes.
    public static let maxPreviewBytes = 300_000

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(startToken: Sensitive<String>, _ options: MienOptions) throws(MienError) {
        token = startToken
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    init(_ token: Sensitive<String>, _ connection: Connection) {
        (self.token, self.connection) = (token, connection)
    }

    // MARK: State

    public func status() async throws -> VerificationSessionAnswer {
        try await json(.get, "session")
    }

    /// Waits until the session is judged or needs something, and returns it then.
    ///
    /// - Parameter limit: The longest time to wait.
    public func judged(within limit: Duration = .seconds(120)) async throws
        -> VerificationSessionAnswer
    {
        var wait = Duration.seconds(1), waited = Duration.zero
        while true {
            let answer = try await status()
            guard answer.status == .known(.processing), waited < limit else { return answer }
            try await connection.sleep(wait)
            waited += wait
            wait = min(wait * 1.3, .seconds(5))
        }
    }

    /// Cancels the session, and has the server erase its pictures.
    @discardableResult
    public func cancel() async throws -> VerificationSessionAnswer {
        try await json(.delete, "session")
    }

    // MARK: Consent and document

    /// Tells the server that the person agreed to the text. Call it only after showing them the text.
    @discardableResult
    public func giveConsent(to text: VerificationSessionAnswer.Consent) async throws
        -> VerificationSessionAnswer
    {
        try await json(
            .post, "consent",
            Connection.encode(IdentityConsentRequest(version: text.version)))
    }

    /// Says which document the person has. Pictures of another one are dropped.
    ///
    /// - Parameter country: ISO 3166-1 alpha-2, one of ``VerificationSessionAnswer/supportedDocuments``.
    @discardableResult
    public func choose(country: String, type: IdentityDocumentType) async throws
        -> VerificationSessionAnswer
    {
        try await json(
            .post, "document",
            Connection.encode(VerificationDocumentRequest(country: country, documentType: type)))
    }

    // MARK: Pictures

    /// Returns where the document is in a frame of the camera and what is wrong with the frame.
    /// Nothing is stored.
    ///
    /// - Parameter jpeg: At most ``maxPreviewBytes``.
    public func preview(_ jpeg: [UInt8]) async throws -> VerificationPreviewAnswer {
        // A later frame is worth more than this one again.
        try await connection.json(
            .init(
                method: .post, path: ["v1", "verification", "preview"], bearer: token,
                contentType: CaptureFrame.ContentType.jpeg.rawValue, body: jpeg,
                isRepeatable: false))
    }

    /// Sends a picture of one side of the document.
    ///
    /// - Parameter side: `.documentFront` or `.documentBack`.
    /// - Returns: whether it was taken; otherwise, why another one is needed.
    public func put(_ picture: CaptureFrame, of side: SessionPicture) async throws
        -> VerificationPictureAnswer
    {
        try await connection.json(
            .init(
                method: .put, path: ["v1", "verification", "images", side.rawValue], bearer: token,
                contentType: picture.type.rawValue, body: picture.bytes))
    }

    /// Sends pictures of a document that was tilted in front of the camera.
    ///
    /// - Parameter jpegs: Four to eight, each at most ``maxPreviewBytes`` and 1,280 pixels.
    public func putTilted(_ jpegs: [[UInt8]]) async throws -> VerificationPictureAnswer {
        let form = FormBody(
            jpegs.enumerated().map { ("frame\($0.offset + 1)", $0.element) })
        return try await connection.json(
            .init(
                method: .put,
                path: ["v1", "verification", "images", SessionPicture.documentTilt.rawValue],
                bearer: token, contentType: form.contentType, body: form.bytes,
                isRepeatable: false))
    }

    // MARK: Face and submission

    /// Opens the capture of the person's face. An earlier one of this session ends.
    public func startSelfie() async throws -> CaptureSession {
        let answer: VerificationSelfieAnswer = try await json(.post, "selfie", Array("{}".utf8))
        return CaptureSession(Sensitive(answer.startToken), connection)
    }

    /// Sends what was captured to be judged.
    ///
    /// If no answer comes, the session is asked whether the submission arrived.
    @discardableResult
    public func submit() async throws -> VerificationSessionAnswer {
        do { return try await submitOnce() } catch let error as MienError
            where error.code == .networkError
        {
            let now = try await status()
            return Self.step(of: now, skipsTilt: true) == .submit ? try await submitOnce() : now
        }
    }

    private func submitOnce() async throws -> VerificationSessionAnswer {
        try await json(.post, "submit", Array("{}".utf8), isRepeatable: false)
    }

    private func json<Answer: Decodable>(
        _ method: HTTPTransportRequest.Method, _ path: String, _ body: [UInt8] = [],
        isRepeatable: Bool = true
    ) async throws -> Answer {
        try await connection.json(
            .init(
                method: method, path: ["v1", "verification", path], bearer: token, body: body,
                isRepeatable: isRepeatable))
    }
}

extension DocumentSession: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹verification session›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JourneyClient {
    /// Returns the verification session of a start token of a step with documents.
    public func documentSession(startToken: Sensitive<String>) -> DocumentSession {
        DocumentSession(startToken, connection)
    }
}

extension JourneyStep {
    /// The step's verification session, if the step asks for a document.
    ///
    /// - Throws: ``MienError`` `.invalidState` if it does not.
    public func documentSession() throws(MienError) -> DocumentSession {
        guard let token = response.startToken, StartToken(token).kind == .documents else {
            throw MienError(
                .invalidState,
                "This step has no verification session with documents. Call captureSession().")
        }
        return DocumentSession(token, journey.link)
    }
}
