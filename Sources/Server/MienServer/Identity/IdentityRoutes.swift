package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// The routes with which users verify their identities, through first-party apps.
package struct IdentityRoutes {
    let identities: IdentityService
    let sessions: VerificationSessions
    let grants: GrantService
    let changes: AuthenticatorChanges
    let body: JSONBody
    let budget: BodyBudget

    package func add(to router: RouterGroup<MienRequestContext>) {
        addFacts(to: router)
        addConsent(to: router)
        router.get("identity") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await answer(
                identities.check(caller.account.id, in: caller.app), to: caller)
        }
        router.post("identity/verify") { request, _ in
            let caller = try await grants.caller(of: request)
            // A stolen token must not be enough to give the account somebody else's identity.
            try await changes.require(.remove, by: caller)
            let input = try await body.read(
                VerifyIdentityInput.self, VerifyIdentityInput.CodingKeys.self, from: request)
            return try await answer(
                identities.verify(
                    PersonalDataInput(input), of: caller.account, app: caller.app), to: caller)
        }
        addUploads(to: router)
        router.post("identity/document") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            return try await answer(
                sent(request, by: caller) {
                    try await identities.verifyDocument($0, of: caller.account, app: caller.app)
                }, to: caller)
        }
        router.post("identity/captured-document") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            return try await answer(
                sent(request, by: caller) {
                    try await identities.captureAndVerifyDocument(
                        $0, of: caller.account, app: caller.app)
                }, to: caller)
        }
        router.post("identity/face-capture") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            let opened = try await identities.openFaceCapture(
                of: caller.account, app: caller.app)
            return JSONBody.response(
                FaceCaptureAnswer(
                    startToken: opened.startToken, expiresAt: opened.expiresAt.milliseconds))
        }
        router.post("identity/document-capture") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            return try await JSONBody.response(
                sessions.link(for: caller.account, in: caller.app))
        }
    }

    private func addFacts(to router: RouterGroup<MienRequestContext>) {
        router.get("identity/countries") { request, _ in
            _ = try await grants.caller(of: request)
            return JSONBody.response(SupportedCountriesAnswer(identities))
        }
        router.get("identity/face-image") { request, _ in
            _ = try await grants.caller(of: request)
            return JSONBody.response(
                FaceImageRequiredAnswer(faceImageRequired: identities.needsFaceImage))
        }
        router.get("identity/capabilities") { request, _ in
            _ = try await grants.caller(of: request)
            return JSONBody.response(
                IdentityCapabilities(
                    supportedCountries: SupportedCountriesAnswer(identities).countries,
                    faceImageRequiredWithDocumentCapture: identities.needsFaceImage,
                    faceImageRequiredWithDocumentVerification: identities.needsFaceImage,
                    canInitiateDocumentCapture: identities.checksDocuments,
                    consentRequired: identities.needsConsent))
        }
    }

    private func addConsent(to router: RouterGroup<MienRequestContext>) {
        router.get("identity/consent/content") { request, _ in
            let caller = try await grants.caller(of: request)
            let text = try await identities.consentText(in: caller.app)
            return JSONBody.response(
                IdentityConsentContent(
                    content: text.content, contentType: "text/plain", language: text.language,
                    version: text.version))
        }
        router.get("identity/consent") { request, _ in
            try await consent(of: grants.caller(of: request))
        }
        router.post("identity/consent") { request, _ in
            let caller = try await grants.caller(of: request)
            let wanted = try await body.read(
                IdentityConsentRequest.self, IdentityConsentRequest.CodingKeys.self, from: request)
            guard
                try await identities.provideConsent(
                    to: wanted.version, of: caller.account, in: caller.app)
            else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "version",
                            message: "is not the version of the current text; read it again")
                    ])
            }
            return try await consent(of: caller)
        }
        router.delete("identity/consent") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            guard
                try await identities.withdrawConsent(of: caller.account, in: caller.app)
            else {
                throw Problem(.notFound, "You have not consented to identity verification.")
            }
            return Response(status: .noContent)
        }
    }

    // MARK: Answers

    private func consent(of caller: Caller) async throws -> Response {
        let record = try await identities.consent(of: caller.account.id, in: caller.app)
        return JSONBody.response(
            IdentityConsentStatus(
                consented: record.map { $0.withdrawnAt == nil } ?? false,
                consentedAtEpochMs: record?.givenAt.milliseconds,
                consentWithdrawnAtEpochMs: record?.withdrawnAt?.milliseconds,
                version: record?.textVersion))
    }

    private func answer(_ identity: VerifiedIdentity, to caller: Caller) async throws -> Response {
        let consent = try await identities.consent(of: caller.account.id, in: caller.app)
        var answer = VerifiedIdentityAnswer(
            identity, consented: consent.map { $0.withdrawnAt == nil } ?? false)
        answer.idScanUrl = try await captureLink(identity, to: caller)
        return JSONBody.response(answer)
    }

    /// The page for photographing a document, if the user needs one and a new attempt would be
    /// accepted now. Only after a fresh sign-in, as for every attempt: the link starts one.
    private func captureLink(_ identity: VerifiedIdentity, to caller: Caller) async throws
        -> String?
    {
        guard identities.checksDocuments, !identity.verified,
            identity.requiredVerificationMethod == .governmentID,
            (try? await changes.require(.remove, by: caller)) != nil
        else { return nil }
        do {
            return try await sessions.link(for: caller.account, in: caller.app).documentCaptureUrl
        } catch is IdentityError { return nil }
    }

    // MARK: Documents

    private static let fields = [
        "country", "documentType", "image", "backImage", "faceImage", "faceCapture",
    ]
    /// Room for three usual pictures or two of the largest, and for the header fields and texts
    /// between them. Three of the largest would take more than a third of ``BodyBudget``.
    private static let maxBytes = 2 * DocumentInput.maxPictureBytes + 16 * 1024

    /// Verifies the document of a request: a form with its pictures, or JSON if they were uploaded
    /// before. Uploaded pictures are erased after the attempt, and kept if there was none.
    private func sent(
        _ request: Request, by caller: Caller,
        _ verify: (DocumentInput) async throws -> VerifiedIdentity
    ) async throws -> VerifiedIdentity {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/json" else { return try await verify(document(request)) }
        let result = try await verify(uploadedDocument(request, of: caller))
        try await identities.discardUploads(of: caller.account.id, app: caller.app)
        return result
    }

    /// Reads a document and its pictures from `multipart/form-data`.
    private func document(_ request: Request) async throws -> DocumentInput {
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            throw Problem(
                .unsupportedMediaType,
                "Send content-type: multipart/form-data with \(Self.fields.joined(separator: ", ")), or upload the pictures and send application/json."
            )
        }
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let bytes = try await JSONBody.collect(request, upTo: Self.maxBytes, share)
        let form: MultipartForm
        do throws(MultipartForm.Malformed) {
            form = try MultipartForm(parsing: bytes, contentType: type)
        } catch { throw Problem(.invalidRequest, "The form is malformed: \(error.reason).") }
        let unknown = form.parts.map(\.name).filter { !Self.fields.contains($0) }
        guard unknown.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: unknown.map {
                    .init(
                        field: $0,
                        message:
                            "is unknown; allowed are \(Self.fields.joined(separator: ", "))")
                })
        }
        for name in ["image", "backImage", "faceImage"] {
            guard form[name]?.count ?? 0 <= DocumentInput.maxPictureBytes else {
                throw Problem(
                    .payloadTooLarge,
                    "\(name) may have at most \(DocumentInput.maxPictureBytes) bytes.")
            }
        }
        guard let front = form["image"], !front.isEmpty else {
            throw IdentityError(.informationNotProvided, field: "image", "image is required")
        }
        let word = form["documentType"].flatMap { String(validating: $0, as: UTF8.self) }
        guard let word, let document = IdentityDocumentType(rawValue: word) else {
            throw IdentityError(
                word == nil ? .informationNotProvided : .unsupportedMethod, field: "documentType",
                "documentType must be \(IdentityDocumentType.choices)")
        }
        let country = form["country"].flatMap { String(validating: $0.prefix(16), as: UTF8.self) }
        return DocumentInput(
            country: country ?? "", type: document, front: Array(front),
            back: form["backImage"].map { Array($0) }, face: try face(form))
    }

    static let twoFaces = Problem(
        .invalidRequest,
        errors: [
            .init(
                field: "faceCapture",
                message: "and faceImage exclude each other; send one of them")
        ])

    /// The face of a document: a still picture, or a live capture.
    private func face(_ form: MultipartForm) throws -> DocumentFace? {
        guard let capture = form["faceCapture"] else {
            return form["faceImage"].map { .picture(Array($0)) }
        }
        guard form["faceImage"] == nil else { throw Self.twoFaces }
        return .capture(
            startToken: String(validating: capture.prefix(256), as: UTF8.self) ?? "")
    }
}

