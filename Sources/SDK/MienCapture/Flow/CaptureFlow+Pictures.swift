internal import MienAPI
internal import MienClient
internal import MienIdentity

/// A side of a document, and what its screens say.
struct SidePage: Sendable {
    let side: SessionPicture
    let type: IdentityDocumentType
    /// "Step 1 of 3".
    let step: String

    var sign: CapturePage.Sign {
        if type == .passport { return .passport }
        return side == .documentBack ? .cardBack : .card
    }
}

/// How a picture's screens ended, unless the person canceled.
enum SideEnd: Sendable, Equatable { case taken, skipped, otherDocument }

extension CaptureFlow {
    /// The time after which people are told that they can take the picture themselves.
    nonisolated private static let patience = Duration.seconds(12)
    nonisolated private static let maxPictureBytes = 5 << 20
    /// The longer side of the pictures that are sent.
    nonisolated private static let maxSide = 4096

    // MARK: One picture

    func picture(_ session: DocumentSession, _ page: SidePage) async throws -> SideEnd {
        var intro = CapturePage(
            sign: page.sign, title: texts.title(of: page.side, page.type),
            lines: [
                page.step,
                texts[
                    page.side == .documentBack
                        ? "document_back_text"
                        : page.type == .passport
                            ? "document_front_text_passport" : "document_front_text"],
            ],
            buttons: [
                button("button_camera", .goOn, .primary),
                button("document_other", .otherDocument), cancelButton,
            ])
        while true {
            switch await ask(intro) {
            case .goOn, .retry: break
            case .otherDocument: return .otherDocument
            default: throw CancellationError()
            }
            guard let picture = try await take(session, page) else { continue }
            show(.waiting(texts["document_checking"]))
            let verdict = try await request { try await session.put(picture, of: page.side) }
            if verdict.accepted {
                show(.page(CapturePage(sign: .success, title: texts["document_good"])))
                await pause(.milliseconds(900))
                return .taken
            }
            intro = refused(verdict)
        }
    }

    private func refused(_ verdict: VerificationPictureAnswer) -> CapturePage {
        let reasons = verdict.recapture?.reasons ?? []
        var buttons = [button("document_again", .retry, .primary)]
        if isOfDocument(reasons) {
            buttons.append(button("document_other", .otherDocument, .secondary))
        }
        return CapturePage(
            sign: .failure, title: texts["document_again_title"],
            lines: texts.reasons(reasons, hint: verdict.recapture?.hint),
            buttons: buttons + [cancelButton])
    }

    /// Shows the camera until a picture is taken. `nil` if the person went back.
    private func take(_ session: DocumentSession, _ page: SidePage) async throws -> CaptureFrame? {
        var guide = DocumentGuide(), isWanted = false
        let stage = DocumentStage(
            title: texts.title(of: page.side, page.type), word: texts["capture_loading"],
            preview: texts["capture_preview"],
            buttons: [
                button("document_take", .takePicture, .primary), button("button_back", .back),
                cancelButton,
            ])
        return try await watch(
            session, stage,
            tip: "document_tip", busy: "document_guide_by_hand",
            handle: { if $0 == .takePicture { isWanted = true } },
            isUrgent: { isWanted },
            see: { [self] picture, preview, _ in
                if let preview {
                    let advice = guide.take(preview, at: now)
                    change {
                        $0.word = texts.guidance(advice.word, of: page.side, page.type)
                        ($0.corners, $0.isGood) = (preview.corners, advice.isGood)
                    }
                    isWanted = isWanted || advice.shoots
                }
                guard isWanted else { return nil }
                isWanted = false
                return await Task.detached {
                    picture.jpeg(side: Self.maxSide, atMost: Self.maxPictureBytes)
                        .map { CaptureFrame($0, .jpeg) }
                }.value
            })
    }

    // MARK: Tilting

    func tilt(_ session: DocumentSession, _ page: SidePage) async throws -> SideEnd {
        let skip = button("document_tilt_skip", .skip, .secondary)
        var intro = CapturePage(
            sign: page.sign, title: texts["document_tilt_title"],
            lines: [page.step, texts["document_tilt_text"]],
            buttons: [button("button_camera", .goOn, .primary), skip, cancelButton])
        while true {
            switch await ask(intro) {
            case .goOn, .retry: break
            case .skip: return .skipped
            default: throw CancellationError()
            }
            guard let pictures = try await collect(session, page) else { continue }
            show(.waiting(texts["document_tilt_checking"]))
            let verdict = try await request { try await session.putTilted(pictures) }
            if verdict.accepted { return .taken }
            intro = CapturePage(
                sign: .wait, title: texts["document_tilt_title"],
                lines: texts.reasons(
                    verdict.recapture?.reasons ?? [], hint: verdict.recapture?.hint),
                buttons: [button("button_retry", .retry, .primary), skip, cancelButton])
        }
    }

