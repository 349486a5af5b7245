public import MienAPI
internal import MienCore
public import MienIdentity

/// Where the answer to a question about identity verification comes from.
public enum IdentityQueryOption: Sendable, Hashable {
    /// The last answer of the server that is stored on this device.
    case cacheOnly
    /// The server. Its answer is stored on this device.
    case remoteOnly
}

/// Verifies the identity of the user who is signed in to a session.
///
///     let identityVerificationClient = IdentityVerificationClient(session)
///     let verifiedIdentity = try await identityVerificationClient.verifyIdentity(input: input)
///     if verifiedIdentity.verified { … }
///
/// Operations that send personal data or pictures need a fresh sign-in and reauthenticate as
/// ``MienSession/performing(_:)`` does. They are never repeated by themselves, because each uses up
/// an attempt.
///
/// Operations throw ``MienError``; ``MienError/identityError`` tells the reason of a refusal.
public struct IdentityVerificationClient: Sendable {
    /// The maximum size of a picture in bytes, before any encoding.
    public static let maxPictureBytes = 16 * 1024 * 1024

    private let session: MienSession
    private let cache: IdentityCache

    /// - Parameter cache: Stores the server's answers for ``IdentityQueryOption/cacheOnly``.
    public init(_ session: MienSession, cache: IdentityCache = IdentityCache()) {
        (self.session, self.cache) = (session, cache)
    }

    // MARK: Facts

    /// Returns the countries whose people can be verified, ISO 3166-1 alpha-2, sorted. Empty if the
    /// deployment verifies no identities.
    public func listSupportedCountries() async throws -> [String] {
        try await (session.identity(.get, ["countries"]) as SupportedCountriesAnswer).countries
    }

    /// Returns the documents that are read, with who issues them and what is read from each side.
    /// ``captureAndVerifyIdentityDocument(input:)`` takes those with an address.
    public func listSupportedDocuments() async throws -> [ReadableDocuments] {
        try await (session.identity(.get, ["countries"]) as SupportedCountriesAnswer).documents
    }

    /// Returns what the deployment verifies.
    public func getCapabilities(option: IdentityQueryOption = .remoteOnly) async throws
        -> IdentityCapabilities
    {
        try await answer(["capabilities"], option)
    }

    /// Returns whether a picture of the face must be sent with a document.
    ///
    /// - Throws: ``MienError`` `.invalidState` for ``IdentityQueryOption/cacheOnly`` if nothing is
    ///   stored.
    public func isFaceImageRequired(option: IdentityQueryOption) async throws -> Bool {
        try await (answer(["face-image"], option) as FaceImageRequiredAnswer).faceImageRequired
    }

    // MARK: Verification

    /// Verifies personal data. Uses up an attempt unless the data is invalid or a source does not
    /// answer.
    public func verifyIdentity(input: VerifyIdentityInput) async throws -> VerifiedIdentityAnswer {
        try await verified(["verify"], Connection.encode(input), type: "application/json")
    }

    /// Verifies a document of a user who attempted to verify personal data before.
    ///
    /// - Throws: ``MienError`` `.clientResponseNotValid` for a picture of more than
    ///   ``maxPictureBytes``, before anything is sent.
    public func verifyIdentityDocument(input: VerifyIdentityDocument) async throws
        -> VerifiedIdentityAnswer
    {
        try await verified(["document"], input)
    }

    /// Opens a live capture of the user's face. Take it with its start token, as a journey's, then
    /// name it in ``VerifyIdentityDocument/faceCapture``, which uses it up.
    ///
    /// - Throws: ``MienError`` with ``MienError/identityError`` `unsupportedMethod` unless faces are
    ///   compared with documents.
    public func startFaceCapture() async throws -> FaceCaptureAnswer {
        try await session.identity(.post, ["face-capture"])
    }

    /// Verifies the personal data that a document states. Passports state no address and are
    /// refused.
    ///
    /// - Throws: as ``verifyIdentityDocument(input:)``.
    public func captureAndVerifyIdentityDocument(input: VerifyIdentityDocument) async throws
        -> VerifiedIdentityAnswer
    {
        try await verified(["captured-document"], input)
    }

