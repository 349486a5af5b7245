internal import MienAPI
internal import MienClient
internal import MienIdentity

/// A session with a document. The server knows how far it is; it is asked after each step.
extension CaptureFlow {
    func documents(_ session: DocumentSession) async throws -> CaptureOutcome {
        var skipsTilt = false
        /// A step that the person chose, instead of the next one.
        var chosen: DocumentStep?
        var shownRecapture: VerificationSessionAnswer.Recapture?
        /// Refusals in a row. More are not about the step.
        var refusals = 0
        while true {
            do {
                showWaiting()
                let answer = try await request { try await session.status() }
                let next = DocumentSession.step(of: answer, skipsTilt: skipsTilt)
                if let recapture = answer.recapture, answer.status == .known(.recapture),
                    next != .submit, recapture != shownRecapture
                {
                    shownRecapture = recapture
                    if try await again(recapture) == .otherDocument { chosen = .chooseDocument }
                }
                let step = chosen ?? next
                chosen = nil
                switch step {
                case .consent: try await consent(session, answer)
                case .chooseDocument:
                    try await chooseDocument(session, answer)
                    skipsTilt = false
                case .picture(let side):
                    let type = answer.documentType.flatMap {
                        IdentityDocumentType(rawValue: $0.rawValue)
                    }
                    let page = SidePage(
                        side: side, type: type ?? .idCard, step: number(of: side, answer))
                    switch side == .documentTilt
                        ? try await tilt(session, page) : try await picture(session, page)
                    {
                    case .taken: onSuccess()
                    case .skipped: skipsTilt = true
                    case .otherDocument: chosen = .chooseDocument
                    }
                case .selfie: try await selfie(session)
                case .submit:
                    switch await ask(.page(check(answer))) {
                    case .goOn:
                        showWaiting()
                        _ = try await request { try await session.submit() }
                    case .otherDocument: chosen = .chooseDocument
                    case .retake(let side):
                        if side == .documentTilt { skipsTilt = false }
                        chosen = .picture(side)
                    default: throw CancellationError()
                    }
                case .processing:
                    show(.waiting(texts["document_processing_title"]))
                    _ = try await request { try await session.judged() }
                case .complete:
                    show(
                        .page(
                            CapturePage(
                                sign: .success, title: texts["document_done_title"],
                                lines: [texts["document_done_text", ["app": answer.appName]]])))
                    onSuccess()
                    await pause(.milliseconds(1500))
                    return .completed
                case .canceled: return .canceled
                case .expired:
                    return .failed(
                        MienError(.noActiveJourney, "The verification session has expired."))
                }
                refusals = 0
            } catch is CancellationError {
                if await stops() {
                    _ = try? await Task { try await session.cancel() }.value
                    return .canceled
                }
            } catch let error as MienError where error.changesStep && refusals < 3 {
                // The session is at another step than this screen; the loop asks for it.
                refusals += 1
            }
        }
    }

    /// Asks whether the person means it: photos that were taken would be lost.
    private func stops() async -> Bool {
        let choice = await ask(
            CapturePage(
                sign: .wait, title: texts["document_cancel_title"],
                lines: [texts["document_cancel_text"]],
                buttons: [
                    button("document_cancel_no", .goOn, .primary),
                    button("document_cancel_yes", .stop, .destructive),
                ]))
        return choice != .goOn
    }

    // MARK: Consent and document

    private func consent(_ session: DocumentSession, _ answer: VerificationSessionAnswer)
        async throws
    {
        guard let text = answer.consent else { return }
        try await agree(
            title: texts["document_heading"], text: text.content,
            button: texts["document_consent_agree"])
        _ = try await request { try await session.giveConsent(to: text) }
    }

    private func chooseDocument(_ session: DocumentSession, _ answer: VerificationSessionAnswer)
        async throws
    {
        let choice = await ask(.documents(choices(answer)))
        guard case .document(let country, let type) = choice else { throw CancellationError() }
        showWaiting()
        _ = try await request { try await session.choose(country: country, type: type) }
    }

