import MienAPI
import MienCore
import Testing

@testable import MienServer

@Suite("Pages of steps")
struct StepPageTests {
    /// The values of a step's page, in English.
    static func values(
        _ step: String, data: JSONValue = [:], options: [String: JSONValue],
        flow change: (inout SignInFlow) -> Void = { _ in },
        offersPasskeys: Bool = false
    ) throws -> [String: PageValue] {
        var wires: [String: ClientOptionWire] = [:]
        for (id, option) in options {
            wires[id] = ClientOptionWire(
                type: WireValue(rawValue: option["type"]?.stringValue ?? "client_input"),
                label: option["label"]?.stringValue ?? id, schema: option["schema"])
        }
        let answer = JourneyAnswer(
            state: "s", journeyStepID: WireValue(rawValue: step), data: data,
            clientResponseOptions: wires, expiresAt: 0)
        var flow = SignInFlow(
            app: try #require(AppID("shop")), goal: .page(path: "/account"),
            journey: try #require(JourneyID("sign-in")), browser: "b", stage: .step(answer))
        change(&flow)
        let languages = try WebLanguages()
        return StepPage(
            answer: answer, flow: flow,
            texts: PageTexts(languages.all[0], in: languages, own: [:]),
            offersPasskeys: offersPasskeys
        ).values
    }

    static func schema(_ properties: [String: JSONValue], required: [String] = []) -> JSONValue {
        ["properties": .object(properties), "required": .array(required.map { .string($0) })]
    }

    static let branches: JSONValue = [
        "branches": [
            ["id": "password", "kind": "password"], ["id": "face", "kind": "face"],
            ["id": "passkey", "kind": "passkey"], ["id": "device", "kind": "native_biometrics"],
        ]
    ]
    static let login: [String: JSONValue] = [
        "password": [
            "type": "custom", "label": "Password",
            "schema": [
                "properties": [
                    "username": ["type": "string", "format": "username", "title": "User name"],
                    "password": [
                        "type": "string", "format": "password", "title": "Password",
                        "maxLength": 256, "writeOnly": true,
                    ],
                ], "required": ["username", "password"],
            ],
        ],
        "face": [
            "type": "custom", "label": "Face",
            "schema": [
                "properties": ["user_identifier": ["type": "string", "format": "username"]],
                "required": ["user_identifier"],
            ],
        ],
        "passkey": ["type": "custom", "label": "Passkey"],
        "device": ["type": "custom", "label": "This device"],
        "cancel": ["type": "cancel", "label": "Cancel"],
    ]

    @Test("a login form shows its first branch, and the others as ways")
    func login() throws {
        let values = try Self.values("loginForm", data: Self.branches, options: Self.login)
        #expect(values["form"]?["id"]?.text == "password")
        #expect(values["form"]?["label"]?.text == "Sign in")
        let fields = values["form"]?["fields"]?.items ?? []
        #expect(fields.map { $0["name"]?.text } == ["f_username", "f_password"])
        #expect(
            fields.map { $0["autocomplete"]?.text } == ["username webauthn", "current-password"])
        #expect(values["ways"]?.items?.map { $0["id"]?.text } == ["face"])
        #expect(values["passkey"]?.flag == false)
    }

    @Test("the branch that the person chose is shown, with the name that was entered")
    func chosen() throws {
        let values = try Self.values(
            "loginForm", data: Self.branches, options: Self.login,
            flow: {
                $0.branch = "face"
                $0.hint = "ada"
                $0.faults = ["user_identifier"]
            }, offersPasskeys: true)
        let field = values["form"]?["fields"]?.items?.first
        #expect(field?["value"]?.text == "ada" && field?["fault"]?.flag == true)
        #expect(field?["autofocus"]?.flag == false)
        #expect(values["ways"]?.items?.map { $0["id"]?.text } == ["password"])
        #expect(values["passkey"]?.flag == true)
    }

    @Test("steps that need an app say so, and offer the journey's way without one")
    func needsApp() throws {
        let values = try Self.values(
            "nativeBiometricsAuthentication",
            options: [
                "client_input": ["label": "Continue"], "fail": ["type": "fail", "label": "Other"],
            ])
        #expect(values["needs_app"]?.flag == true && values["form"]?.flag == false)
        #expect(values["ways"]?.items?.contains { $0["id"]?.text == "fail" } == true)
    }

