public import MienAPI

/// Asks the person in front of the camera to agree to a text. Returns whether they did.
public typealias ConsentHandler = @Sendable (CaptureConsentText) async throws -> Bool

extension CaptureSession {
    /// Tells the server that the person agreed to the text of ``CaptureAnswer/consent``. Call it
    /// only after showing them the text.
    ///
    /// - Returns: the session's state. Call ``start()`` again then; ``updates(of:consent:)`` and
    ///   ``run(_:onGuidance:consent:)`` do both.
    @discardableResult
    public func giveConsent(to text: CaptureConsentText) async throws -> CaptureAnswer {
        noted(
            try await connection.json(
                .init(
                    method: .post, path: ["v1", "capture", "consent"], bearer: token,
                    body: Connection.encode(
                        CaptureConsentRequest(textVersion: text.textVersion)))))
    }

    /// Starts the session, after the person's consent if the session asks for it. Cancels it if the
    /// person does not agree.
    func start(askingWith handler: ConsentHandler?) async throws -> CaptureAnswer {
        let first = try await start()
        guard first.isOpen, let text = first.consent else { return first }
        guard let handler else {
            throw MienError(
                .invalidState,
                "This capture asks the person for consent. Pass a consent closure that shows them the text."
            )
        }
        guard try await handler(text) else { return try await cancel() }
        try await giveConsent(to: text)
        return try await start()
    }
}
