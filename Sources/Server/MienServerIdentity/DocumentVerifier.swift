package import MienIdentity
package import MienPixels

/// Reads and checks identity documents. A deployment without one accepts no document.
package protocol DocumentVerifier: Sendable {
    /// The documents that it checks.
    var types: Set<IdentityDocumentType> { get }
    /// Whether it compares the document's portrait with a picture of the face.
    var needsFace: Bool { get }

    /// Checks a document.
    ///
    /// - Throws: ``IdentitySourceError`` if the document could not be judged. The attempt is then not
    ///   counted.
    func examine(_ submission: DocumentSubmission) async throws(IdentitySourceError)
        -> DocumentFindings
}

/// The pictures of a document, decoded in memory.
package struct DocumentSubmission: Sendable, CustomReflectable {
    package let country: Country
    package let type: IdentityDocumentType
    package let front, back: RGBImage
    /// A still picture of the face.
    package let face: RGBImage?

    package init(
        country: Country, type: IdentityDocumentType, front: RGBImage, back: RGBImage,
        face: RGBImage?
    ) {
        (self.country, self.type, self.front, self.back, self.face) = (
            country, type, front, back, face
        )
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The data of a document, and the checks of whether it is genuine.
package struct DocumentFindings: Sendable, CustomReflectable {
    /// Whether the pictures could be read. If not, the person may try again.
    package var isReadable: Bool
    package var checks: IdentityChecks
    /// The personal data on the document; `nil` if it could not be read completely.
    package var data: PersonalDataInput?
    /// The model pack that compared faces.
    package var pack: String?

    package init(
        isReadable: Bool, checks: IdentityChecks = IdentityChecks(), data: PersonalDataInput? = nil,
        pack: String? = nil
    ) {
        (self.isReadable, self.checks, self.data, self.pack) = (isReadable, checks, data, pack)
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
