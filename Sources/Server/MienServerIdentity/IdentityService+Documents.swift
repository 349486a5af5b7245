internal import Crypto
internal import MienAccess
package import MienCore
package import MienIdentity
internal import MienImage
internal import MienPixels
internal import MienServerCore
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

/// A document as a user sent it.
package struct DocumentInput: Sendable, CustomReflectable {
    /// The maximum size of a picture in bytes.
    package static let maxPictureBytes = ImageLimits.standard.maxBytes

    package let country: String
    package let type: IdentityDocumentType
    package let front: [UInt8]
    /// `nil` for a passport, whose photo page stands for both sides.
    package let back: [UInt8]?
    package let face: [UInt8]?

    package init(
        country: String, type: IdentityDocumentType, front: [UInt8], back: [UInt8]?,
        face: [UInt8]?
    ) {
        (self.country, self.type, self.front, self.back, self.face) = (
            country, type, front, back, face
        )
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityService {
    /// Verifies a document of a user who attempted to verify personal data before.
    ///
    /// - Throws: ``IdentityError``, ``IdentitySourceError``, or ``ServerBusy``, which count no
    ///   attempt. Pictures that cannot be decoded count: their status is `documentUnreadable`.
    package func verifyDocument(
        _ document: DocumentInput, of account: AccountRecord, app: AppID
    ) async throws -> VerifiedIdentity {
        try await verify(document, .document, of: account, app: app)
    }

    /// Verifies the personal data that a document states.
    ///
    /// - Throws: as ``verifyDocument(_:of:app:)``; `unsupportedMethod` for passports, which state no
    ///   address.
    package func captureAndVerifyDocument(
        _ document: DocumentInput, of account: AccountRecord, app: AppID
    ) async throws -> VerifiedIdentity {
        try await verify(document, .capturedDocument, of: account, app: app)
    }

    private func verify(
        _ document: DocumentInput, _ kind: VerificationAttempt.Kind, of account: AccountRecord,
        app: AppID
    ) async throws -> VerifiedIdentity {
        let country = try PersonalData.country(document.country, supported: rules.countries)
        guard let documents, documents.verifier.types.contains(document.type) else {
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                documents == nil
                    ? "this deployment checks no documents"
                    : "this deployment does not check documents of this type")
        }
        if kind == .capturedDocument {
            guard document.type.hasAddress else {
                throw IdentityError(
                    .unsupportedMethod, field: "documentType",
                    "a passport states no address; verify personal data with verifyIdentity, then the passport with verifyIdentityDocument"
                )
            }
            guard !sources.isEmpty else {
                throw IdentityError(.unsupportedMethod, "this deployment verifies no personal data")
            }
        }
        guard (document.face != nil) == documents.verifier.needsFace else {
            throw IdentityError(
                .informationNotProvided, field: "faceImage",
                documents.verifier.needsFace
                    ? "faceImage is required; see isFaceImageRequired"
                    : "faceImage must be left out; see isFaceImageRequired")
        }
        guard document.back != nil || document.type == .passport else {
            throw IdentityError(
                .informationNotProvided, field: "backImage", "backImage is required")
        }
        let content = Sensitive(
            Array(
                JSONText.write([
                    "country": .string(country.rawValue),
                    "documentType": .string(document.type.rawValue),
                ]).utf8))
        let id = try await begin(
            kind, content, images: document.images, of: account, app: app)
        return try await concluding(id, of: account) {
            try await judge(document, country, kind, as: id, by: documents, of: account)
        }
    }

    private func judge(
        _ document: DocumentInput, _ country: Country, _ kind: VerificationAttempt.Kind,
        as id: IdentityAttemptID, by documents: DocumentChecker, of account: AccountRecord
    ) async throws -> Judgment {
        var judgment = Judgment()
        judgment.checks[.documentReadable] = .failed
        judgment.isUnreadable = true
        let submission: DocumentSubmission
        do {
            submission = try await documents.work.run(for: .signedIn(account.id)) {
                let front = try ImageDecoder.decode(document.front)
                return DocumentSubmission(
                    country: country, type: document.type, front: front,
                    back: try document.back.map { try ImageDecoder.decode($0) } ?? front,
                    face: try document.face.map { try ImageDecoder.decode($0) })
            }
        } catch is ImageError { return judgment }
        let findings = try await documents.verifier.examine(submission)
        guard findings.isReadable else { return judgment }
        judgment.pack = findings.pack
        var checks = findings.checks
        checks[.documentReadable] = .passed
        // A still picture of a face shows nobody alive, whatever the verifier says.
        if document.face != nil { checks[.live] = .notChecked }
        let read = findings.data.flatMap { data in
            (try? PersonalData(data, supported: rules.countries)).map {
                SourceQuery(attempt: id, person: $0, input: data)
            }
        }
        switch kind {
        case .capturedDocument:
            guard let read else { return judgment }
            judgment.checks = checks
            let fault = rules.age.fault(
                read.person.dateOfBirth, today: CalendarDate(clock.now))
            judgment.checks[.agePlausible] = fault == nil ? .passed : .failed
            if fault?.code == .implausibleAge { judgment.block = .implausibleAge }
            if judgment.block == nil { try await judge(read, into: &judgment) }
        case .document, .personalData:
            let typed = try await store.read { try $0.personalData(of: account) }
                .flatMap { try? PersonalData($0, supported: rules.countries) }
            if let read, let typed {
                checks[.documentMatchesData] =
                    typed.scores(against: read.person).isSamePerson ? .passed : .failed
            } else {
                checks[.documentMatchesData] = .inconclusive
            }
            judgment.checks = checks
        }
        judgment.isUnreadable = false
        return judgment
    }
}

extension DocumentInput {
    /// The pictures as they are kept, sealed, until the end of their retention.
    var images: [AttemptImage] {
        [("front", front), ("back", back), ("face", face)].compactMap { role, bytes in
            bytes.map {
                AttemptImage(
                    role: role, sha256: Array(SHA256.hash(data: $0)), content: Sensitive($0))
            }
        }
    }
}
