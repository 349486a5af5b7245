internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// Pictures of documents that are uploaded one by one, each as the body of a request.
extension IdentityRoutes {
    private static let pictureTypes = [
        "image/png", "image/jpeg", "image/gif", "application/octet-stream",
    ]

    func addUploads(to router: RouterGroup<MienRequestContext>) {
        router.put("identity/pictures/:picture") { request, context in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            let picture = try Self.picture(context)
            let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
            guard let type, Self.pictureTypes.contains(type) else {
                throw Problem(
                    .unsupportedMediaType,
                    "Send content-type: \(Self.pictureTypes.joined(separator: ", or ")).")
            }
            let share = budget.share()
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(
                request, upTo: DocumentInput.maxPictureBytes, share)
            guard !bytes.isEmpty else {
                throw IdentityError(
                    .informationNotProvided, field: picture.rawValue,
                    "\(picture.rawValue) is empty")
            }
            let until = try await identities.upload(
                bytes, as: picture, of: caller.account, app: caller.app)
            return JSONBody.response(
                UploadedPictureAnswer(
                    picture: picture.rawValue, expiresAtEpochMs: until.milliseconds))
        }
        router.delete("identity/pictures") { request, _ in
            let caller = try await grants.caller(of: request)
            try await identities.discardUploads(of: caller.account.id, app: caller.app)
            return Response(status: .noContent)
        }
    }

    private static func picture(_ context: MienRequestContext) throws -> UploadedPicture {
        let name = try context.parameters.require("picture")
        guard let picture = UploadedPicture(rawValue: name) else {
            throw Problem(
                .notFound,
                "There is no such picture. Upload \(UploadedPicture.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        return picture
    }

    /// Reads a document whose pictures were uploaded.
    func uploadedDocument(_ request: Request, of caller: Caller) async throws -> DocumentInput {
        let wanted = try await body.read(
            UploadedDocumentRequest.self, UploadedDocumentRequest.CodingKeys.self, from: request)
        let pictures = try await identities.uploads(of: caller.account, app: caller.app)
        guard let front = pictures[.image] else {
            throw IdentityError(
                .informationNotProvided, field: "image",
                "image is required: upload it with PUT /v1/identity/pictures/image")
        }
        guard let type = IdentityDocumentType(rawValue: wanted.documentType) else {
            throw IdentityError(
                wanted.documentType.isEmpty ? .informationNotProvided : .unsupportedMethod,
                field: "documentType", "documentType must be \(IdentityDocumentType.choices)")
        }
        guard wanted.faceCapture == nil || pictures[.faceImage] == nil else {
            throw Self.twoFaces
        }
        return DocumentInput(
            country: wanted.country, type: type, front: front, back: pictures[.backImage],
            face: wanted.faceCapture.map { .capture(startToken: $0) }
                ?? pictures[.faceImage].map { .picture($0) }, wasDecoded: true)
    }
}
