public import MienAPI
public import MienIdentity

/// The input that a session with a document waits for.
public enum DocumentStep: Sendable, Hashable {
    case consent
    /// The country and the type of the document.
    case chooseDocument
    case picture(SessionPicture)
    case selfie
    /// Everything is there: submit.
    case submit
    case processing, complete, canceled, expired
}

extension DocumentSession {
    /// The next step.
    ///
    /// - Parameter skipsTilt: Whether the person leaves out tilting the document, which they may.
    public static func step(
        of session: VerificationSessionAnswer, skipsTilt: Bool = false
    ) -> DocumentStep {
        switch session.status {
        case .known(.processing): return .processing
        case .known(.complete): return .complete
        case .known(.canceled): return .canceled
        case .known(.expired): return .expired
        case .known(.requiresInput), .known(.recapture), .unknown: break
        }
        if session.consent != nil { return .consent }
        let wantsDocument = session.required.contains(.known(.document))
        if wantsDocument, session.country == nil || session.documentType == nil {
            return .chooseDocument
        }
        let missing = session.missingImages.compactMap { SessionPicture(rawValue: $0.rawValue) }
        guard let next = missing.filter({ !(skipsTilt && $0 == .documentTilt) }).min() else {
            return .submit
        }
        return next == .selfie ? .selfie : .picture(next)
    }
}