    @Test(
        "each step has a title of its own, unless the journey sets one",
        arguments: [
            "loginForm", "emailOTPAuthentication", "otpAuthentication", "otpRegistration",
            "otpTransactionApproval", "waitForTime", "recordConsent", "selfieAcquisition",
        ])
    func titles(step: String) throws {
        let languages = try WebLanguages()
        for language in languages.all {
            let texts = PageTexts(language, in: languages, own: [:])
            for own in [JSONValue.object([:]), ["title": "Ours <b>"]] {
                let answer = JourneyAnswer(
                    state: "s", journeyStepID: WireValue(rawValue: step), data: own, expiresAt: 0)
                let page = StepPage(
                    answer: answer,
                    flow: SignInFlow(
                        app: try #require(AppID("shop")), goal: .page(path: "/"),
                        journey: try #require(JourneyID("sign-in")), browser: "b",
                        stage: .step(answer)), texts: texts, offersPasskeys: false)
                if own["title"] != nil {
                    #expect(page.title == "Ours <b>")
                } else {
                    #expect(page.title.count > 3 && !page.title.contains("_"), "\(language.tag)")
                }
            }
        }
    }

    @Test("an unknown step is a form of its options")
    func unknown() throws {
        let values = try Self.values(
            "somethingNew",
            options: [
                "client_input": [
                    "label": "Send",
                    "schema": Self.schema([
                        "amount": ["type": "number", "title": "Amount"],
                        "agree": ["type": "boolean", "title": "I agree"],
                    ]),
                ]
            ])
        let fields = values["form"]?["fields"]?.items ?? []
        #expect(fields.map { $0["is_checkbox"]?.flag } == [true, false])
        #expect(fields.map { $0["is_number"]?.flag } == [false, true])
        #expect(fields.last?["type"]?.text == "number" && fields.last?["is_plain"]?.flag == true)
        #expect(values["form"]?["label"]?.text == "Send")
    }
}

@Suite("Fields of steps")
struct StepFieldTests {
    struct Case: Sendable {
        let schema: JSONValue
        var name = "x", isSignIn = true
        let type, autocomplete: String
        var section = "is_plain"
    }

    static let cases = [
        Case(schema: ["type": "string"], type: "text", autocomplete: "off"),
        Case(
            schema: ["type": "string", "writeOnly": true], type: "password", autocomplete: "off",
            section: "is_password"),
        Case(
            schema: ["type": "string", "format": "password"], type: "password",
            autocomplete: "current-password", section: "is_password"),
        Case(
            schema: ["type": "string", "format": "password", "autocomplete": "new-password"],
            type: "password", autocomplete: "new-password", section: "is_password"),
        Case(
            schema: ["type": "string", "format": "password"], isSignIn: false, type: "password",
            autocomplete: "new-password", section: "is_password"),
        Case(
            schema: ["type": "string", "format": "email", "writeOnly": true], type: "email",
            autocomplete: "email"),
        Case(
            schema: ["type": "string", "format": "username"], type: "text",
            autocomplete: "username webauthn"),
        Case(
            schema: ["type": "string", "format": "username", "autocomplete": "username"],
            type: "text", autocomplete: "username"),
        Case(schema: ["type": "string", "format": "phone"], type: "tel", autocomplete: "tel"),
        Case(schema: ["type": "string", "format": "date"], type: "date", autocomplete: "bday"),
        Case(
            schema: ["type": "string", "format": "code"], type: "text",
            autocomplete: "one-time-code", section: "is_code"),
        Case(schema: ["type": "number"], type: "number", autocomplete: "off"),
        Case(
            schema: ["type": "boolean"], type: "text", autocomplete: "off", section: "is_checkbox"),
    ]

    @Test(
        "an input has the type, the autofill, and the part of the template that its schema asks for",
        arguments: cases)
    func kinds(_ expected: Case) throws {
        let languages = try WebLanguages()
        let values = StepField(
            name: expected.name, schema: expected.schema, isRequired: true, isFirst: true,
            isSignIn: expected.isSignIn, hint: nil, typed: nil, isFaulty: false
        ).values(PageTexts(languages.all[0], in: languages, own: [:]))
        #expect(values["type"]?.text == expected.type)
        #expect(values["autocomplete"]?.text == expected.autocomplete)
        for section in ["is_plain", "is_code", "is_password", "is_checkbox"] {
            #expect(values[section]?.flag == (section == expected.section), "\(section)")
        }
    }
}

extension PageValue {
    subscript(key: String) -> PageValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var items: [PageValue]? { if case .list(let items) = self { items } else { nil } }
}
