internal import MienAPI
internal import MienClient
internal import MienCore

/// The capture of a face.
extension CaptureFlow {
    enum FaceEnd: Sendable, Equatable {
        case passed, canceled
        case failed([String])
    }

    func face(_ session: CaptureSession) async throws -> FaceEnd {
        do { return try await faceScreens(session) } catch is CancellationError {
            // If the request fails, the session's deadline ends it.
            _ = try? await Task { try await session.cancel() }.value
            return .canceled
        }
    }

    private func faceScreens(_ session: CaptureSession) async throws -> FaceEnd {
        showWaiting()
        var answer = try await request { try await session.status() }
        var restarts = 0
        while true {
            if !answer.isOpen {
                // A server that was lost says nothing about the person: the capture begins again.
                guard answer.reasons?.first == .known(.interrupted), restarts < 3 else {
                    return try await verdict(answer)
                }
                restarts += 1
                try await confirmRetry(texts["refusal_interrupted"])
            } else if let consent = answer.consent {
                try await agree(
                    title: consent.title, text: consent.text, button: consent.buttonText)
                answer = try await request { try await session.giveConsent(to: consent) }
                continue
            } else {
                answer = try await ready(session, answer)
            }
            answer = try await record(session)
        }
    }

    func agree(title: String, text: String, button label: String) async throws {
        let choice = await ask(
            CapturePage(
                title: title, terms: text,
                buttons: [
                    CaptureButton(label: label, choice: .goOn, role: .primary),
                    button("button_cancel", .cancel, .secondary),
                ]))
        guard choice == .goOn else { throw CancellationError() }
        showWaiting()
    }

    private func confirmRetry(_ text: String) async throws {
        let choice = await ask(
            CapturePage(
                sign: .failure, title: texts["capture_failed_title"], lines: [text],
                buttons: [button("button_retry", .retry, .primary), cancelButton]))
        guard choice == .retry else { throw CancellationError() }
    }

    // MARK: Before the camera

    /// Says what follows, until the person starts the camera.
    private func ready(_ session: CaptureSession, _ first: CaptureAnswer) async throws
        -> CaptureAnswer
    {
        var answer = first
        while true {
            let isKept = answer.keepsPicture == true
            var buttons = [button("button_camera", .goOn, .primary)]
            var lines = [
                texts["capture_ready_text"],
                texts[isKept ? "capture_picture_kept" : "capture_picture_not_kept"],
            ]
            // A session that has begun has its colors; the style was sent before.
            let light = answer.light.flatMap { $0.colors == nil ? $0 : nil }
            if let light {
                lines.append(texts["capture_light_text"])
                lines.append(
                    texts[light.isOmittable == true ? "capture_light_omit" : "capture_light_cannot"]
                )
                if !prefersGentleColors {
                    buttons.append(button("capture_light_gentle", .light(.gentle), .secondary))
                }
                if light.isOmittable == true {
                    buttons.append(button("capture_light_off", .light(.off), .secondary))
                }
            }
            if answer.omittableActions?.isEmpty == false {
                buttons.append(button("capture_cannot", .cannot, .secondary))
            }
            let choice = await ask(
                CapturePage(
                    sign: .face, title: texts["capture_ready_title"], lines: lines,
                    buttons: buttons + [cancelButton]))
            switch choice {
            case .goOn:
                guard light != nil else { return answer }
                showWaiting()
                return try await request {
                    try await session.showLight(prefersGentleColors ? .gentle : .vivid)
                }
            case .light(let style):
                showWaiting()
                return try await request { try await session.showLight(style) }
            case .cannot: answer = try await omit(session, answer)
            default: throw CancellationError()
            }
        }
    }

    /// Asks which movements the person cannot do.
    private func omit(_ session: CaptureSession, _ answer: CaptureAnswer) async throws
        -> CaptureAnswer
    {
        var text = "capture_cannot_text"
        let movements = (answer.omittableActions ?? []).compactMap { word in
            CaptureAction(rawValue: word.rawValue).map {
                OmissionChoices.Movement(action: $0, name: texts.word($0.rawValue, "action_"))
            }
        }
        while true {
            let choice = await ask(
                .omissions(
                    OmissionChoices(
                        title: texts["capture_cannot_title"], text: texts[text],
                        movements: movements, goOn: texts["button_continue"],
                        buttons: [button("button_back", .back, .secondary), cancelButton])))
            switch choice {
            case .back: return answer
            case .omit(let actions):
                do {
                    return try await request { try await session.omitActions(actions) }
                } catch let error as MienError where error.problem?.code == .notPermitted {
                    text = "capture_cannot_few"
                }
            default: throw CancellationError()
            }
        }
    }

