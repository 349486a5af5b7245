internal import Foundation
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienMedia
internal import MienStore

/// The routes with which apps, in their own name, have people's identities verified.
package struct RelyingPartyRoutes {
    let sessions: VerificationSessions
    let grants: GrantService
    let evidenceKey: EvidenceKey
    let body: JSONBody
    /// For requests with a picture.
    let pictureBody: JSONBody

    package init(
        sessions: VerificationSessions, grants: GrantService, evidenceKey: EvidenceKey,
        body: JSONBody, budget: BodyBudget
    ) {
        (self.sessions, self.grants) = (sessions, grants)
        (self.evidenceKey, self.body) = (evidenceKey, body)
        pictureBody = JSONBody(maxBytes: Self.maxPictureBody, budget: budget)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("verification") { request, _ in
            let app = try await grants.app(of: request)
            let wanted = try await Self.wanted(
                body.read(
                    VerificationSessionRequest.self, VerificationSessionRequest.CodingKeys.self,
                    from: request), app)
            let created = try await sessions.create(wanted, for: app)
            return JSONBody.response(
                NewVerificationSession(
                    sessionID: created.id.text, startToken: created.startToken,
                    expiration: created.expiresAt.milliseconds,
                    missingImages: created.missing.map { .known($0) }, url: created.url),
                status: .created)
        }
        router.get("verification/:session/result") { request, context in
            let app = try await grants.app(of: request)
            return try await JSONBody.response(sessions.result(of: Self.id(context), for: app))
        }
        router.get("verification/:session/images") { request, context in
            let app = try await grants.app(of: request)
            return try await JSONBody.response(sessions.images(of: Self.id(context), for: app))
        }
        router.get("verification/:session/images/:image") { request, context in
            let app = try await grants.app(of: request)
            guard let picture = SessionPicture(rawValue: try context.parameters.require("image"))
            else { throw Problem(.notFound, "The session has no such picture.") }
            let content = try await sessions.image(picture, of: Self.id(context), for: app)
            return content.use { PictureResponse.make($0) }
        }
        router.get("verification/:session/evidence") { request, context in
            let app = try await grants.app(of: request)
            let record = try await sessions.evidence(of: Self.id(context), for: app, by: "app")
            var response = JSONBody.response(json: Array(try evidenceKey.sign(record).utf8))
            response.headers[.contentType] = "application/jose"
            return response
        }
        router.delete("verification/:session") { request, context in
            let app = try await grants.app(of: request)
            try await sessions.erase(Self.id(context), for: app)
            return Response(status: .noContent)
        }
        addFaceAuth(to: router)
    }

    private static func id(_ context: MienRequestContext) throws -> IdentityAttemptID {
        try IdentityAttemptID(context.parameters.require("session"), field: "session")
    }

    private static let maxState = 1024

    private static func wanted(_ request: VerificationSessionRequest, _ app: AppRecord) throws
        -> VerificationSessions.Wanted
    {
        var errors: [Problem.FieldError] = []
        var wanted = Self.wanted(
            request.timeToLive, request.callbackURL, request.state, of: app, errors: &errors)
        wanted.mock = request.mockBehavior?.recommendation
        if let parts = request.required {
            wanted.parts = Set(parts)
            if parts.isEmpty {
                errors.append(
                    .init(field: "required", message: "must name a document, a selfie, or both"))
            } else if parts.contains(.documentLive), !parts.contains(.document) {
                errors.append(
                    .init(
                        field: "required",
                        message: "names document_live without the document that is tilted"))
            }
        }
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
        return wanted
    }

    /// Reads the members that all sessions have.
    static func wanted(
        _ timeToLive: String?, _ callbackURL: String?, _ state: String?, of app: AppRecord,
        errors: inout [Problem.FieldError]
    ) -> VerificationSessions.Wanted {
        var wanted = VerificationSessions.Wanted()
        if let text = timeToLive {
            if let lifetime = seconds(text) {
                wanted.lifetime = .seconds(lifetime)
            } else {
                errors.append(
                    .init(
                        field: "time_to_live",
                        message:
                            "must be a number with s, m, h, or d, from 5m to 7d, such as 30m or 1h")
                )
            }
        }
        if let url = callbackURL, !app.settings.mayReturn(to: url) {
            errors.append(
                .init(
                    field: "callback_url",
                    message:
                        "must be an absolute https URL without a fragment (http only for localhost and 127.0.0.1), or have a scheme like com.example.app that the app's redirect URIs list"
                ))
        }
        if let state, state.utf8.count > maxState {
            errors.append(.init(field: "state", message: "has more than \(maxState) bytes"))
        }
        (wanted.callbackURL, wanted.state) = (callbackURL, state)
        return wanted
    }

    /// Reads a time such as `30m`.
    private static func seconds(_ text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard text.utf8.count <= 8, let unit = text.last.flatMap({ units[$0] }),
            text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int(text.dropLast())
        else { return nil }
        let (seconds, overflows) = number.multipliedReportingOverflow(by: unit)
        return !overflows && VerificationSessions.lifetimeRange.contains(seconds) ? seconds : nil
    }
}

/// Answers with a picture as it was sent.
enum PictureResponse {
    static func make(_ bytes: [UInt8]) -> Response {
        let type =
            switch try? ImageDecoder.probe(bytes).format {
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            case .gif: "image/gif"
            case nil: "application/octet-stream"
            }
        var response = JSONBody.response(json: bytes)
        response.headers[.contentType] = type
        return response
    }
}
