internal import Crypto
internal import MienAPI
package import MienCore
internal import MienFace
package import MienIdentity
internal import MienMedia
package import MienStore

/// Decodes and checks documents, a few at a time.
package struct DocumentChecker: Sendable {
    let verifier: any DocumentVerifier
    /// Decodes pictures. One at a time, because each takes up to 120 MB.
    let work: WorkQueue

    package init(_ verifier: any DocumentVerifier, limits: WorkLimits) {
        self.verifier = verifier
        work = WorkQueue("mien.document", workers: 1, limits: limits)
    }
}

/// The face that a user sent with a document.
package enum DocumentFace: Sendable, CustomReflectable {
    /// A still picture: PNG, JPEG, or GIF.
    case picture([UInt8])
    /// A live capture of the same user that passed, by its start token. Using it here uses it up.
    case capture(startToken: String)
    /// The template of a live capture that was used up, as `FaceTemplate` bytes.
    case live(template: [UInt8])

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A document as a user sent it.
package struct DocumentInput: Sendable, CustomReflectable {
    /// The maximum size of a picture in bytes.
    package static let maxPictureBytes = ImageLimits.standard.maxBytes

    package let country: String
    package let type: IdentityDocumentType
    package let front: [UInt8]
    /// `nil` for a passport, whose photo page stands for both sides.
    package let back: [UInt8]?
    package internal(set) var face: DocumentFace?
    /// Pictures of the front while it was tilted: none if the person did not tilt it, `nil` if nobody
    /// asked for that.
    package internal(set) var tilt: [[UInt8]]?
    /// Whether the pictures were decoded when they were uploaded.
    package internal(set) var wasDecoded = false

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityService {
    /// Verifies a document of a user who attempted to verify personal data before.
    ///
    /// A worker judges it. If that takes longer than ``IdentityJobQueue/patience``, the state returned
    /// is `pending`.
    ///
    /// - Throws: ``IdentityError``, ``IdentitySourceError``, or ``ServerBusy``, which count no
    ///   attempt: also for documents that cannot be read, and for files that are no pictures.
    package func verifyDocument(
        _ document: DocumentInput, of account: AccountRecord, app: AppID
    ) async throws -> VerifiedIdentity {
        try await verify(document, .document, of: account, app: app)
    }

    /// Verifies the personal data that a document states.
    ///
    /// - Throws: as ``verifyDocument(_:of:app:)``; `unsupportedMethod` for documents whose address
    ///   cannot be read.
    package func captureAndVerifyDocument(
        _ document: DocumentInput, of account: AccountRecord, app: AppID
    ) async throws -> VerifiedIdentity {
        try await verify(document, .capturedDocument, of: account, app: app)
    }

    private func verify(
        _ document: DocumentInput, _ kind: VerificationAttempt.Kind, of account: AccountRecord,
        app: AppID
    ) async throws -> VerifiedIdentity {
        let coverage = try coverage(of: document.type, from: document.country, for: kind)
        guard let documents else { throw Self.noDocuments }
        guard (document.face != nil) == documents.verifier.needsFace else {
            throw IdentityError(
                .informationNotProvided, field: "faceImage",
                documents.verifier.needsFace
                    ? "faceImage or faceCapture is required; see isFaceImageRequired"
                    : "faceImage and faceCapture must be left out; see isFaceImageRequired")
        }
        guard document.back != nil || coverage.sides[.back] == nil else {
            throw IdentityError(
                .informationNotProvided, field: "backImage", "backImage is required")
        }
        // Refuse what the beginning of the attempt would, before anything is decoded.
        try await store.read { tables in
            if needsConsent { try tables.requireConsent(of: account.id, in: app) }
            let state = try tables.verifications.find(account.id).state
            if let refusal = state.refusal(of: kind, under: rules.policy) { throw refusal }
        }
        if !document.wasDecoded {
            try await requirePictures(
                [
                    (.image, document.front), (.backImage, document.back),
                    (.faceImage, document.face?.picture),
                ], of: account.id, by: documents)
        }
        var document = document
        // Only verification sessions take pictures of a tilted document, so this check is left out
        // here.
        if try await store.read({ try $0.apps.find(app)?.settings.identity.documentLive }) ?? false
        {
            document.tilt = []
        }
        if case .capture(let token) = document.face {
            // A capture is used up only if the attempt can be stored.
            try await requireRoom(for: app)
            document.face = .live(
                template: try await template(token, for: kind, of: account, app: app))
        }
        return try await judgeLater(
            kind, document.content, images: document.images, of: account, app: app)
    }

    /// - Throws: ``IdentityError`` `informationNotProvided` for a file that cannot be decoded, or a
    ///   picture that is too large; ``ServerBusy``.
    func requirePictures(
        _ pictures: [(UploadedPicture, [UInt8]?)], of account: UserID,
        by documents: DocumentChecker
    ) async throws {
        for case (let name, let bytes?) in pictures {
            let isPicture = try await documents.work.run(for: .signedIn(account)) {
                (try? Self.decode(bytes, .front)) != nil
            }
            guard isPicture else {
                throw IdentityError(
                    .informationNotProvided, field: name.rawValue,
                    "\(name.rawValue) is not a whole PNG, JPEG, or GIF, or has too many pixels: at most 40 megapixels, a JPEG 200"
                )
            }
        }
    }

    func judge(
        _ document: DocumentInput, _ country: DocumentIssuer, _ kind: VerificationAttempt.Kind,
        as id: IdentityAttemptID, by documents: DocumentChecker, of account: AccountRecord
    ) async throws -> Judgment {
        var judgment = Judgment()
        judgment.checks[.documentReadable] = .failed
        judgment.isUnreadable = true
        let mayAskAgain = try await store.read {
            try $0.verifications.find(account.id).state.mayAskAgain
        }
        let offered = supportedDocuments.filter { kind != .capturedDocument || $0.statesAddress }
        let submission: DocumentSubmission
        do {
            submission = try await documents.work.run(for: .signedIn(account.id)) {
                let front = try Self.decode(document.front, .front)
                return DocumentSubmission(
                    account: account.id, country: country, type: document.type, front: front,
                    back: try document.back.map { try Self.decode($0, .back) } ?? front,
                    face: try document.face.map(Self.decode),
                    tilt: document.tilt.map(TiltSeries.decoded), mayAskAgain: mayAskAgain,
                    offered: offered)
            }
        } catch let unreadable as UndecodablePicture {
            judgment.recapture = [
                DocumentRecapture(unreadable.picture, .imageMissing, hints: ["not_a_picture"])
            ]
            return judgment
        }
        let findings = try await documents.verifier.examine(submission)
        (judgment.recapture, judgment.pack) = (findings.recapture, findings.pack)
        guard findings.isReadable else {
            if !findings.checks.results.isEmpty { judgment.checks = findings.checks }
            return judgment
        }
        judgment.comparison = findings.comparison
        var checks = findings.checks
        checks[.documentReadable] = .passed
        // A still picture cannot prove that the person is alive, so ignore the verifier's result.
        if case .picture = document.face { checks[.live] = .notChecked }
        let read = findings.data.flatMap { data in
            (try? PersonalData(data, supported: rules.countries)).map {
                SourceQuery(attempt: id, person: $0, input: data)
            }
        }
        switch kind {
        case .capturedDocument:
            guard let read else {
                judgment.recapture.append(DocumentRecapture(.back, .documentNotSupported))
                return judgment
            }
            judgment.checks = checks
            let fault = rules.age.fault(
                read.person.dateOfBirth, today: CalendarDate(clock.now))
            judgment.checks[.agePlausible] = fault == nil ? .passed : .failed
            if fault?.code == .implausibleAge { judgment.block = .implausibleAge }
            if judgment.block == nil {
                try await judge(read, as: ReviewSource.document, into: &judgment)
            }
        case .document, .personalData:
            let input = try await store.read { try $0.personalData(of: account) }
            let typed = input.flatMap { try? PersonalData($0, supported: rules.countries) }
            if let input { judgment.comparison.sources.insert(ReviewSource(input), at: 0) }
            if let stated = findings.stated, let typed, let input {
                checks[.documentMatchesData] = typed.agreement(
                    with: stated, typed: input, shortNames: rules.shortNames)
                judgment.comparison.reasons += typed.agreements(
                    with: stated, typed: input, shortNames: rules.shortNames
                ).filter { $0.result != .passed }.map { part in
                    ReviewReason(
                        check: IdentityCheckName.documentMatchesData.rawValue,
                        detail: part.field.reviewWord, result: part.result.rawValue,
                        sources: [ReviewSource.input, ReviewSource.document])
                }
            } else if let read, let typed {
                checks[.documentMatchesData] =
                    typed.scores(against: read.person, shortNames: rules.shortNames).samePerson
            } else {
                checks[.documentMatchesData] = .inconclusive
            }
            judgment.checks = checks
        }
        judgment.isUnreadable = false
        return judgment
    }
}

extension DocumentFace {
    /// The still picture, if it is one.
    fileprivate var picture: [UInt8]? {
        if case .picture(let bytes) = self { bytes } else { nil }
    }
}

extension IdentityService {
    /// A picture that cannot be decoded, or is too large.
    struct UndecodablePicture: Error { let picture: DocumentPicture }

    /// Larger pictures are reduced: more pixels add no detail and take memory in each step of
    /// reading.
    private static let maxPixels = 16_000_000

    static func decode(_ bytes: [UInt8], _ picture: DocumentPicture)
        throws(UndecodablePicture) -> RGBImage
    {
        do {
            let image = try ImageDecoder.decode(bytes)
            let pixels = image.width * image.height
            guard pixels > maxPixels, min(image.width, image.height) >= 2 else { return image }
            return image.reduced(by: 2, x: 0, y: 0, width: image.width, height: image.height)
        } catch { throw UndecodablePicture(picture: picture) }
    }

    static func decode(_ face: DocumentFace) throws(UndecodablePicture)
        -> DocumentSubmission.Face
    {
        switch face {
        case .picture(let bytes): return .picture(try decode(bytes, .face))
        case .live(let template):
            do { return .live(try FaceTemplate(bytes: template)) } catch {
                throw UndecodablePicture(picture: .face)
            }
        case .capture: preconditionFailure("a capture is used up before its attempt begins")
        }
    }
}

extension DocumentInput {
    /// The role under which the template of a live capture is kept. It is never shown.
    static let templateRole = "faceTemplate"

    /// The pictures as they are kept, sealed, until the end of their retention.
    var images: [AttemptImage] {
        var images: [(role: String, bytes: [UInt8])] = [("front", front)]
        if let back { images.append(("back", back)) }
        switch face {
        case .picture(let bytes): images.append(("face", bytes))
        case .live(let template): images.append((Self.templateRole, template))
        case .capture, nil: break
        }
        for (k, frame) in (tilt ?? []).enumerated() { images.append((TiltSeries.role(k), frame)) }
        return images.map { role, bytes in
            AttemptImage(
                role: role, sha256: Array(SHA256.hash(data: bytes)), content: Sensitive(bytes))
        }
    }

    /// The stated country and type, which are kept beside the pictures.
    var content: Sensitive<[UInt8]> {
        var members: [String: JSONValue] = [
            "country": .string(country.uppercased()), "documentType": .string(type.rawValue),
        ]
        if tilt != nil { members["documentLive"] = true }
        return Sensitive(Array(JSONText.write(.object(members)).utf8))
    }

    /// The document of a stored attempt.
    ///
    /// - Returns: `nil` if parts of it were erased.
    init?(content: Sensitive<[UInt8]>, images: [AttemptImage]) {
        func bytes(_ role: String) -> [UInt8]? {
            images.first { $0.role == role }?.content?.use { $0 }
        }
        guard let members = try? content.use({ try JSONText.parse($0) }),
            let country = members["country"]?.stringValue,
            let type = members["documentType"]?.stringValue.flatMap(
                IdentityDocumentType.init(rawValue:)), let front = bytes("front")
        else { return nil }
        self.init(
            country: country, type: type, front: front, back: bytes("back"),
            face: bytes("face").map { .picture($0) }
                ?? bytes(Self.templateRole).map { .live(template: $0) })
        if members["documentLive"] == true { tilt = TiltSeries.frames(in: images) }
    }
}