    /// Returns the state of the user's verification. Ask again later while its
    /// `documentVerificationStatus` is `pending`.
    ///
    /// - Throws: as ``isFaceImageRequired(option:)``.
    public func checkIdentityVerification(option: IdentityQueryOption) async throws
        -> VerifiedIdentityAnswer
    {
        try await answer([], option)
    }

    /// Returns a link to a page on which the user photographs a document.
    ///
    /// - Throws: ``MienError`` with ``MienError/identityError`` `unsupportedMethod` unless
    ///   ``IdentityCapabilities/canInitiateDocumentCapture``.
    public func initiateIdentityDocumentCapture() async throws -> DocumentCaptureLink {
        try await session.identity(.post, ["document-capture"])
    }

    // MARK: Consent

    /// Returns the text to show before asking for consent.
    public func consentContent() async throws -> IdentityConsentContent {
        try await session.identity(.get, ["consent", "content"])
    }

    /// Returns the newest consent of the user in this app.
    public func consentStatus() async throws -> IdentityConsentStatus {
        try await session.identity(.get, ["consent"])
    }

    /// Records that the user agreed to a text. Repeating it changes nothing.
    public func provideConsent(to content: IdentityConsentContent) async throws
        -> IdentityConsentStatus
    {
        try await session.identity(
            .post, ["consent"],
            body: Connection.encode(IdentityConsentRequest(version: content.version)),
            isRepeatable: true)
    }

    /// Ends the consent and erases what the user sent in this app. The level achieved stays.
    ///
    /// - Throws: ``MienError`` with the problem `not_found` without a consent.
    public func withdrawConsent() async throws {
        try await session.send(.delete, ["v1", "identity", "consent"])
        try await cache.removeAll()
    }

    // MARK: Requests

    private func verified(_ path: [String], _ document: VerifyIdentityDocument) async throws
        -> VerifiedIdentityAnswer
    {
        let form = try document.form()
        return try await verified(path, form.body, type: form.type)
    }

    private func verified(_ path: [String], _ body: [UInt8], type: String) async throws
        -> VerifiedIdentityAnswer
    {
        let answer: VerifiedIdentityAnswer = try await session.identity(
            .post, path, body: body, type: type)
        try await cache.store(answer, as: [], of: session)
        return answer
    }

    private func answer<Answer: Codable & Sendable>(
        _ path: [String], _ option: IdentityQueryOption
    ) async throws -> Answer {
        switch option {
        case .cacheOnly:
            guard let stored: Answer = try await cache.answer(path, of: session) else {
                throw MienError(
                    .invalidState, "No answer is stored on this device. Ask with .remoteOnly first."
                )
            }
            return stored
        case .remoteOnly:
            let answer: Answer = try await session.identity(.get, path)
            try await cache.store(answer, as: path, of: session)
            return answer
        }
    }
}

extension MienSession {
    /// Sends a request of identity verification as the signed-in user.
    fileprivate func identity<Answer: Codable & Sendable>(
        _ method: HTTPTransportRequest.Method, _ path: [String], body: [UInt8] = [],
        type: String = "application/json", isRepeatable: Bool? = nil
    ) async throws -> Answer {
        let bytes = body.isEmpty && method == .post ? Array("{}".utf8) : body
        return try await performing { [self] in
            let access = try await access()
            return try await connection.json(
                .init(
                    method: method, path: ["v1", "identity"] + path, access: access,
                    contentType: type, body: bytes,
                    isRepeatable: isRepeatable ?? (method == .get)))
        }
    }
}

extension MienError {
    /// The reason that identity verification was refused; `nil` for other errors.
    public var identityError: IdentityError.Code? {
        guard let id = problem?.errorID, id.hasPrefix(IdentityError.Code.prefix) else {
            return nil
        }
        return IdentityError.Code(
            rawValue: String(id.dropFirst(IdentityError.Code.prefix.count)))
    }
}