extension PersonalDataInput {
    init(_ input: VerifyIdentityInput) {
        self.init(
            firstName: input.firstName, lastName: input.lastName, address: input.address,
            city: input.city, state: input.state, postalCode: input.postalCode,
            country: input.country, dateOfBirth: input.dateOfBirth)
    }
}

extension VerifiedIdentityAnswer {
    init(_ identity: VerifiedIdentity, consented: Bool) {
        self.init(
            owner: identity.owner.text, verified: identity.verified,
            verifiedAtEpochMs: identity.verifiedAt?.milliseconds ?? 0,
            verificationMethod: .known(identity.verificationMethod),
            requiredVerificationMethod: .known(identity.requiredVerificationMethod),
            canAttemptVerificationAgain: identity.canAttemptVerificationAgain,
            attemptsRemaining: identity.attemptsRemaining,
            verificationLastAttemptedAtEpochMs: identity.lastAttemptedAt?.milliseconds ?? 0,
            acceptableDocumentTypes: identity.acceptableDocumentTypes.map { .known($0) },
            documentVerificationStatus: .known(identity.documentVerificationStatus),
            consented: consented, simulated: identity.isSimulated,
            recapture: identity.recapture.isEmpty
                ? nil : identity.recapture.map { RecaptureAnswer($0) })
    }
}
