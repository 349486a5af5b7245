package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// The routes of the admin API for identities: reviews, users' verifications, and the registry.
package struct IdentityAdminRoutes {
    let identities: IdentityService
    let sessions: VerificationSessions
    let registry: RegistryService
    let evidenceKey: EvidenceKey
    let records: AdminRecords
    let body: JSONBody
    let budget: BodyBudget

    package func add(to router: RouterGroup<MienRequestContext>) {
        addCases(to: router)
        addRegistry(to: router)
        router.get("users/:user/verification") { _, context in
            let account = try await records.user(context)
            return try await JSONBody.response(
                identities.verification(of: account, for: Self.administrator(context)))
        }
        router.get("users/:user/verification/attempts/:attempt/evidence") { _, context in
            let account = try await records.user(context)
            let id = try IdentityAttemptID(context.parameters.require("attempt"), field: "attempt")
            let record = try await identities.evidence(
                of: id, of: account, for: Self.administrator(context))
            var response = JSONBody.response(json: Array(try evidenceKey.sign(record).utf8))
            response.headers[.contentType] = "application/jose"
            return response
        }
        router.get("verifications/sessions/:session/evidence") { _, context in
            let id = try IdentityAttemptID(context.parameters.require("session"), field: "session")
            let record = try await sessions.evidence(
                of: id, for: nil, by: Self.administrator(context).text)
            var response = JSONBody.response(json: Array(try evidenceKey.sign(record).utf8))
            response.headers[.contentType] = "application/jose"
            return response
        }
        router.post("verifications/purge") { request, context in
            let wanted = try await body.read(
                VerificationPurgeRequest.self, VerificationPurgeRequest.CodingKeys.self,
                from: request)
            return try await JSONBody.response(
                sessions.purge(dryRun: wanted.dryRun, by: Self.administrator(context)))
        }
        router.get("verifications/keys") { _, _ in JSONBody.response(evidenceKey.keySet) }
        router.post("users/:user/verification/reset") { _, context in
            let account = try await records.user(context)
            try await identities.reset(account.id, by: Self.administrator(context))
            return Response(status: .noContent)
        }
        router.put("users/:user/verification/requirement") { request, context in
            let account = try await records.user(context)
            let wanted = try await body.read(
                VerificationRequirementRequest.self,
                VerificationRequirementRequest.CodingKeys.self, from: request)
            try await identities.require(
                wanted.method, of: account.id, by: Self.administrator(context))
            return Response(status: .noContent)
        }
    }

    private func addCases(to router: RouterGroup<MienRequestContext>) {
        router.get("verifications/documents") { _, _ in
            JSONBody.response(SupportedCountriesAnswer(identities))
        }
        router.get("verifications/cases") { request, context in
            let page = try AdminPage<ReviewCaseKind>(request)
            let cases = try await AdminPage<ReviewCaseKind>.known {
                try await identities.queue(
                    for: Self.administrator(context), after: page.after,
                    atMost: AdminPage<ReviewCaseKind>.size)
            }
            return JSONBody.response(
                page.answer(cases, id: \.review.id) { ReviewCaseAnswer($0) })
        }
        router.get("verifications/cases/:case") { _, context in
            try await JSONBody.response(
                identities.detail(of: Self.id(context), for: Self.administrator(context)))
        }
        router.get("verifications/cases/:case/images/:role") { _, context in
            let image = try await identities.image(
                context.parameters.require("role"), of: Self.id(context),
                for: Self.administrator(context))
            return image.use { PictureResponse.make($0) }
        }
        router.post("verifications/cases/:case/decision") { request, context in
            let wanted = try await body.read(
                ReviewDecisionRequest.self, ReviewDecisionRequest.CodingKeys.self, from: request)
            let final = try await identities.decide(
                Self.id(context), wanted.decision, by: Self.administrator(context))
            return JSONBody.response(ReviewOutcomeAnswer(decision: final.map { .known($0) }))
        }
    }

    private func addRegistry(to router: RouterGroup<MienRequestContext>) {
        router.get("registry") { _, _ in
            try await JSONBody.response(RegistryAnswer(people: registry.count()))
        }
        router.post("registry/people") { request, context in
            guard
                request.headers[.contentType]?.split(separator: ";").first?.lowercased()
                    == "text/csv"
            else { throw Problem(.unsupportedMediaType, "Send content-type: text/csv.") }
            let encoding = try Self.encoding(request)
            let share = budget.share()
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(
                request, upTo: RegistryService.maxBytes, share)
            return try await JSONBody.response(registry.import(bytes, encoding, by: context.actor))
        }
        router.delete("registry/people") { request, context in
            guard
                let text = request.uri.queryParameters["imported_before"],
                let time = Int64(text), time >= 0
            else {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "imported_before",
                            message: "must be a time in milliseconds since 1970")
                    ])
            }
            return try await JSONBody.response(
                RegistryRemovalAnswer(
                    removed: registry.remove(
                        importedBefore: Instant(milliseconds: time), by: context.actor)))
        }
    }

    /// The encoding of a registry's rows. None but Unicode is guessed.
    private static func encoding(_ request: Request) throws(Problem) -> RegistryFile.Encoding {
        switch request.uri.queryParameters["encoding"] {
        case nil: return .unicode
        case "windows-1252": return .windows1252
        default:
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "encoding",
                        message: "must be windows-1252, or be left out for UTF-8 and UTF-16")
                ])
        }
    }

    private static func id(_ context: MienRequestContext) throws -> ReviewCaseID {
        try ReviewCaseID(context.parameters.require("case"), field: "case")
    }

    /// `AdminOnly` has checked the credential.
    private static func administrator(_ context: MienRequestContext) throws -> AdminID {
        guard let administrator = context.administrator else { throw Problem(.invalidCredentials) }
        return administrator
    }
}

extension ReviewCaseAnswer {
    init(_ record: ReviewCaseRecord) {
        self.init(
            id: record.review.id.text, attempt: record.review.attempt.text,
            user: record.account.text, appID: record.app.text,
            openedAt: record.openedAt.milliseconds, closedAt: record.closedAt?.milliseconds,
            needsSecondReviewer: record.review.needsSecondReviewer,
            decisions: record.review.entries.map {
                ReviewDecisionAnswer(
                    decision: .known($0.decision), reviewer: $0.reviewer.text,
                    at: $0.at.milliseconds)
            })
    }
}

extension IdentityAttemptAnswer {
    init(_ record: AttemptRecord) {
        let result = record.result
        self.init(
            id: record.id.text, appID: record.app.text, kind: .known(record.kind),
            begunAt: record.begunAt.milliseconds, concludedAt: record.concludedAt?.milliseconds,
            checks: result.map { result in
                Dictionary(
                    uniqueKeysWithValues: result.checks.results.map {
                        ($0.key.rawValue, $0.value.rawValue)
                    })
            }, recommendation: result.map { .known($0.recommendation) },
            rulesVersion: result?.rulesVersion, sources: result?.sources,
            simulated: result?.isSimulated, isErased: record.content == nil)
    }
}
