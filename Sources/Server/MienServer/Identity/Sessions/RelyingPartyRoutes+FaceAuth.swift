internal import Foundation
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity

/// The routes with which apps compare people with pictures that they have of them.
extension RelyingPartyRoutes {
    /// Base64 of the largest picture, and room for the other members.
    static let maxPictureBody = (DocumentInput.maxPictureBytes + 2) / 3 * 4 + 16 * 1024

    func addFaceAuth(to router: RouterGroup<MienRequestContext>) {
        router.post("face-auth") { request, _ in
            let app = try await grants.app(of: request)
            let wanted = try await pictureBody.read(
                FaceAuthRequest.self, FaceAuthRequest.CodingKeys.self, from: request)
            var errors: [Problem.FieldError] = []
            let session = Self.wanted(
                wanted.timeToLive, wanted.callbackURL, wanted.state, of: app, errors: &errors)
            let picture = Data(base64Encoded: wanted.reference.content).map { [UInt8]($0) }
            if picture == nil {
                errors.append(.init(field: "reference.content", message: "is not Base64"))
            }
            if (picture?.count ?? 0) > DocumentInput.maxPictureBytes {
                errors.append(
                    .init(
                        field: "reference.content",
                        message: "has more than \(DocumentInput.maxPictureBytes) bytes"))
            }
            guard errors.isEmpty, let picture else {
                throw Problem(.invalidRequest, errors: errors)
            }
            let created = try await sessions.create(
                session, comparing: Sensitive(picture), for: wanted.useCase, app: app)
            return JSONBody.response(
                NewFaceAuthSession(
                    sessionID: created.id.text, deviceSessionID: created.startToken,
                    expiration: created.expiresAt.milliseconds, url: created.url),
                status: .created)
        }
        router.get("face-auth/:session/result") { request, context in
            let app = try await grants.app(of: request)
            return try await JSONBody.response(
                sessions.faceAuthResult(of: Self.faceAuth(context), for: app))
        }
        router.delete("face-auth/:session") { request, context in
            let app = try await grants.app(of: request), id = try Self.faceAuth(context)
            _ = try await sessions.faceAuthResult(of: id, for: app)
            try await sessions.erase(id, for: app)
            return Response(status: .noContent)
        }
    }

    /// The session by its ID, or by the device's, which begins with it.
    private static func faceAuth(_ context: MienRequestContext) throws -> IdentityAttemptID {
        let text = try context.parameters.require("session")
        if let (id, _) = BearerSecret.parse(text, IdentityAttemptKind.self) { return id }
        return try IdentityAttemptID(text, field: "session")
    }
}
