package import MienAPI
package import MienCore
package import MienFace
package import MienIdentity

/// Reads and checks identity documents. A deployment without one accepts no document.
///
/// On its way from a request to a recommendation, a document is a ``DocumentInput`` as it was sent,
/// `AttemptImage`s as they are stored, a ``DocumentSubmission`` once decoded, a `DocumentReading` of
/// each side, one `IdentityDocument` of both, ``DocumentFindings``, a ``Judgment`` with what sources
/// say, and an `AttemptRecord.Result`.
package protocol DocumentVerifier: Sendable {
    /// The documents that it checks.
    var types: Set<IdentityDocumentType> { get }
    /// Whether it compares the document's portrait with a picture of the face.
    var needsFace: Bool { get }

    /// Checks a document.
    ///
    /// - Throws: ``IdentitySourceError`` or `ServerBusy` if the document could not be judged. The
    ///   attempt is then not counted.
    func examine(_ submission: DocumentSubmission) async throws -> DocumentFindings

    /// Whether a picture without the edges of a document, such as a scan, shows one: a zone, a
    /// barcode, or text.
    ///
    /// - Throws: ``IdentitySourceError`` or `ServerBusy`.
    func showsDocument(_ picture: RGBImage, for share: WorkShare) async throws -> Bool
}

extension DocumentVerifier {
    package func showsDocument(_: RGBImage, for _: WorkShare) async throws -> Bool { true }
}

/// The pictures of a document, decoded in memory.
package struct DocumentSubmission: Sendable, CustomReflectable {
    /// The face of the person who sent the document.
    package enum Face: Sendable {
        /// A still picture.
        case picture(RGBImage)
        /// A live capture that passed.
        case live(FaceTemplate)
    }

    package let account: UserID
    package let country: DocumentIssuer
    package let type: IdentityDocumentType
    package let front, back: RGBImage
    package let face: Face?
    /// Pictures of the front while it was tilted: none if the person did not tilt it, `nil` if nobody
    /// asked for that.
    package var tilt: [RGBImage]?
    /// Whether the person may be asked for other pictures of what can be judged, though not well.
    package var mayAskAgain = true
    /// The documents that the person can choose.
    package var offered = DocumentCoverage.table

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The data of a document, and the checks of whether it is genuine.
package struct DocumentFindings: Sendable, CustomReflectable {
    /// Whether the document was judged. If not, the person may try again: pictures could not be read,
    /// or it has expired, or is another one than the person chose.
    package var isReadable: Bool
    /// Empty if the pictures could not be read.
    package var checks = IdentityChecks()
    /// The personal data on the document, with an address; `nil` if it states none, or could not be
    /// read completely.
    package var data: PersonalDataInput?
    /// The holder, by names and date of birth.
    package var stated: StatedPerson?
    /// The model pack that compared faces.
    package var pack: String?
    /// The pictures or documents to send instead, and why.
    package var recapture: [DocumentRecapture] = []
    /// The sources and reasons that reviewers see.
    package var comparison = ReviewComparison()

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
