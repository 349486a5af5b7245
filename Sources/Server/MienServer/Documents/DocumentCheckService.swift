internal import MienAPI
package import MienCore
internal import MienDocument
package import MienFace
package import MienIdentity
internal import MienModels

/// Reads documents, checks them, and compares their portraits with faces.
///
/// Each worker has its own reader, about 60 MB. Clients take turns.
package final class DocumentCheckService: DocumentVerifier {
    package let types: Set<IdentityDocumentType>
    package let needsFace: Bool
    private let readers: WorkerPool<DocumentWorker>
    private let looksForCopies: Bool
    let faces: FaceService
    let thresholds: PortraitThresholds
    private let clock: ServerClock

    /// Compiles the network for machine-readable zones, which takes half a second.
    ///
    /// - Parameters:
    ///   - needsFace: Whether a picture of the face, or a live capture, belongs to each document.
    ///   - looksForCopies: Whether signs of a copy lead to a review.
    ///   - workers: The number of documents read at once, 1...16.
    /// - Throws: `InferenceError`; `TextError` if Tesseract's data is not installed.
    package init(
        types: Set<IdentityDocumentType>, needsFace: Bool, faces: FaceService,
        thresholds: PortraitThresholds, looksForCopies: Bool = true, workers: Int,
        limits: WorkLimits, clock: ServerClock
    ) throws {
        (self.types, self.needsFace, self.faces) = (types, needsFace, faces)
        (self.thresholds, self.clock) = (thresholds, clock)
        self.looksForCopies = looksForCopies
        let network = try LineNetwork(runtime: InferenceRuntime())
        // Fail at the start instead of at the first document.
        _ = try DocumentWorker(network)
        readers = WorkerPool(workers: workers, limits: limits, label: "mien.document") {
            try DocumentWorker(network)
        }
    }

    package func showsDocument(_ picture: RGBImage, for share: WorkShare) async throws -> Bool {
        do {
            return try await run(for: share) { try $0.showsDocument(picture) }
        } catch is BarcodeError { return false }
    }

    package func examine(_ submission: DocumentSubmission) async throws -> DocumentFindings {
        let share = WorkShare.signedIn(submission.account)
        let isOneSided = submission.type == .passport || submission.back == submission.front
        let sent = [submission.front] + (isOneSided ? [] : [submission.back])
        var readings: [DocumentReading]
        do {
            readings = try await run(for: share) { worker in
                try worker.codes(sent, isLicense: submission.type == .driverLicense)
            }
        } catch is BarcodeError {
            return DocumentFindings(
                isReadable: false, recapture: [DocumentRecapture(.back, .documentDamaged)])
        }
        // The person may have taken the sides for each other, or the back twice.
        var isExchanged = false
        if submission.type != .passport, readings[0].isOfBack,
            try await descriptor(in: sent[0], readings[0], for: share) == nil
        {
            if readings.count == 2 {
                isExchanged = try await descriptor(in: sent[1], readings[1], for: share) != nil
            }
            guard isExchanged || !readings.allSatisfy(\.isOfBack) else {
                return DocumentFindings(
                    isReadable: false,
                    recapture: [
                        DocumentRecapture(
                            .front, .imageMissing, hints: [DocumentRecapture.sameSide])
                    ])
            }
        }
        let tilted = readings[0].place
        if isExchanged { readings.swapAt(0, 1) }
        let pictures = isExchanged ? [sent[1], sent[0]] : sent
        let names: [DocumentPicture] = isExchanged ? [.back, .front] : [.front, .back]
        func assess() -> DocumentFindings {
            DocumentFindings(
                zip(names, readings).map { ($0, $1) }, as: submission.type,
                of: submission.country, among: submission.offered, looksForCopies: looksForCopies,
                now: clock.now)
        }
        var early = assess()
        guard early.isReadable else {
            if early.recapture == [DocumentRecapture(.back, .documentNotSupported)],
                try await showPortraitTwice(pictures, readings, for: share)
            {
                early.recapture = [
                    DocumentRecapture(.back, .imageMissing, hints: [DocumentRecapture.sameSide])
                ]
            }
            return early
        }

        let views = try await views(of: pictures[0], readings[0], for: share)
        let portrait = try await faces.portrait(in: views.map(\.image), for: share)
        var faceChecks = IdentityChecks()
        let (recapture, score) = try await compare(
            portrait, with: submission.face, of: readings[0], as: names[0], for: share,
            into: &faceChecks)
        // A contradiction of the codes is judged, however poor the pictures of faces are.
        guard recapture.isEmpty || early.isRefused else {
            early.checks.add(faceChecks)
            early.ask(recapture)
            return early
        }
        // The face shows which side of the document is up.
        let corners = (portrait.map { views[$0.view] } ?? views.first)?.corners
        let front = readings[0]
        readings[0] = try await run(for: share) { [looksForCopies] worker in
            worker.completed(
                front, of: pictures[0], upright: corners, looksForCopies: looksForCopies)
        }
        var findings = assess()
        findings.checks.add(faceChecks)
        if let score, faceChecks[.faceMatch] != .passed {
            findings.comparison.reasons.append(
                ReviewReason(
                    check: IdentityCheckName.faceMatch.rawValue, detail: "score",
                    result: faceChecks[.faceMatch]?.rawValue ?? "", sources: ["portrait", "face"],
                    score: (score.value * 10).rounded() / 10, minimum: thresholds.match.value))
        }
        if submission.mayAskAgain { findings.askAgain(for: readings[0], as: names[0]) }
        guard findings.isReadable else { return findings }
        if let tilt = submission.tilt {
            // The person tilted the side that they took for the front.
            let check = try await run(for: share) { _ in
                ReflectionCheck(
                    tilt.isEmpty ? nil : TiltMeasurements(of: tilt, front: (sent[0], tilted)))
            }
            let result = check.identityResult
            findings.checks[.documentLive] = result
            if result != .passed {
                findings.comparison.reasons.append(
                    ReviewReason(
                        check: IdentityCheckName.documentLive.rawValue,
                        detail: result == .inconclusive ? "no_reflection" : "not_measured",
                        result: result.rawValue, sources: []))
            }
        }
        if faceChecks[.faceMatch] != nil { findings.pack = faces.packID.text }
        if findings.checks.failsOnlyExpiry {
            findings.ask(
                names.prefix(pictures.count).map { DocumentRecapture($0, .documentExpired) })
            findings.checks[.documentReadable] = .passed
        }
        return findings
    }

    /// Whether both pictures, of which neither could be read, show the same portrait: the person sent
    /// one side twice. A back with a barcode of another kind may have a second portrait.
    private func showPortraitTwice(
        _ pictures: [RGBImage], _ readings: [DocumentReading], for share: WorkShare
    ) async throws -> Bool {
        guard pictures.count == 2, !readings.contains(where: \.hasForeignBarcode),
            let a = try await descriptor(in: pictures[0], readings[0], for: share),
            let b = try await descriptor(in: pictures[1], readings[1], for: share)
        else { return false }
        return try faces.score(a, b) >= thresholds.match
    }

    /// Describes the portrait in a picture.
    ///
    /// - Returns: `nil` if there is none, or it cannot be compared: those on most backs are too small.
    private func descriptor(
        in picture: RGBImage, _ reading: DocumentReading, for share: WorkShare
    ) async throws -> FaceDescriptor? {
        let views = try await views(of: picture, reading, for: share)
        return try await faces.portrait(in: views.map(\.image), for: share)?.descriptor
    }

    private func run<Output: Sendable>(
        for share: WorkShare, _ job: @escaping @Sendable (DocumentWorker) throws -> Output
    ) async throws -> Output {
        try await HangUp.cancels { [readers] in
            try await readers.run(for: share) { worker in try job(worker) }
        }
    }

    private func views(
        of picture: RGBImage, _ reading: DocumentReading, for share: WorkShare
    ) async throws -> [DocumentView] {
        try await run(for: share) { _ in
            reading.directions(of: picture).compactMap { DocumentView(picture, $0) }
        }
    }
}

extension ReflectionCheck {
    fileprivate var identityResult: IdentityCheckResult {
        switch result {
        case .passed: .passed
        case .inconclusive: .inconclusive
        case .notChecked: .notChecked
        }
    }
}

extension IdentityChecks {
    /// Whether the document has expired and nothing else is wrong with it: then another one helps. A
    /// document that fails another check, too, stays refused.
    fileprivate var failsOnlyExpiry: Bool {
        results.filter { $0.value == .failed }.map(\.key) == [.documentNotExpired]
    }
}