    private func choices(_ answer: VerificationSessionAnswer) -> DocumentChoices {
        var kinds: [String: [DocumentChoices.Kind]] = [:]
        for document in answer.supportedDocuments {
            guard let type = IdentityDocumentType(rawValue: document.documentType.rawValue) else {
                continue
            }
            for country in document.countries {
                kinds[country, default: []].append(
                    .init(type: type, name: texts["document_type_\(type.rawValue)"]))
            }
        }
        let countries = kinds.keys.map {
            DocumentChoices.Country(code: $0, name: texts.country($0))
        }
        .sorted { ($0.name, $0.code) < ($1.name, $1.code) }
        let likely = answer.country ?? country.flatMap { kinds[$0] == nil ? nil : $0 }
        return DocumentChoices(
            title: texts["document_choose_title"], countryLabel: texts["document_choose_country"],
            typeLabel: texts["document_choose_type"], none: texts["document_choose_country_none"],
            noType: texts["document_choose_type_missing"],
            countries: countries, kinds: kinds,
            country: likely ?? (countries.count == 1 ? countries[0].code : nil),
            type: answer.documentType.flatMap { IdentityDocumentType(rawValue: $0.rawValue) },
            goOn: button("button_continue", .goOn, .primary), cancel: cancelButton)
    }

    // MARK: Another picture, face, check

    private func again(_ recapture: VerificationSessionAnswer.Recapture) async throws
        -> CaptureChoice
    {
        let isFace = recapture.image == .known(.selfie), hint = recapture.hints?.first
        let lines =
            isFace
            ? [texts["document_reason_selfie"]] : texts.reasons(recapture.reasons, hint: hint)
        var buttons = [
            button(isFace ? "button_continue" : "document_again", .goOn, .primary)
        ]
        if !isFace, isOfDocument(recapture.reasons) {
            let label = CaptureTexts.isOfChoice(hint) ? "document_other_choice" : "document_other"
            buttons.append(button(label, .otherDocument, .secondary))
        }
        let choice = await ask(
            CapturePage(
                sign: .wait, title: texts["document_again_title"], lines: lines,
                buttons: buttons + [cancelButton]))
        guard choice == .goOn || choice == .otherDocument else { throw CancellationError() }
        return choice
    }

    /// Whether another picture of the same document does not help.
    func isOfDocument(_ reasons: [String]) -> Bool {
        reasons.contains {
            ["document_expired", "document_not_supported", "document_damaged"].contains(
                CaptureTexts.reasonNames[$0] ?? $0)
        }
    }

    private func selfie(_ session: DocumentSession) async throws {
        showWaiting()
        let capture = try await request { try await session.startSelfie() }
        guard try await face(capture) != .passed else { return }
        let choice = await ask(
            CapturePage(
                sign: .face, title: texts["document_face_title"],
                lines: [texts["document_face_missing"]],
                buttons: [button("button_retry", .retry, .primary), cancelButton]))
        guard choice == .retry else { throw CancellationError() }
    }

    /// "Step 1 of 3", among the pictures and the face.
    private func number(of side: SessionPicture, _ answer: VerificationSessionAnswer) -> String {
        let steps = parts(answer), index = steps.firstIndex(of: side) ?? 0
        return texts["document_step", ["step": "\(index + 1)", "count": "\(steps.count)"]]
    }

    /// The pictures of the session in the order in which they are taken.
    private func parts(_ answer: VerificationSessionAnswer) -> [SessionPicture] {
        var steps: [SessionPicture] = []
        if answer.required.contains(.known(.document)) {
            steps.append(.documentFront)
            if answer.required.contains(.known(.documentLive)) { steps.append(.documentTilt) }
            if answer.documentType != .known(.passport) { steps.append(.documentBack) }
        }
        if answer.required.contains(.known(.selfie)) { steps.append(.selfie) }
        return steps
    }

    private func check(_ answer: VerificationSessionAnswer) -> CapturePage {
        let isPassport = answer.documentType == .known(.passport)
        var rows: [CapturePage.Row] = []
        if let type = answer.documentType {
            rows.append(
                .init(
                    title: texts["document_type_\(type.rawValue)"],
                    detail: texts.country(answer.country ?? ""),
                    button: button("document_change", .otherDocument)))
        }
        for part in parts(answer) {
            let isTaken = !answer.missingImages.contains(.known(part))
            let name =
                switch part {
                case .documentFront: isPassport ? "document_side_passport" : "document_side_front"
                case .documentBack: "document_side_back"
                case .documentTilt: "document_side_tilt"
                case .selfie: "document_face"
                }
            rows.append(
                .init(
                    title: texts[name],
                    detail: texts[isTaken ? "document_taken" : "document_tilt_left_out"],
                    button: part == .selfie ? nil : button("document_retake", .retake(part))))
        }
        return CapturePage(
            title: texts["document_check_title"], lines: [texts["document_check_text"]], rows: rows,
            buttons: [button("document_send", .goOn, .primary), cancelButton])
    }
}

extension MienError {
    /// Whether the server refused because the session is at another step.
    fileprivate var changesStep: Bool {
        [400, 409, 422].contains(problem?.status ?? 0)
    }
}
