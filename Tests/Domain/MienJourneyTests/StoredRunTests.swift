import Foundation
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

    private static let session = """
        {"baseEndpoint":"b","id":"idv_1","required":[],"startToken":"t","state":"s"}
        """

    /// Every pending effect, with and without the members that may be missing.
    static let pendingForms = [
        #"{"resolvingUser":{}}"#,
        #"{"checkingPassword":{"expected":"usr_1"}}"#, #"{"checkingPassword":{}}"#,
        #"{"openingCapture":{}}"#, #"{"readingCapture":{"_0":"cap_1"}}"#,
        #"{"openingVerification":{}}"#, #"{"readingVerification":{"_0":\#(session)}}"#,
        #"{"registeringFace":{"_0":"usr_1","capture":"cap_1"}}"#,
        #"{"checkingFace":{"capture":"cap_1","expected":"usr_1"}}"#,
        #"{"checkingFace":{"capture":"cap_1"}}"#, #"{"challengingKey":{}}"#,
        #"{"registeringKey":{"_0":"usr_1","publicKeyID":"key"}}"#, #"{"verifyingKey":{}}"#,
        #"{"deletingKey":{}}"#, #"{"sendingCode":{"attemptsLeft":2,"resendsLeft":1}}"#,
        #"{"checkingCode":{"_0":\#(progress)}}"#, #"{"offeringOTP":{"_0":"usr_1"}}"#,
        #"{"confirmingOTP":{"_0":"usr_1","_1":\#(registration)}}"#,
        #"{"checkingOTP":{"attemptsLeft":2,"expected":"usr_1"}}"#,
        #"{"checkingOTP":{"attemptsLeft":2}}"#,
        #"{"verifyingOTPSignature":{"expected":"usr_1"}}"#, #"{"verifyingOTPSignature":{}}"#,
        #"{"requestingApproval":{"data":{"amount":"1"}}}"#,
        #"{"readingApproval":{"_0":\#(approval),"expected":"usr_1"}}"#,
        #"{"checkingRecoveryCode":{"expected":"usr_1"}}"#, #"{"checkingRecoveryCode":{}}"#,
        #"{"recovering":{"_0":"usr_1"}}"#, #"{"settingPassword":{"_0":"usr_1"}}"#,
        #"{"recordingConsent":{"_0":"usr_1","textVersion":"1"}}"#,
        #"{"findingConsent":{"_0":"usr_1"}}"#, #"{"creatingUser":{}}"#, #"{"settingLock":{}}"#,
        #"{"callingWebhook":{}}"#,
    ]

    static let askedForms = [
        #"{"input":{}}"#, #"{"capture":{"_0":"cap_1"}}"#,
        #"{"verification":{"_0":\#(session)}}"#,
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

    @Test(
        "a run stored by an earlier server continues",
        arguments: [
            #"{"performing":{"_0":{"step":"face","turn":3},"_1":{"checkingFace":{"capture":"cap_1"}}}}"#,
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