    // MARK: The camera

    /// Opens the camera; says what is wrong until it opens or the person cancels.
    func openCamera(_ position: CameraPosition) async throws -> AsyncStream<CameraPicture> {
        while true {
            do { return try await camera.open(position) } catch let trouble as CameraTrouble {
                var buttons = [button("button_retry", .retry, .primary)]
                let text: String
                switch trouble {
                case .denied:
                    text = "kit_camera_denied"
                    buttons.append(button("kit_settings", .openSettings, .secondary))
                case .missing: text = "camera_missing"
                case .busy: text = "camera_busy"
                }
                let choice = await ask(
                    CapturePage(
                        sign: .failure, title: texts["camera_title"], lines: [texts[text]],
                        buttons: buttons + [cancelButton]))
                guard choice == .retry else { throw CancellationError() }
                showWaiting()
            }
        }
    }

    private func record(_ session: CaptureSession) async throws -> CaptureAnswer {
        showWaiting()
        let pictures = try await openCamera(.front)
        defer { camera.close() }
        let stage = FaceStage(
            word: texts["capture_loading"], preview: texts["capture_preview"],
            buttons: [button("capture_cannot_now", .cannot), cancelButton])
        var isCanceled = false
        colors = LightShow()
        let light = Task { await showColors(of: session) }
        defer { light.cancel() }
        let last: CaptureAnswer? = try await whileShowing(
            .face(stage),
            handle: { [self] choice in
                switch choice {
                case .cannot:
                    change { $0.note = texts["capture_cannot_end"] }
                    return false
                case .cancel, .stop:
                    isCanceled = true
                    return true
                default: return false
                }
            },
            { [self] in
                let first = try await session.status(), isLive = first.isLive
                let frames = pictures.frames(
                    side: isLive ? 640 : 1280, quality: isLive ? 0.85 : 0.9,
                    every: .milliseconds(isLive ? 100 : 400))
                var last: CaptureAnswer?
                for try await answer in session.updates(of: frames) {
                    if answer.isLive || last != nil { update(answer) }
                    last = answer
                }
                return last
            })
        if isCanceled { throw CancellationError() }
        guard let last, !last.isOpen else {
            // The camera stopped, so that no frame came any more.
            camera.close()
            let status = try await request { try await session.status() }
            guard status.isOpen else { return status }
            try await confirmRetry(texts["camera_busy"])
            return status
        }
        return last
    }

    /// Fills the screen with the colors of the session, until the task is canceled.
    private func showColors(of session: CaptureSession) async {
        while !Task.isCancelled {
            if let time = await session.elapsed {
                let color = colors.color(at: time)
                if case .face(let stage) = screen, stage.color != color {
                    change { $0.color = color }
                }
            }
            await pause(.milliseconds(25))
        }
    }

    private func update(_ answer: CaptureAnswer) {
        colors.note(answer)
        let name = answer.guidance.first?.rawValue ?? answer.action?.rawValue ?? "wait"
        change {
            $0.word = texts.word(name, "action_", "guidance_")
            $0.sign = CaptureAction(rawValue: name)
            $0.progress = answer.progress ?? 0
        }
    }

    private func change(_ body: (inout FaceStage) -> Void) {
        guard case .face(var stage) = screen else { return }
        body(&stage)
        show(.face(stage))
    }

    // MARK: The verdict

    private func verdict(_ answer: CaptureAnswer) async throws -> FaceEnd {
        switch answer.status {
        case .known(.cancelled): return .canceled
        case .known(.passed):
            show(.page(CapturePage(sign: .success, title: texts["capture_passed_title"])))
            onSuccess()
            await pause(.seconds(1))
            return .passed
        default:
            let reasons = answer.reasons?.map(\.rawValue) ?? []
            _ = await ask(
                CapturePage(
                    sign: .failure, title: texts["capture_failed_title"],
                    lines: [texts.word(reasons.first ?? "other", "refusal_")],
                    buttons: [button("button_continue", .goOn, .primary)]))
            return .failed(reasons)
        }
    }
}
