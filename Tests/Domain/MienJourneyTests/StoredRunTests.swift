import Foundation
import MienCore
import Testing

@testable import MienJourney

/// Recorded forms of what runs store. Servers keep runs across updates, so that these never change.
@Suite("Stored runs")
struct StoredRunTests {
    private static let progress = """
        {"attemptsLeft":2,"code":"otc_1","expiresAt":{"milliseconds":1700000000000},"resendsLeft":1}
        """
    private static let registration = """
        {"attemptsLeft":2,"expiresAt":{"milliseconds":1700000000000},"registration":"otc_1"}
        """

    private static let approval = """
        {"approval":"chl_1","code":"7K3QF-2M9XA","data":{"amount":"1"},"expiresAt":{"milliseconds":1700000000000}}
        """

    /// Every pending effect, with and without the members that may be missing.
    static let pendingForms = [
        #"{"resolvingUser":{}}"#,
        #"{"checkingPassword":{"expected":"usr_1"}}"#, #"{"checkingPassword":{}}"#,
        #"{"openingCapture":{}}"#, #"{"readingCapture":{"_0":"cap_1"}}"#,
        #"{"openingVerification":{}}"#, #"{"readingVerification":{"_0":"idv_1"}}"#,
        #"{"registeringFace":{"_0":"usr_1","_1":"cap_1","consentTextVersion":"1"}}"#,
        #"{"checkingFace":{"_1":"cap_1","expected":"usr_1"}}"#,
        #"{"checkingFace":{"_1":"cap_1"}}"#, #"{"creatingUser":{}}"#,
        #"{"sendingCode":{"attemptsLeft":2,"resendsLeft":1}}"#,
        #"{"checkingCode":{"_0":\#(progress)}}"#,
        #"{"registeringKey":{"_0":"usr_1","publicKeyID":"key"}}"#, #"{"challengingKey":{}}"#,
        #"{"verifyingKey":{"_0":"chl_1"}}"#, #"{"deletingKey":{}}"#,
        #"{"offeringOTP":{"_0":"usr_1"}}"#,
        #"{"confirmingOTP":{"_0":"usr_1","_1":\#(registration)}}"#,
        #"{"checkingOTP":{"attemptsLeft":2,"expected":"usr_1"}}"#,
        #"{"checkingOTP":{"attemptsLeft":2}}"#,
        #"{"verifyingOTPSignature":{"_0":"chl_1","expected":"usr_1"}}"#,
        #"{"verifyingOTPSignature":{"_0":"chl_1"}}"#,
        #"{"requestingApproval":{"data":{"amount":"1"}}}"#,
        #"{"readingApproval":{"expected":"usr_1","request":\#(approval)}}"#,
        #"{"checkingRecoveryCode":{"expected":"usr_1"}}"#, #"{"checkingRecoveryCode":{}}"#,
        #"{"recovering":{"_0":"usr_1"}}"#, #"{"settingPassword":{"_0":"usr_1"}}"#,
        #"{"lockingAuthenticator":{}}"#,
        #"{"unlockingAuthenticator":{}}"#, #"{"callingWebhook":{}}"#,
        #"{"recordingConsent":{"_0":"usr_1","textVersion":"1"}}"#,
        #"{"findingConsent":{"_0":"usr_1","textVersion":"1"}}"#,
    ]

    static let askedForms = [
        #"{"input":{}}"#, #"{"capture":{"_0":"cap_1"}}"#, #"{"verification":{"_0":"idv_1"}}"#,
        #"{"code":{"_0":\#(progress)}}"#, #"{"deviceKey":{"_0":"chl_1"}}"#,
        #"{"otpRegistration":{"_0":\#(registration)}}"#, #"{"otp":{"attemptsLeft":2}}"#,
        #"{"approval":{"_0":\#(approval)}}"#, #"{"wait":{"until":{"milliseconds":1700000000000}}}"#,
    ]

    private func again<Value: Codable>(_ type: Value.Type, _ text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let value = try JSONDecoder().decode(type, from: Data(text.utf8))
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("every pending effect keeps its stored form", arguments: pendingForms)
    func pending(_ text: String) throws { #expect(try again(Pending.self, text) == text) }

    @Test("every prompt keeps its stored form", arguments: askedForms)
    func asked(_ text: String) throws { #expect(try again(Asked.self, text) == text) }

    @Test("every state has its own name and a recorded form")
    func complete() throws {
        func names(_ recorded: [String]) throws -> Set<String> {
            Set(
                try recorded.flatMap {
                    try #require(JSONText.parse($0).objectValue).keys.map(\.self)
                })
        }
        #expect(try names(Self.pendingForms) == Set(Pending.types.keys))
        #expect(try names(Self.askedForms) == Set(Asked.types.keys))
        for effect in StepType.allCases.flatMap(\.effects) {
            #expect(Pending.types[effect.pending.name].map { $0 == effect.pending } == true)
        }
        for prompt in StepType.all.flatMap({ $0.prompts }) {
            #expect(Asked.types[prompt.name].map { $0 == prompt } == true)
        }
    }

    @Test(
        "a run stored by an earlier server continues",
        arguments: [
            #"{"performing":{"_0":{"step":"face","turn":3},"_1":{"checkingFace":{"_1":"cap_1"}}}}"#,
            #"{"asking":{"_0":"form","_1":{"input":{}}}}"#,
        ])
    func run(_ position: String) throws {
        let text = """
            {"app":"app_1","approvalData":{},"consents":[],\
            "createdAt":{"milliseconds":1700000000000},"expiresAt":{"milliseconds":1700003600000},\
            "id":"run_1","journey":"face-login","loops":[],"position":\(position),\
            "stepsRun":0,"stepsSinceAnswer":0,"turns":0,"variables":{},"version":1}
            """
        #expect(try again(JourneyInstance.self, text) == text)
    }

    @Test(
        "an unknown state is an error",
        arguments: [
            #"{"guessing":{}}"#, "{}", #"{"resolvingUser":{},"openingCapture":{}}"#,
            #"{"readingCapture":{}}"#, #""input""#,
        ])
    func unknown(_ text: String) {
        #expect(throws: DecodingError.self) { try again(Pending.self, text) }
        #expect(throws: DecodingError.self) { try again(Asked.self, text) }
    }
}
