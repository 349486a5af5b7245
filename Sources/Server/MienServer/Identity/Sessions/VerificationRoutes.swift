package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity

/// The routes of the capturing side, with the start token.
package struct VerificationRoutes {
    let sessions: VerificationSessions
    let body: JSONBody
    let budget: BodyBudget
    let authentication: VerificationAuthentication

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("verification/session") { request, _ in
            try await JSONBody.response(sessions.answer(authentication.token(request)))
        }
        router.delete("verification/session") { request, _ in
            try await JSONBody.response(sessions.cancel(authentication.token(request)))
        }
        router.post("verification/consent") { request, _ in
            let token = try authentication.token(request)
            let wanted = try await body.read(
                IdentityConsentRequest.self, IdentityConsentRequest.CodingKeys.self, from: request)
            return try await JSONBody.response(sessions.consent(token, to: wanted.version))
        }
        router.post("verification/document") { request, _ in
            let token = try authentication.token(request)
            let wanted = try await body.read(
                VerificationDocumentRequest.self, VerificationDocumentRequest.CodingKeys.self,
                from: request)
            return try await JSONBody.response(
                sessions.choose(token, country: wanted.country, type: wanted.documentType))
        }
        router.post("verification/selfie") { request, _ in
            try await JSONBody.response(sessions.selfie(authentication.token(request)))
        }
        router.post("verification/submit") { request, _ in
            try await JSONBody.response(sessions.submit(authentication.token(request)))
        }
        addPictures(to: router)
    }

    private func addPictures(to router: RouterGroup<MienRequestContext>) {
        router.post("verification/preview") { request, _ in
            try Self.requirePicture(request, ["image/jpeg"])
            let id = try await sessions.requireOpen(authentication.token(request))
            if let wait = try await sessions.wait(for: id) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            // Beside a picture, which a person takes while a preview is under way.
            let share = budget.share(for: "preview \(id.text)")
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(
                request, upTo: PreviewService.maxBytes, share)
            return try await JSONBody.response(sessions.preview(bytes, of: id))
        }
        router.put("verification/images/:image") { request, context in
            let name = try context.parameters.require("image")
            guard let picture = SessionPicture(rawValue: name), picture.isOfDocument else {
                throw Problem(
                    .notFound,
                    "The pictures are document_front, document_back, and document_tilt.")
            }
            guard picture != .documentTilt else { return try await series(request) }
            try Self.requirePicture(request, ["image/jpeg", "image/png", "image/gif"])
            // Check the token before receiving megabytes from a client that may not send any.
            let id = try await sessions.requireOpen(authentication.token(request))
            let share = budget.share(for: id.text)
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(
                request, upTo: DocumentInput.maxPictureBytes, share)
            return try await JSONBody.response(sessions.put(picture, bytes, in: id))
        }
    }

    /// Receives the pictures of a document that was tilted.
    private func series(_ request: Request) async throws -> Response {
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            throw Problem(
                .unsupportedMediaType,
                "Send content-type: multipart/form-data with \(TiltSeries.fields.joined(separator: ", ")), each a JPEG."
            )
        }
        let id = try await sessions.requireOpen(authentication.token(request))
        let share = budget.share(for: id.text)
        defer { withExtendedLifetime(share) {} }
        let bytes = try await JSONBody.collect(request, upTo: TiltSeries.maxBytes, share)
        return try await JSONBody.response(
            sessions.putTilt(TiltSeries.frames(bytes, type), in: id))
    }

    private static func requirePicture(_ request: Request, _ types: [String]) throws {
        let type = request.headers[.contentType]?.lowercased() ?? ""
        guard types.contains(type) || type == "application/octet-stream" else {
            throw Problem(
                .unsupportedMediaType,
                "Send the picture itself with content-type: \(types.joined(separator: ", or ")).")
        }
    }
}
