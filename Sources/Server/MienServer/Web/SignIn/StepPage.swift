internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Turns what a journey asks into what the step's template shows. Steps that it does not know are
/// shown as forms of their options.
struct StepPage {
    let answer: JourneyAnswer
    let flow: SignInFlow
    let texts: PageTexts
    /// Whether the page offers passkeys beside the journey's own ways.
    let offersPasskeys: Bool

    /// Steps that need an app on a device with its own keys.
    private static let appSteps: Set<JourneyStepName> = [
        .registerNativeBiometrics, .nativeBiometricsAuthentication,
        .nativeBiometricsTransactionSigning, .deleteMobileBiometrics,
    ]
    /// Steps that need the camera.
    static let captureSteps: Set<JourneyStepName> = [.selfieAcquisition, .identityVerification]

    private var step: JourneyStepName? { JourneyStepName(spelling: answer.journeyStepID.rawValue) }

    var isCapture: Bool { step.map(Self.captureSteps.contains) ?? false }

    /// The start token of a step with a capture.
    var startToken: String? {
        answer.data?["start_token"]?.stringValue
            ?? answer.data?["payload"]?["start_token"]?.stringValue
    }

    var title: String {
        if let own = answer.data?["title"]?.stringValue, !own.isEmpty { return own }
        switch step {
        case .loginForm: return texts(flow.stepUp == nil ? "signin_title" : "account_again_title")
        case .emailOTPAuthentication: return texts("signin_email_code_title")
        case .otpAuthentication: return texts("signin_code_title")
        case .otpRegistration: return texts("signin_register_code_title")
        case .otpTransactionApproval, .otpTransactionSigning: return texts("signin_approve_title")
        case .waitForTime: return texts("signin_wait_title")
        case .recordConsent: return texts("signin_consent_title")
        case .selfieAcquisition, .identityVerification: return texts("signin_face_title")
        case let step? where Self.appSteps.contains(step): return texts("signin_app_needed_title")
        default: return texts("signin_continue_title")
        }
    }

    private var options: [(id: String, option: ClientOptionWire)] {
        // Branches of a login form in the order of their definition, the others by name.
        let order = (answer.data?["branches"]?.arrayValue ?? []).compactMap {
            $0["id"]?.stringValue
        }
        return answer.clientResponseOptions.sorted { a, b in
            let (left, right) = (rank(a, order), rank(b, order))
            return left == right ? a.key < b.key : left < right
        }.map { ($0.key, $0.value) }
    }

    private func rank(_ option: (key: String, value: ClientOptionWire), _ order: [String]) -> Int {
        switch kind(option.value) {
        case .clientInput: 0
        case .custom: 1 + (order.firstIndex(of: option.key) ?? 100)
        case .resend: 200
        case .fail: 300
        case .cancel: 400
        case nil: 500
        }
    }

    private func kind(_ option: ClientOptionWire) -> ClientOptionType? {
        ClientOptionType(spelling: option.type.rawValue)
    }

    /// The kind of a login form's branch: `password`, `face`, ….
    private func branchKind(_ id: String) -> String? {
        (answer.data?["branches"]?.arrayValue ?? []).first { $0["id"]?.stringValue == id }?["kind"]?
            .stringValue
    }

    // MARK: Values

    var values: [String: PageValue] {
        let needsApp = step.map(Self.appSteps.contains) ?? false
        // Without the app, the journey's branch for a failure is the way on.
        let shown = options.filter { kind($0.option) != .fail || needsApp }
        let withFields = needed(
            shown.filter { kind($0.option) != .cancel && kind($0.option) != .resend })
        let selected = selected(among: withFields)
        var values: [String: PageValue] = [
            "turn": .text("\(flow.turn)"),
            "complaint": .optional(flow.complaint.map { texts($0) } ?? ownComplaint),
            "paragraphs": .list(paragraphs.map { .text($0) }),
            "facts": .list(facts), "has_facts": .flag(!facts.isEmpty),
            "needs_app": .flag(needsApp),
            "form": needsApp ? false : selected.map(form) ?? false,
            "ways": .list(
                withFields.filter {
                    $0.id != selected?.id
                        && !["passkey", "native_biometrics"].contains(branchKind($0.id) ?? "")
                }.map {
                    [
                        "id": .text($0.id), "label": .text(wayLabel($0)),
                        "is_direct": .flag(!hasFields($0.option)),
                    ]
                }),
            "passkey": .flag(offersPasskeys && step == .loginForm),
            "resend": option(.resend).map { ["id": .text($0)] } ?? false,
            "cancel": option(.cancel).map {
                [
                    "id": .text($0),
                    "label": .text(
                        texts(step == .recordConsent ? "button_decline" : "button_not_now")),
                ]
            } ?? false,
            "is_login": .flag(step == .loginForm),
            // The code may never come, and the mail says why.
            "restarts": .flag(step == .emailOTPAuthentication && flow.grant == nil),
            "polls": .flag(step == .waitForTime || step == .otpTransactionApproval),
        ]
        let passkey = offersPasskeys && step == .loginForm
        var hasWays = passkey
        if case .list(let ways)? = values["ways"], !ways.isEmpty { hasWays = true }
        values["has_ways"] = .flag(hasWays && !isCapture)
        if let code = answer.data?["registration_code"]?.stringValue {
            values["registration_code"] = .text(code)
        }
        if let code = answer.data?["approval_code"]?.stringValue {
            values["approval_code"] = .text(code)
        }
        if let secret = answer.data?["transaction_challenge"]?.stringValue {
            values["challenge"] = .text(secret)
        }
        return values
    }

