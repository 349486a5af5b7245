import Foundation
import MienAPI
import MienCore
import MienIdentity
import MienJourney
import MienStore
import Testing

@testable import MienServer

/// Checks each wire type against its schema and the schema's examples: encoded members and required
/// members.
@Suite("Wire types and their schemas")
struct WireTypeTests {
    @Test("requests")
    func requests() throws {
        try check(StartJourneyRequest.self, StartJourneyRequest.CodingKeys.self)
        try check(RespondRequest.self, RespondRequest.CodingKeys.self)
        try check(AppRequest.self, AppRequest.CodingKeys.self)
        try check(AdministratorRequest.self, AdministratorRequest.CodingKeys.self)
        try check(AdministratorRoleRequest.self, AdministratorRoleRequest.CodingKeys.self)
        try check(UserRequest.self, UserRequest.CodingKeys.self)
        try check(RegistrationOptionsRequest.self, RegistrationOptionsRequest.CodingKeys.self)
        try check(SignInOptionsRequest.self, SignInOptionsRequest.CodingKeys.self)
        try check(OTPRegistrationRequest.self, OTPRegistrationRequest.CodingKeys.self)
        try check(RedeemOTPRequest.self, RedeemOTPRequest.CodingKeys.self)
        try check(ConfirmOTPRequest.self, ConfirmOTPRequest.CodingKeys.self)
        try check(OTPChallengeRequest.self, OTPChallengeRequest.CodingKeys.self)
        try check(OTPVerificationRequest.self, OTPVerificationRequest.CodingKeys.self)
        try check(ProductKeyRequest.self, ProductKeyRequest.CodingKeys.self)
        try check(CheckJourneyRequest.self, CheckJourneyRequest.CodingKeys.self)
        try check(JourneyCodeRequest.self, JourneyCodeRequest.CodingKeys.self)
        try check(WebhookTestRequest.self, WebhookTestRequest.CodingKeys.self)
        try check(MailTestRequest.self, MailTestRequest.CodingKeys.self)
        try check(StartJourneyTrialRequest.self, StartJourneyTrialRequest.CodingKeys.self)
        try check(DuplicateDecisionRequest.self, DuplicateDecisionRequest.CodingKeys.self)
        try check(LicenseRequest.self, LicenseRequest.CodingKeys.self)
        try check(CancelRecoveryRequest.self, CancelRecoveryRequest.CodingKeys.self)
        try check(CaptureConsentRequest.self, CaptureConsentRequest.CodingKeys.self)
        try check(CaptureAccommodationRequest.self, CaptureAccommodationRequest.CodingKeys.self)
        try check(CaptureLightRequest.self, CaptureLightRequest.CodingKeys.self)
        // Its values are hidden from mirrors.
        #expect(
            try APIDocument.schema("SetPasswordRequest")["properties"]?.names
                == Set(SetPasswordRequest.CodingKeys.allCases.map(\.rawValue)))
        for name in [
            "AdministratorRequest", "AdministratorRoleRequest", "ProductKeyRequest",
            "CheckJourneyRequest", "JourneyCodeRequest", "SimulateJourneyRequest",
            "WebhookTestRequest", "MailTestRequest",
            "StartJourneyTrialRequest", "AnswerJourneyTrialRequest",
            "DuplicateDecisionRequest",
            "LicenseRequest", "OTPRegistrationRequest",
            "RedeemOTPRequest",
            "StartJourneyRequest", "RespondRequest",
            "AppRequest", "UserRequest", "NewUserRequest",
            "RegistrationOptionsRequest", "CancelRecoveryRequest",
            "SignInOptionsRequest", "CaptureConsentRequest", "CaptureAccommodationRequest",
            "SetPasswordRequest",
            "ConfirmOTPRequest", "OTPChallengeRequest", "OTPVerificationRequest",
        ] {
            #expect(
                try APIDocument.schema(name)["additionalProperties"] == false,
                "\(name) allows no unlisted properties")
        }
    }

    @Test("organizations and their members")
    func organizations() throws {
        try check(OrganizationRequest.self, OrganizationRequest.CodingKeys.self)
        try check(OrganizationAnswer.self, OrganizationAnswer.CodingKeys.self)
        try check(OrganizationDeletionAnswer.self, OrganizationDeletionAnswer.CodingKeys.self)
        try check(OrganizationMemberRequest.self, OrganizationMemberRequest.CodingKeys.self)
        try check(OrganizationRolesRequest.self, OrganizationRolesRequest.CodingKeys.self)
        try check(OrganizationMemberAnswer.self, OrganizationMemberAnswer.CodingKeys.self)
        try check(
            OrganizationInvitationRequest.self, OrganizationInvitationRequest.CodingKeys.self)
        try check(OrganizationInvitationAnswer.self, OrganizationInvitationAnswer.CodingKeys.self)
        try check(UserOrganizationAnswer.self, UserOrganizationAnswer.CodingKeys.self)
        try check(OrganizationVisitorAnswer.self, OrganizationVisitorAnswer.CodingKeys.self)
        try check(ReceivedInvitationAnswer.self, ReceivedInvitationAnswer.CodingKeys.self)
        try check(MemberDetailAnswer.self, MemberDetailAnswer.CodingKeys.self)
        try check(MemberAuthenticatorAnswer.self, MemberAuthenticatorAnswer.CodingKeys.self)
        for name in [
            "OrganizationRequest", "OrganizationMemberRequest", "OrganizationRolesRequest",
            "OrganizationInvitationRequest",
        ] {
            #expect(
                try APIDocument.schema(name)["additionalProperties"] == false,
                "\(name) allows no unlisted properties")
        }
    }

    @Test("sign-ins of administrators")
    func administrators() throws {
        try check(
            AdministratorPasskeySignInRequest.self,
            AdministratorPasskeySignInRequest.CodingKeys.self)
        try check(AdministratorPasskeyRequest.self, AdministratorPasskeyRequest.CodingKeys.self)
        try check(AdministratorSetupOptions.self, AdministratorSetupOptions.CodingKeys.self)
        try check(AuthenticatorAppAnswer.self, AuthenticatorAppAnswer.CodingKeys.self)
        try check(QRCodeAnswer.self, QRCodeAnswer.CodingKeys.self)
        try check(AdministratorMethodsAnswer.self, AdministratorMethodsAnswer.CodingKeys.self)
        try check(AdministratorSessionAnswer.self, AdministratorSessionAnswer.CodingKeys.self)
        try check(AdministratorPasskeyAnswer.self, AdministratorPasskeyAnswer.CodingKeys.self)
        try check(AdministratorInvitationAnswer.self, AdministratorInvitationAnswer.CodingKeys.self)
        try check(AdministratorSetupCodeAnswer.self, AdministratorSetupCodeAnswer.CodingKeys.self)
        try check(OpenSetupCodeAnswer.self, OpenSetupCodeAnswer.CodingKeys.self)
        // The values of these are hidden from mirrors.
        func names<Keys: CodingKey & CaseIterable>(_: Keys.Type) -> Set<String> {
            Set(Keys.allCases.map(\.stringValue))
        }
        for (name, members) in [
            "AdministratorSignInRequest": names(AdministratorSignInRequest.CodingKeys.self),
            "AdministratorSetupOptionsRequest":
                names(AdministratorSetupOptionsRequest.CodingKeys.self),
            "AdministratorSetupRequest": names(AdministratorSetupRequest.CodingKeys.self),
            "AdministratorPasswordRequest": names(AdministratorPasswordRequest.CodingKeys.self),
            "AuthenticatorAppRequest": names(AuthenticatorAppRequest.CodingKeys.self),
        ] {
            let schema = try APIDocument.schema(name)
            #expect(schema["properties"]?.names == members, "\(name)")
            #expect(schema["additionalProperties"] == false, "\(name)")
        }
        let signIn = AdministratorSignInRequest(name: "Ada", password: "secret", code: "1")
        #expect(Mirror(reflecting: signIn).children.isEmpty && !"\(signIn)".contains("secret"))
    }

    @Test("a new user is described by all members of a user request except the state")
    func newUser() throws {
        let schema = try APIDocument.schema("NewUserRequest")
        #expect(
            schema["properties"]?.names
                == Set(UserRequest.CodingKeys.allCases.map(\.rawValue)).subtracting(["state"]))
        #expect(schema["required"] == nil)
    }

    @Test("answers")
    func answers() throws {
        try check(JourneyAnswer.self, JourneyAnswer.CodingKeys.self)
        try check(ClientOptionWire.self, "ClientOption")
        try check(CaptureAnswer.self, CaptureAnswer.CodingKeys.self)
        try check(CaptureConsentText.self, CaptureConsentText.CodingKeys.self)
        try check(CaptureLight.self, CaptureLight.CodingKeys.self)
        try check(CaptureColor.self, CaptureColor.CodingKeys.self)
        try check(AppAnswer.self, AppAnswer.CodingKeys.self)
        try check(AdministratorAnswer.self, AdministratorAnswer.CodingKeys.self)
        try check(UserAnswer.self, UserAnswer.CodingKeys.self)
        try check(AuthenticatorAnswer.self, AuthenticatorAnswer.CodingKeys.self)
        try check(DeviceLockAnswer.self, DeviceLockAnswer.CodingKeys.self)
        try check(ConsentAnswer.self, ConsentAnswer.CodingKeys.self)
        try check(JourneyVersionAnswer.self, JourneyVersionAnswer.CodingKeys.self)
        try check(JourneyStepTypesAnswer.self, JourneyStepTypesAnswer.CodingKeys.self)
        try check(JourneyStepTypeAnswer.self, JourneyStepTypeAnswer.CodingKeys.self)
        try check(CheckJourneyAnswer.self, CheckJourneyAnswer.CodingKeys.self)
        try check(JourneyFindingAnswer.self, JourneyFindingAnswer.CodingKeys.self)
        try check(CheckedStepAnswer.self, CheckedStepAnswer.CodingKeys.self)
        try check(CheckedOutcomeAnswer.self, CheckedOutcomeAnswer.CodingKeys.self)
        try check(VariableAnswer.self, VariableAnswer.CodingKeys.self)
        try check(JourneyCodeAnswer.self, JourneyCodeAnswer.CodingKeys.self)
        try check(SimulateJourneyAnswer.self, SimulateJourneyAnswer.CodingKeys.self)
        try check(SimulatedTurnAnswer.self, SimulatedTurnAnswer.CodingKeys.self)
        try check(PassedStepAnswer.self, PassedStepAnswer.CodingKeys.self)
        try check(ClientMistakeAnswer.self, ClientMistakeAnswer.CodingKeys.self)
        try check(SimulatedPromptAnswer.self, SimulatedPromptAnswer.CodingKeys.self)
        try check(SimulatedCompletionAnswer.self, SimulatedCompletionAnswer.CodingKeys.self)
        try check(SimulatedRejectionAnswer.self, SimulatedRejectionAnswer.CodingKeys.self)
        try check(SimulatedUserAnswer.self, SimulatedUserAnswer.CodingKeys.self)
        try check(AuditEntryAnswer.self, AuditEntryAnswer.CodingKeys.self)
        try check(AuditVerdictAnswer.self, AuditVerdictAnswer.CodingKeys.self)
        try check(AuditPosition.self, AuditPosition.CodingKeys.self)
        try check(AuditSegmentEntry.self, AuditSegmentEntry.CodingKeys.self)
        try check(AuditSegmentAnswer.self, AuditSegmentAnswer.CodingKeys.self)
        try check(AuditPruneAnswer.self, AuditPruneAnswer.CodingKeys.self)
        try check(MasterKeysAnswer.self, MasterKeysAnswer.CodingKeys.self)
        try check(MasterKeyAnswer.self, MasterKeyAnswer.CodingKeys.self)
        try check(NextMasterKeyAnswer.self, NextMasterKeyAnswer.CodingKeys.self)
        try check(WaitingServerAnswer.self, WaitingServerAnswer.CodingKeys.self)
        try check(OTPRegistrationAnswer.self, OTPRegistrationAnswer.CodingKeys.self)
        try check(OTPTokenAnswer.self, OTPTokenAnswer.CodingKeys.self)
        try check(OTPCardAnswer.self, OTPCardAnswer.CodingKeys.self)
        try check(OwnOTPToken.self, OwnOTPToken.CodingKeys.self)
        try check(OTPChallengeAnswer.self, OTPChallengeAnswer.CodingKeys.self)
        try check(OTPVerdictAnswer.self, OTPVerdictAnswer.CodingKeys.self)
        try check(ProductKeyAnswer.self, ProductKeyAnswer.CodingKeys.self)
        try check(LicenseAnswer.self, LicenseAnswer.CodingKeys.self)
        try check(RecoveryCodesStatus.self, RecoveryCodesStatus.CodingKeys.self)
        try check(OwnRecovery.self, OwnRecovery.CodingKeys.self)
        try check(OwnPasskey.self, OwnPasskey.CodingKeys.self)
        try check(OwnSignIn.self, OwnSignIn.CodingKeys.self)
        try check(OwnDevice.self, OwnDevice.CodingKeys.self)
        try check(OwnFace.self, OwnFace.CodingKeys.self)
        try check(OwnActivity.self, OwnActivity.CodingKeys.self)
        try check(ReviewCaseAnswer.self, ReviewCaseAnswer.CodingKeys.self)
        try check(ReviewDecisionAnswer.self, "ReviewDecisionAnswer")
        try check(IdentityAttemptAnswer.self, IdentityAttemptAnswer.CodingKeys.self)
        try check(UserVerificationAnswer.self, UserVerificationAnswer.CodingKeys.self)
        try check(RegistryAnswer.self, "RegistryAnswer")
        try check(RegistryImportAnswer.self, RegistryImportAnswer.CodingKeys.self)
        try check(RegistryRemovalAnswer.self, "RegistryRemovalAnswer")
        try check(Problem.self, "Problem")
        try check(Problem.FieldError.self, "FieldError")
        for (page, item) in [
            "AdministratorPage": "AdministratorAnswer", "AppPage": "AppAnswer",
            "UserPage": "UserAnswer",
            "AuthenticatorPage": "AuthenticatorAnswer", "ConsentPage": "ConsentAnswer",
            "JourneyVersionPage": "JourneyVersionAnswer", "ProductKeyPage": "ProductKeyAnswer",
            "AuditPage": "AuditEntryAnswer", "ReviewCasePage": "ReviewCaseAnswer",
        ] {
            let schema = try APIDocument.schema(page)
            #expect(
                schema["properties"]?.names
                    == Set(
                        Mirror(reflecting: Page<AppAnswer>(items: [])).children.compactMap(\.label))
            )
            #expect(schema["required"] == ["items"])
            #expect(
                schema["properties"]?["items"]?["items"]?["$ref"]
                    == .string("#/components/schemas/\(item)"))
        }
    }

    @Test("answers that the portal shows")
    func portalAnswers() throws {
        try check(AppSettingsGuideAnswer.self, AppSettingsGuideAnswer.CodingKeys.self)
        try check(FaceThresholdAnswer.self, FaceThresholdAnswer.CodingKeys.self)
        try check(ServerSettingAnswer.self, ServerSettingAnswer.CodingKeys.self)
        try check(MetricAnswer.self, MetricAnswer.CodingKeys.self)
        try check(MetricSeriesAnswer.self, MetricSeriesAnswer.CodingKeys.self)
        try check(MetricBucketAnswer.self, MetricBucketAnswer.CodingKeys.self)
        try check(ConnectionTestAnswer.self, ConnectionTestAnswer.CodingKeys.self)
        try check(MailTestAnswer.self, MailTestAnswer.CodingKeys.self)
        try check(IdentitySourceAnswer.self, IdentitySourceAnswer.CodingKeys.self)
        try check(UserSignInAnswer.self, UserSignInAnswer.CodingKeys.self)
        try check(ErasurePreviewAnswer.self, ErasurePreviewAnswer.CodingKeys.self)
        try check(DuplicateCaseAnswer.self, DuplicateCaseAnswer.CodingKeys.self)
        try check(DuplicateCaseDetail.self, DuplicateCaseDetail.CodingKeys.self)
        try check(FaceMigrationAnswer.self, FaceMigrationAnswer.CodingKeys.self)
        try check(TrialTurnAnswer.self, TrialTurnAnswer.CodingKeys.self)
        // The values of these are hidden from mirrors.
        #expect(
            try APIDocument.schema("JourneyTrialAnswer")["properties"]?.names
                == Set(JourneyTrialAnswer.CodingKeys.allCases.map(\.rawValue)))
        #expect(
            try APIDocument.schema("AnswerJourneyTrialRequest")["properties"]?.names
                == Set(AnswerJourneyTrialRequest.CodingKeys.allCases.map(\.rawValue)))
        for example in try APIDocument.schema("JourneyTrialAnswer")["examples"]?.arrayValue ?? [] {
            #expect(try rewritten(example, as: JourneyTrialAnswer.self) == example)
        }
    }

    @Test("enumerations match the document")
    func words() throws {
        #expect(try words("RejectionData", "cause") == Rejection.Cause.allCases.map(\.rawValue))
        #expect(
            try words("JourneyVersionAnswer", "state")
                == JourneyRecord.State.allCases.map(\.rawValue))
        #expect(
            try words("CaptureAnswer", "status") == CaptureRecord.State.allCases.map(\.rawValue))
        #expect(try words("ConsentAnswer", "purpose") == ConsentPurpose.allCases.map(\.rawValue))
        #expect(FaceConsent.purpose == ConsentPurpose.face.rawValue)
        #expect(
            try Set(words("AuthenticatorAnswer", "locked_by"))
                == Set(LockHolder.allCases.map(\.rawValue) + [LockCause.failures.rawValue]))
        #expect(
            try APIDocument.schema("JourneyDefinition")["properties"]?.names
                == JourneySchema.json["properties"]?.names)
    }

    @Test("each wire enum has the words of its schema, and each fixed set has a wire enum")
    func enums() throws {
        let sets: [String: [String: [String]]] = [
            "AppRequest": ["type": Self.words(AppType.self), "client": Self.words(AppClient.self)],
            "AppAnswer": ["type": Self.words(AppType.self)],
            "UserRequest": ["state": Self.words(UserRequest.State.self)],
            "UserAnswer": ["state": Self.words(AccountState.self)],
            "AuthenticatorAnswer": [
                "type": Self.words(AuthenticatorType.self), "lock": Self.words(LockState.self),
                "locked_by": Self.words(LockCause.self),
            ],
            "DeviceLockAnswer": ["lock": Self.words(LockState.self)],
            "ConsentAnswer": ["purpose": Self.words(ConsentPurpose.self)],
            "JourneyVersionAnswer": ["state": Self.words(JourneyVersionState.self)],
            "JourneyStepTypeAnswer": ["role": Self.words(JourneyStepRole.self)],
            "JourneyFindingAnswer": ["severity": Self.words(JourneyFindingSeverity.self)],
            "CaptureAnswer": [
                "status": Self.words(CaptureStatus.self), "mode": Self.words(CaptureMode.self),
                "action": Self.words(CaptureAction.self),
                "guidance": Self.words(CaptureGuidance.self),
                "reasons": Self.words(CaptureReason.self),
                "omittable_actions": Self.words(CaptureAction.self).filter { $0 != "keep_still" },
            ],
            "CaptureAccommodationRequest": [
                "omitted_actions": Self.words(CaptureAction.self).filter { $0 != "keep_still" }
            ],
            "CaptureLightRequest": ["style": Self.words(CaptureLightStyle.self)],
            "JourneyAnswer": ["journey_step_id": Self.words(JourneyStepName.self)],
            "ClientOption": ["type": Self.words(ClientOptionType.self)],
            "OTPRegistrationRequest": ["kind": Self.words(OTPKind.self)],
            "OTPRegistrationAnswer": ["kind": Self.words(OTPKind.self)],
            "OTPTokenAnswer": ["kind": Self.words(OTPKind.self)],
            "OwnOTPToken": ["kind": Self.words(OTPKind.self)],
            "VerifiedIdentity": [
                "verificationMethod": Self.words(VerificationMethod.self),
                "requiredVerificationMethod": Self.words(VerificationMethod.self),
                "acceptableDocumentTypes": Self.words(IdentityDocumentType.self),
                "documentVerificationStatus": Self.words(DocumentVerificationStatus.self),
            ],
            "ReviewDecisionAnswer": ["decision": Self.words(ReviewDecision.self)],
            "ReviewDecisionRequest": ["decision": Self.words(ReviewDecision.self)],
            "ReviewOutcomeAnswer": ["decision": Self.words(ReviewDecision.self)],
            "IdentityAttemptAnswer": [
                "kind": Self.words(VerificationAttempt.Kind.self),
                "recommendation": Self.words(IdentityRecommendation.self),
            ],
            "UserVerificationAnswer": [
                "verification_method": Self.words(VerificationMethod.self),
                "required_method": Self.words(VerificationMethod.self),
                "block": Self.words(VerificationBlock.self),
            ],
            "VerificationRequirementRequest": ["method": Self.words(VerificationMethod.self)],
            "IdentityRecapture": [
                "image": Self.words(DocumentPicture.self),
                "reason": Self.words(RecaptureReason.self),
            ],
            "IdentityDocumentForm": ["documentType": Self.words(IdentityDocumentType.self)],
        ]
        let others = [
            "StartJourneyRequest", "RespondRequest", "RedeemOTPRequest", "ProductKeyRequest",
            "LicenseRequest", "CancelRecoveryRequest", "AuditEntryAnswer", "AuditVerdictAnswer",
            "AuditPosition", "AuditSegmentEntry", "AuditSegmentAnswer", "AuditPruneAnswer",
            "MasterKeysAnswer", "MasterKeyAnswer", "NextMasterKeyAnswer", "WaitingServerAnswer",
            "ProductKeyAnswer", "LicenseAnswer", "RecoveryCodesStatus", "OwnRecovery", "Problem",
            "FieldError",
        ]
        for name in Array(sets.keys) + others {
            let properties = try #require(
                try APIDocument.schema(name)["properties"]?.objectValue)
            let fixed = properties.compactMapValues { property in
                (property["enum"] ?? property["items"]?["enum"])?.arrayValue?.compactMap(
                    \.stringValue)
            }
            #expect(fixed == sets[name] ?? [:], "\(name)")
        }
    }

    @Test("an answer may contain a word of a newer server; a request may not contain another word")
    func unknownWords() throws {
        let word: JSONValue = "paused", members: JSONValue = ["name": "Shop", "type": word]
        let lock = try decoded(word, as: WireValue<LockState>.self)
        #expect(lock == .unknown("paused") && "\(lock)" == "paused")
        #expect(try rewritten(word, as: WireValue<LockState>.self) == word)
        #expect(try decoded("open", as: WireValue<LockState>.self) == .known(.open))
        #expect(WireValue<LockState>(rawValue: "open") == .known(.open))
        #expect(throws: DecodingError.self) { try members.decoded(as: AppRequest.self) }
        do { _ = try members.decoded(as: AppRequest.self) } catch DecodingError.dataCorrupted(
            let context)
        {
            #expect(context.codingPath.map(\.stringValue) == ["type"])
            #expect(context.debugDescription == "must be public or confidential")
        }
    }

    @Test(
        "a problem with a code of a newer server has the general code of its status's class",
        arguments: [
            (401, .invalidRequest), (404, .invalidRequest), (418, .invalidRequest),
            (503, .serverError), (599, .serverError),
        ] as [(Int, ProblemCode)])
    func unknownCode(status: Int, code: ProblemCode) throws {
        let problem = try decoded(
            [
                "type": "https://mien.dev/problems/new", "title": "New",
                "status": .number(Double(status)), "detail": "Something new.", "code": "new",
            ], as: Problem.self)
        #expect(problem.code == code && problem.status == status)
        #expect(problem.title == "New" && problem.detail == "Something new.")
    }

    @Test("the example journey has no errors")
    func journey() throws {
        let example = try #require(
            try APIDocument.schema("JourneyDefinition")["examples"]?.arrayValue?.first)
        let definition = try JourneyDefinition.parse(Array(JSONText.write(example).utf8))
        #expect(JourneyLinter.lint(definition).filter { $0.severity == .error } == [])
    }

    // MARK: Helpers

    private func check<Wire: Codable & Hashable, Keys: CodingKey & CaseIterable>(
        _ type: Wire.Type, _: Keys.Type
    ) throws {
        let name = "\(Wire.self)"
        #expect(
            try APIDocument.schema(name)["properties"]?.names
                == Set(Keys.allCases.map(\.stringValue)), "\(name)")
        try check(type, name)
    }

    /// The examples together contain every member. The type decodes and encodes them unchanged, and
    /// requires exactly the required members.
    private func check<Wire: Codable & Hashable>(_: Wire.Type, _ name: String) throws {
        let schema = try APIDocument.schema(name)
        let examples = try #require(schema["examples"]?.arrayValue, "\(name) has examples")
        var whole: [String: JSONValue] = [:]
        for example in examples {
            #expect(try rewritten(example, as: Wire.self) == example, "\(name)")
            whole.merge(try #require(example.objectValue)) { first, _ in first }
        }
        let properties = try #require(schema["properties"]).names
        #expect(Set(whole.keys) == properties, "\(name)")
        let value = try decoded(.object(whole), as: Wire.self)
        #expect(Mirror(reflecting: value).children.count == properties.count, "\(name)")
        let required = Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        for property in properties {
            var less = whole
            less[property] = nil
            #expect(
                ((try? decoded(.object(less), as: Wire.self)) == nil)
                    == required.contains(property), "\(name).\(property)")
        }
    }

    private func decoded<Wire: Decodable>(_ value: JSONValue, as type: Wire.Type) throws -> Wire {
        try JSONDecoder().decode(type, from: Data(JSONText.write(value).utf8))
    }

    private func rewritten<Wire: Codable>(_ value: JSONValue, as type: Wire.Type) throws
        -> JSONValue
    {
        try JSONText.parse([UInt8](JSONEncoder().encode(decoded(value, as: type))))
    }

    private static func words<Word: WireWord>(_: Word.Type) -> [String] {
        Word.allCases.map(\.rawValue)
    }

    private func words(_ schema: String, _ property: String) throws -> [String] {
        try #require(try APIDocument.schema(schema)["properties"]?[property]?["enum"]?.arrayValue)
            .compactMap(\.stringValue)
    }
}
