internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienIdentity
internal import MienJourney
internal import MienStore

/// Identity verification: a session with a document and a selfie, or a selfie alone.
extension EffectPerformer {
    func openVerification(_ request: VerificationRequest, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        // A journey is not bound to an app, so its address is compared with the app's when it runs.
        if let address = request.callbackURL, AppSettings.isOwnScheme(address),
            !context.app.settings.mayReturn(to: address)
        {
            return .refused(.notAllowed)
        }
        var generator = SystemRandomNumberGenerator()
        let random = Base64URL.encode(generator.bytes(16))
        guard let id = VerificationID("idv_" + random), let captureID = CaptureID("cap_" + random)
        else { return .refused(.unavailable) }
        // A selfie that is compared with the user's face is a guess, and abandoning it counts.
        let compared = request.isCompared ? request.user : nil
        let capture = CaptureRequest(
            purpose: request.isCompared ? .authentication : .registration,
            liveness: request.liveness, user: try await expected(compared, context),
            consent: request.consent)
        let state = verificationState(id, context)
        if request.needsDocument, verifications.checksDocuments {
            return try await openDocumentVerification(
                id, request, capture, captureID, state, context)
        }
        let (_, token) = try await captures.open(
            capture, for: context.captureOrigin, id: captureID)
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
    func readVerification(_ reading: ReadVerificationEffect, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        let session = reading.session, id = session.id
        if let state = reading.state,
            !state.use({ isSame(Array($0.utf8), Array(verificationState(id, context).utf8)) })
        {
            return .refused(.clientFailed)
        }
        guard let capture = CaptureID("cap_" + id.text.dropFirst(4)) else {
            return .refused(.captureMissing)
        }
        if let result = try await documentVerification(reading, context) {
            return try await documentVerdict(id, result, capture, context)
        }
        if !session.required.isEmpty {
            // Nobody used the session before it expired.
            return try await documentVerdict(id, .refused, capture, context)
        }
        switch try await captures.outcome(capture, run: context.run, app: context.app) {
        case .failure(let error) where error.code == .captureUnfinished:
            return .unfinished(
                VerificationWait(
                    session: id, reason: .requiresInput,
                    endpoint: try await links.unused(
                        session.endpoint,
                        to: CaptureLinks.Target(
                            capture: capture, startToken: session.startToken,
                            callbackURL: reading.callbackURL, session: id.text,
                            state: session.state))))
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

    // MARK: With a document

    private func openDocumentVerification(
        _ id: VerificationID, _ request: VerificationRequest, _ capture: CaptureRequest,
        _ captureID: CaptureID, _ state: String, _ context: EffectContext
    ) async throws -> EffectAnswer {
        // The selfie is the run's own, so that later steps can use it, also after a review.
        let lifetime = VerificationSessions.lifetime
        let kept = request.review.map { max(lifetime, $0.until - clock.now) } ?? lifetime
        let (_, captureToken) = try await captures.open(
            capture, for: context.captureOrigin, id: captureID, keepsPicture: true, lifetime: kept)
        var wanted = VerificationSessions.Wanted()
        (wanted.callbackURL, wanted.state) = (request.callbackURL, state)
        wanted.lifetime = lifetime
        if request.tiltsDocument { wanted.parts.insert(.documentLive) }
        wanted.reviewed = request.review?.user
        guard let session = IdentityAttemptID(id.text) else { return .refused(.unavailable) }
        let created = try await verifications.prepare(
            wanted, id: session, run: context.run, selfie: (captureID, captureToken),
            for: context.app)
        return .verificationOpened(
            VerificationSession(
                id: id, startToken: created.startToken, baseEndpoint: publicURL(), state: state,
                endpoint: created.url, required: created.parts.map(\.rawValue).sorted()))
    }

    private func documentVerification(
        _ reading: ReadVerificationEffect, _ context: EffectContext
    ) async throws -> VerificationSessions.RunResult? {
        let session = reading.session
        guard let id = IdentityAttemptID(session.id.text) else { return nil }
        return try await verifications.result(
            of: id, run: context.run, app: context.app.id,
            link: session.endpoint.map { (address: $0, startToken: session.startToken) })
    }

    private func documentVerdict(
        _ id: VerificationID, _ result: VerificationSessions.RunResult, _ capture: CaptureID,
        _ context: EffectContext
    ) async throws -> EffectAnswer {
        switch result {
        case .unfinished(let reason, let link):
            return .unfinished(
                VerificationWait(session: id, reason: .init(reason), endpoint: link))
        case .refused:
            return .verified(
                .init(session: id, recommendation: .deny, summary: ["documents": "not_checked"]))
        case .judged(let judged):
            var summary: [String: JSONValue] = [
                "documents": "checked",
                "checks": .object(
                    judged.checks.results.reduce(into: [:]) {
                        $0[$1.key.rawValue] = .string($1.value.rawValue)
                    }),
            ]
            if let document = judged.document {
                summary["document"] = [
                    "country": .string(document.country.rawValue),
                    "type": .string(document.type.rawValue),
                ]
            }
            var selfie: CaptureID?, consent: String?
            if judged.recommendation == .allow,
                case .success(let passed) = try await captures.outcome(
                    capture, run: context.run, app: context.app)
            {
                summary.merge(Self.summary(passed)) { $1 }
                (selfie, consent) = (capture, passed.consentTextVersion)
            }
            let recommendation: MienJourney.VerificationVerdict.Recommendation =
                switch judged.recommendation {
                case .allow: .allow
                case .challenge: .challenge
                case .deny: .deny
                }
            return .verified(
                .init(
                    session: id, recommendation: recommendation, capture: selfie,
                    summary: summary, consentTextVersion: consent, checkedDocument: true))
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

extension VerificationWait.Reason {
    fileprivate init(_ reason: VerificationSessions.RunResult.Reason) {
        self =
            switch reason {
            case .requiresInput: .requiresInput
            case .recapture: .recapture
            case .processing: .processing
            case .inReview: .inReview
            case .askedAgain: .askedAgain
            }
    }
}