    /// Leaves out the branches that a step-up has no use for.
    private func needed(_ all: [(id: String, option: ClientOptionWire)]) -> [(
        id: String, option: ClientOptionWire
    )] {
        guard let ways = flow.stepUp?.ways, step == .loginForm else { return all }
        let left = all.filter { item in
            guard let kind = branchKind(item.id), kind != "custom" else { return true }
            return ways.contains { $0.rawValue == kind }
        }
        return left.isEmpty && !offersPasskeys ? all : left
    }

    /// The option whose form is shown.
    private func selected(among all: [(id: String, option: ClientOptionWire)]) -> (
        id: String, option: ClientOptionWire
    )? {
        let usable = all.filter { branchKind($0.id) != "native_biometrics" }
        return usable.first { $0.id == flow.branch }
            ?? usable.first { branchKind($0.id) != "passkey" }
    }

    /// The branch of a login form that is shown.
    private var shownBranch: String? {
        selected(among: needed(options.filter { kind($0.option) == .custom }))?.id
    }

    func option(_ wanted: ClientOptionType) -> String? {
        options.first { kind($0.option) == wanted }?.id
    }

    /// The error that the journey itself reports: a wrong code, or the failure before.
    private var ownComplaint: String? {
        let code =
            answer.data?["error"]?["code"]?.stringValue ?? answer.errorData?["code"]?.stringValue
        // An answer that came too early is not a failure, so show no complaint.
        guard let code, code != "not_yet" else { return nil }
        if code == "invalid_credentials", flow.wasCapture == true {
            return texts("error_face_not_recognized")
        }
        let key = "error_\(code)"
        return texts(texts.has(key) ? key : "error_failed")
    }

    /// Whether an option of a login form leads to a capture of the face.
    func asksForFace(_ option: String) -> Bool {
        step == .loginForm && branchKind(option) == "face"
    }

    /// Texts of the journey, by line.
    private var paragraphs: [String] {
        var text = answer.data?["text"]?.stringValue ?? ""
        if step == .recordConsent { text = texts.translation(ofConsent: text) }
        var lines = text.split(separator: "\n").map(String.init)
        if let stepUp = flow.stepUp, step == .loginForm {
            lines.append(texts("stepup_text", ["ways": texts.ways(stepUp.ways.map { [$0] })]))
        }
        switch step {
        case .loginForm where flow.stepUp == nil && shownBranch.map(asksForFace) == true:
            lines.append(texts("signin_face_text"))
        case .emailOTPAuthentication: lines.append(texts("signin_email_code_text"))
        case .otpTransactionApproval: lines.append(texts("signin_approve_text"))
        case .otpRegistration: lines.append(texts("signin_register_code_text"))
        case .otpTransactionSigning: lines.append(texts("signin_sign_text"))
        default: break
        }
        return lines
    }

    /// The data of a transaction.
    private var facts: [PageValue] {
        (answer.data?["approval_data"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map {
            ["name": .text($0.key), "value": .text($0.value.stringValue ?? "")]
        }
    }

    private func wayLabel(_ item: (id: String, option: ClientOptionWire)) -> String {
        if kind(item.option) == .fail { return texts("signin_way_other") }
        let key = "signin_way_\(branchKind(item.id) ?? "")"
        return isStandard(item) && texts.has(key) ? texts(key) : item.option.label
    }

    /// Whether a label is the journey format's own, which is English.
    private func isStandard(_ item: (id: String, option: ClientOptionWire)) -> Bool {
        [
            "Password", "Face", "Passkey", "Code by email", "This device", "Code from a token",
            "Other",
        ].contains(item.option.label)
    }

    private func hasFields(_ option: ClientOptionWire) -> Bool {
        !(option.schema?["properties"]?.objectValue ?? [:]).isEmpty
    }

    // MARK: Forms

    private func form(_ item: (id: String, option: ClientOptionWire)) -> PageValue {
        let schema = item.option.schema
        let required = (schema?["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let properties = schema?["properties"]?.objectValue ?? [:]
        let names =
            required.filter { properties[$0] != nil }
            + properties.keys.filter { !required.contains($0) }.sorted()
        let setsPassword = properties.values.contains { $0["autocomplete"] == "new-password" }
        let fields = names.enumerated().map { index, name in
            StepField(
                name: name, schema: properties[name] ?? .null,
                isRequired: required.contains(name), isFirst: index == 0,
                isSignIn: step == .loginForm, hint: flow.hint,
                typed: step == .loginForm ? flow.typed?[name] : nil,
                isFaulty: flow.faults.contains(name), setsPassword: setsPassword
            ).values(texts)
        }
        return [
            "id": .text(item.id), "fields": .list(fields), "label": .text(buttonLabel(item)),
        ]
    }

    private func buttonLabel(_ item: (id: String, option: ClientOptionWire)) -> String {
        switch branchKind(item.id) {
        case "password" where isStandard(item): texts("button_sign_in")
        case .some where isStandard(item): texts("button_continue")
        default:
            switch item.option.label {
            case "Continue", "Done", "Submit": texts("button_continue")
            case "I consent": texts("button_agree")
            default: item.option.label
            }
        }
    }
}