    private func collect(_ session: DocumentSession, _ page: SidePage) async throws -> [[UInt8]]? {
        var guide = TiltGuide()
        let stage = DocumentStage(
            title: texts["document_tilt_title"], word: texts["capture_loading"], progress: 0,
            preview: texts["capture_preview"],
            buttons: [button("button_back", .back), cancelButton])
        return try await watch(
            session, stage, tip: "document_tilt_tip", busy: "document_tilt_busy",
            handle: { _ in }, isUrgent: { false },
            see: { [self] picture, preview, jpeg in
                guard let preview, let jpeg else { return nil }
                let ratio = Double(picture.width) / Double(max(1, picture.height))
                let advice = guide.take(preview, jpeg, ratio: ratio)
                change {
                    $0.word = texts.guidance(
                        advice.word == "tilt" ? "tilt" : advice.word, of: .documentFront, page.type)
                    ($0.corners, $0.isGood) = (preview.corners, advice.isGood)
                    $0.progress = guide.progress
                }
                return advice.pictures
            })
    }

    // MARK: The camera

    /// Shows the camera, and has the server look at its pictures, until `see` returns something.
    ///
    /// - Parameters:
    ///   - handle: Gets a choice other than back and cancel.
    ///   - isUrgent: Whether the next picture goes to `see` without a look of the server.
    ///   - see: Gets each picture, what the server saw in it, and the JPEG that was sent.
    /// - Returns: `nil` if the person went back.
    private func watch<Output: Sendable>(
        _ session: DocumentSession, _ stage: DocumentStage, tip: String, busy: String,
        handle: @escaping (CaptureChoice) -> Void, isUrgent: @escaping () -> Bool,
        see:
            @escaping @MainActor (CameraPicture, VerificationPreviewAnswer?, [UInt8]?) async ->
            Output?
    ) async throws -> Output? {
        showWaiting()
        let pictures = try await openCamera(.back)
        defer { camera.close() }
        var isCanceled = false, isBack = false
        do {
            let output: Output? = try await whileShowing(
                .document(stage),
                handle: { choice in
                    switch choice {
                    case .cancel, .stop: isCanceled = true
                    case .back: isBack = true
                    default: handle(choice)
                    }
                    return isCanceled || isBack
                },
                { [self] in
                    try await looking(
                        at: pictures, session, tip: tip, busy: busy, isUrgent: isUrgent, see: see)
                })
            if isCanceled { throw CancellationError() }
            if isBack { return nil }
            if let output { return output }
        } catch is CancellationError where isBack { return nil }
        // The camera ended by itself.
        let choice = await ask(
            CapturePage(
                sign: .failure, title: texts["camera_title"], lines: [texts["camera_busy"]],
                buttons: [button("button_retry", .retry, .primary), cancelButton]))
        guard choice == .retry else { throw CancellationError() }
        return nil
    }

    private func looking<Output: Sendable>(
        at pictures: AsyncStream<CameraPicture>, _ session: DocumentSession, tip: String,
        busy: String, isUrgent: () -> Bool,
        see: @MainActor (CameraPicture, VerificationPreviewAnswer?, [UInt8]?) async -> Output?
    ) async throws -> Output? {
        var pace = PreviewPace(), failures = 0
        let opened = now
        for await picture in pictures {
            try Task.checkCancellation()
            if now - opened > Self.patience { change { $0.tip = texts[tip] } }
            if isUrgent() {
                if let output = await see(picture, nil, nil) { return output }
                continue
            }
            let (side, quality) = (pace.side, pace.quality)
            let jpeg = await Task.detached { picture.jpeg(side: side, quality: quality) }.value
            guard let jpeg else { continue }
            guard jpeg.count <= DocumentSession.maxPreviewBytes else {
                pace.tooLarge(at: now)
                continue
            }
            let began = now
            do {
                let preview = try await session.preview(jpeg)
                pace.took(now - began, at: now)
                failures = 0
                if let output = await see(picture, preview, jpeg) { return output }
                try await Task.sleep(for: pace.pause)
            } catch let error as MienError {
                if let status = error.problem?.status, [401, 404, 409, 410].contains(status) {
                    throw error
                }
                // A busy server drops a preview now and then. Without any, the person takes the
                // picture by hand.
                failures += 1
                if failures > 2 || error.code == .networkError {
                    change {
                        ($0.corners, $0.isGood) = (nil, false)
                        $0.word = texts[error.code == .networkError ? "capture_offline" : busy]
                    }
                }
                try await Task.sleep(for: max(.milliseconds(400), error.retryAfter ?? .zero))
            }
        }
        try Task.checkCancellation()
        return nil
    }

    private func change(_ body: (inout DocumentStage) -> Void) {
        guard case .document(var stage) = screen else { return }
        body(&stage)
        show(.document(stage))
    }
}
