internal import MienAccess
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienServerCore
internal import MienServerFaces
internal import MienStore

/// Identity verification. For now it checks only a selfie, with liveness if the policy requires it.
extension EffectPerformer {
    func openVerification(_ request: VerificationRequest, _ context: EffectContext) async throws
        -> OpenVerificationEffect.Reply
    {
        var generator = SystemRandomNumberGenerator()
        let random = Base64URL.encode(generator.bytes(16))
        guard let id = VerificationID("idv_" + random), let captureID = CaptureID("cap_" + random)
        else { return .refused(.unavailable) }
        // A selfie that is compared with the user's face is a guess, and abandoning it counts.
        let capture = CaptureRequest(
            purpose: request.isCompared ? .authentication : .registration,
            liveness: request.liveness, user: request.isCompared ? request.user : nil,
            consent: request.consent)
        let (_, token) = try await captures.open(
            capture, for: context.captureOrigin, id: captureID)
        let state = verificationState(id, context)
        let endpoint = try await links.make(
            CaptureLinks.Target(
                capture: captureID, startToken: token, callbackURL: request.callbackURL,
                session: id.text, state: state))
        return .verificationOpened(
            VerificationSession(
                id: id, startToken: token, baseEndpoint: publicURL(), state: state,
                endpoint: endpoint))
    }

    /// Returns the state that a client may send back, bound to the session and the run.
    func verificationState(_ id: VerificationID, _ context: EffectContext) -> String {
        Base64URL.encode(
            store.keys.hash(ofSecret: Array("idv-state \(id.text) \(context.run.text)".utf8))
                .prefix(16))
    }

    /// Reads the result of a verification. Its summary says what was checked, and that documents
    /// were not.
    func readVerification(
        _ id: VerificationID, _ state: Sensitive<String>?, _ context: EffectContext
    ) async throws -> ReadVerificationEffect.Reply {
        if let state,
            !state.use({ isSame(Array($0.utf8), Array(verificationState(id, context).utf8)) })
        {
            return .refused(.clientFailed)
        }
        guard let capture = CaptureID("cap_" + id.text.dropFirst(4)) else {
            return .refused(.captureMissing)
        }
        switch try await captures.outcome(capture, run: context.run, app: context.app) {
        case .failure(let error) where error.code == .captureRefused:
            return .verified(
                .init(session: id, recommendation: .deny, summary: ["documents": "not_checked"]))
        case .failure(let error): return .refused(error.code)
        case .success(let passed):
            var summary = Self.summary(passed)
            summary["checks"] =
                passed.mode == .image ? ["selfie_quality"] : ["selfie_quality", "liveness"]
            summary["documents"] = "not_checked"
            return .verified(
                .init(
                    session: id, recommendation: .allow, capture: capture, summary: summary,
                    consentTextVersion: passed.consentTextVersion))
        }
    }

    static func summary(_ passed: CaptureService.Passed) -> [String: JSONValue] {
        [
            "quality": .number(Double(passed.template.entries.map(\.quality).max() ?? 0)),
            "photos": .number(Double(passed.template.entries.count)),
            "mode": .string(passed.mode.rawValue),
        ]
    }
}

extension OpenVerificationEffect: PerformedEffect {
    func performed(by performer: EffectPerformer, _ context: EffectContext) async throws -> Reply {
        try await performer.openVerification(request, context)
    }
}

extension ReadVerificationEffect: PerformedEffect {
    func performed(by performer: EffectPerformer, _ context: EffectContext) async throws -> Reply {
        try await performer.readVerification(session, state, context)
    }
}
