internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// The consent that a session asks for before its first frame.
///
/// The session only notes it. The journey records it for its user in the transaction before the one
/// that stores the face, so a session that stores nothing records nothing.
extension CaptureService {
    /// Notes that the person consents to the text of this version. A repeated call returns the
    /// session's state.
    ///
    /// - Throws: ``Problem``: `.captureClosed` if the session has ended, `.invalidRequest` if it
    ///   asks for another text or for none.
    func consent(token: String, textVersion: String) async throws -> CaptureAnswer {
        try await inTurn(token) { record, content in
            guard record.state == .open else { throw self.closed(content) }
            guard content.consent?.textVersion == textVersion else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "text_version",
                            message: content.consent == nil
                                ? "this capture asks for no consent"
                                : "must be the version in the session's consent")
                    ])
            }
            guard content.hasConsent != true else { return self.answer(record, content) }
            var content = content
            content.hasConsent = true
            try await self.records.write(record, content, from: record, [:])
            return self.answer(record, content)
        }
    }

    static let consentRequired = Problem(
        .consentRequired,
        "Show the person the text in the session's consent, and send POST /v1/capture/consent once they agree. No frame is accepted before."
    )

    static func wire(_ consent: CaptureConsent) -> CaptureConsentText {
        CaptureConsentText(
            textVersion: consent.textVersion, title: consent.title, text: consent.text,
            buttonText: consent.button)
    }
}

extension CaptureService.Content {
    /// The consent that the person has yet to give.
    var missingConsent: CaptureConsent? { hasConsent == true ? nil : consent }
}
