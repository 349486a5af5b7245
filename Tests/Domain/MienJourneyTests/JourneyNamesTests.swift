import MienAPI
import MienCore
import Testing

@testable import MienJourney

@Suite("Names on the wire")
struct JourneyNamesTests {
    @Test(
        "each type of step has its wire name",
        arguments: [
            (.loginForm, "loginForm"), (.selfieAcquisition, "selfieAcquisition"),
            (.identityVerification, "identityVerification"),
            (.registerNativeBiometrics, "registerNativeBiometrics"),
            (.authenticateNativeBiometrics, "nativeBiometricsAuthentication"),
            (.transactionSigningNativeBiometrics, "nativeBiometricsTransactionSigning"),
            (.deleteNativeBiometrics, "deleteMobileBiometrics"),
            (.information, "information"), (.emailOTPAuthentication, "emailOTPAuthentication"),
            (.recordConsent, "recordConsent"),
            (.registerOTP, "otpRegistration"), (.authenticateOTP, "otpAuthentication"),
            (.transactionSigningOTP, "otpTransactionSigning"),
            (.transactionApprovalOTP, "otpTransactionApproval"), (.waitForTime, "waitForTime"),
        ] as [(StepType, String)])
    func sent(type: StepType, name: String) throws {
        #expect(type.wireName?.rawValue == name)
        #expect(JourneyStepName(spelling: name)?.rawValue == name)
        let definition = try JourneyDefinition(
            DefinitionTests.step(type.rawValue, .object(DefinitionTests.least[type] ?? [:])))
        #expect(definition.steps[StepID("s")!]?.isClientFacing == true)
    }

    @Test("types without a wire name never ask the client")
    func silent() throws {
        for type in StepType.allCases where type.wireName == nil {
            let definition = try JourneyDefinition(
                DefinitionTests.step(type.rawValue, .object(DefinitionTests.least[type] ?? [:])))
            #expect(definition.steps[StepID("s")!]?.isClientFacing == false, "\(type)")
        }
    }

    @Test(
        "aliases are accepted",
        arguments: [
            ("nativeBiometricsRegistration", "registerNativeBiometrics"),
            ("nativeBiometricsAuthenticaton", "nativeBiometricsAuthentication"),
            ("action:success", "success"), ("action:rejection", "rejection"),
            ("action:information", "information"),
            ("action:id_verification", "identityVerification"),
            ("transmit_platform_email_otp_authentication", "emailOTPAuthentication"),
            ("deleteNativeBiometrics", "deleteMobileBiometrics"),
            ("genericOTPAuthentication", "otpAuthentication"),
            ("totpSigningTransaction", "otpTransactionSigning"),
        ])
    func aliases(alias: String, name: String) {
        #expect(JourneyStepName(spelling: alias)?.rawValue == name)
    }

    @Test("unknown names are not step names", arguments: ["", "LoginForm", "custom", "nonsense"])
    func unknown(name: String) { #expect(JourneyStepName(spelling: name) == nil) }

    @Test(
        "each option has its ID and aliases",
        arguments: [
            ("client_input", .clientInput), ("clientInput", .clientInput), ("cancel", .cancel),
            ("fail", .fail), ("failure", .fail),
            ("action_failure", .fail), ("resend", .resend), ("custom", .custom),
        ] as [(String, ClientOptionType)])
    func options(id: String, kind: ClientOptionType) {
        #expect(ClientOptionType(spelling: id) == kind)
        #expect(Outcome.reservedNames.contains(id), "no branch can have this name")
    }

    @Test("a custom branch is chosen by its ID, or by custom with the ID in its data")
    func customBranch() throws {
        let journey: JSONValue = [
            "id": "j", "version": 1, "title": "J", "start": "s",
            "steps": [
                "s": [
                    "type": "information",
                    "config": [
                        "text": "Hi", "branch_output_variable": "out",
                        "custom_branches": [
                            [
                                "id": "more",
                                "schema": [
                                    "properties": ["what": ["type": "string"]],
                                    "required": ["what"],
                                ],
                            ]
                        ],
                    ], "on": ["next": "end", "more": "end"],
                ],
                "end": [
                    "type": "complete_journey",
                    "config": [
                        "user_auth_state": "none",
                        "claims": ["what": "has(out) ? out.what : 'nothing'"],
                    ],
                ],
            ],
        ]
        for (option, data): (String, JSONValue) in [
            ("more", ["what": "tea"]), ("custom", ["branch_id": "more", "what": "tea"]),
            ("custom", ["branchId": "more", "what": "tea"]),
        ] {
            var play = try Play(journey)
            _ = try play.start()
            #expect(try play.respond(option, data).completion?.claims == ["what": "tea"])
        }
        var play = try Play(journey)
        _ = try play.start()
        for (option, data): (String, JSONValue) in [
            ("custom", ["what": "tea"]), ("custom", .null), ("custom", ["branch_id": "cancel"]),
            ("custom", ["branch_id": "less"]), ("more", .null),
            ("less", .null), ("fail", .null), ("resend", .null), ("success", .null),
            ("client_input", ["what": "tea"]),
        ] {
            let before = play.run
            let error = #expect(throws: JourneyClientError.self) { try play.respond(option, data) }
            #expect(
                error?.code == .clientResponseNotValid && !(error?.problems.isEmpty ?? true),
                "\(option)")
            #expect(play.run == before)
        }
        #expect(try play.respond("clientInput").completion?.claims == ["what": "nothing"])
    }
}
