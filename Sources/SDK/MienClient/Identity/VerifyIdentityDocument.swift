public import MienIdentity

/// The pictures of a document: PNG, JPEG, or GIF, each at most
/// ``IdentityVerificationClient/maxPictureBytes`` and 40 megapixels, a JPEG 200.
///
/// Hides its content: descriptions and mirrors are empty.
public struct VerifyIdentityDocument: Sendable {
    /// The front; of a passport, the photo page.
    public var image: [UInt8]
    /// The back; of a passport, the photo page again, or `nil`.
    public var backImage: [UInt8]?
    /// A still picture of the face, only if `isFaceImageRequired(option:)` says so. It leads to a
    /// review unless the app accepts still pictures.
    public var faceImage: [UInt8]?
    /// Instead of ``faceImage``, the start token of a live capture that passed, from
    /// ``IdentityVerificationClient/startFaceCapture()``.
    public var faceCapture: String?
    /// ISO 3166-1 alpha-2, one of the supported countries.
    public var country: String
    public var documentType: IdentityDocumentType

    public init(
        image: [UInt8], backImage: [UInt8]?, faceImage: [UInt8]? = nil,
        faceCapture: String? = nil, country: String, documentType: IdentityDocumentType
    ) {
        (self.image, self.backImage, self.faceImage) = (image, backImage, faceImage)
        self.faceCapture = faceCapture
        (self.country, self.documentType) = (country, documentType)
    }

    /// Encodes the document as `multipart/form-data`.
    ///
    /// - Throws: ``MienError`` `.clientResponseNotValid` for a picture that is too large.
    func form() throws(MienError) -> (type: String, body: [UInt8]) {
        var parts: [(name: String, content: [UInt8])] = []
        for (name, content) in [
            ("country", Array(country.utf8)), ("documentType", Array(documentType.rawValue.utf8)),
            ("image", image), ("backImage", backImage), ("faceImage", faceImage),
            ("faceCapture", faceCapture.map { Array($0.utf8) }),
        ] as [(String, [UInt8]?)] {
            guard let content else { continue }
            guard content.count <= IdentityVerificationClient.maxPictureBytes else {
                throw MienError(
                    .clientResponseNotValid,
                    "\(name) has \(content.count) bytes; at most \(IdentityVerificationClient.maxPictureBytes) are accepted."
                )
            }
            parts.append((name, content))
        }
        let form = FormBody(parts)
        return (form.contentType, form.bytes)
    }
}

extension VerifyIdentityDocument: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹pictures of a document›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
