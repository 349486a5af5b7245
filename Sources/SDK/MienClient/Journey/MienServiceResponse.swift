internal import MienAPI
public import MienCore

/// A journey's response: the next step, or how the journey ended.
///
/// It may contain secrets (start tokens, challenges, the final token), so its description shows
/// only the step's id.
public struct MienServiceResponse: Sendable {
    /// The older, coarser kind of response.
    public enum ResponseType: String, Sendable, Hashable {
        case journeySuccess = "journey_success"
        case clientInputRequired = "client_input_required"
        case clientInputUpdateRequired = "client_input_update_required"
        case journeyRejection = "journey_rejection"
    }

    let answer: JourneyAnswer
    /// Whether the answered step is repeated because its answer was wrong.
    private let isUpdate: Bool

    init(_ answer: JourneyAnswer, isUpdate: Bool = false) {
        (self.answer, self.isUpdate) = (answer, isUpdate)
    }

    /// The step's id. It is never `nil` with this server; it is optional for compatibility with
    /// existing app code.
    public var journeyStepId: JourneyStepID? { step }
    var step: JourneyStepID { JourneyStepID(answer.journeyStepID.rawValue) }

    /// The step's data; its form depends on the step.
    public var data: JSONValue? { answer.data }
    /// The same value under the name that Kotlin code uses.
    public var responseData: JSONValue? { answer.data }
    /// The reason for a rejection: `{cause, reason}`.
    public var errorData: JSONValue? { answer.errorData }

    /// The ways to answer, keyed by their ids on the wire.
    public var clientResponseOptions: [String: ClientResponseOption] {
        Dictionary(
            uniqueKeysWithValues: answer.clientResponseOptions.map {
                ($0, ClientResponseOption($0, $1))
            })
    }

    /// Returns the option of the given type, in any spelling; `nil` if the step does not have it.
    public func option(_ type: ClientResponseOptionType) -> ClientResponseOption? {
        clientResponseOptions.values.first { $0.id == type }
    }

    /// The proof of completion: a signed JWT for the app's own server to verify. Only present with
    /// `success`.
    public var token: Sensitive<String>? { answer.token.map { Sensitive($0) } }

    public var type: ResponseType {
        switch step {
        case .success: .journeySuccess
        case .rejection: .journeyRejection
        default: isUpdate ? .clientInputUpdateRequired : .clientInputRequired
        }
    }

    public var hasEnded: Bool { answer.state == nil }
    /// The time in milliseconds since 1970 after which answers are refused.
    public var expiresAt: Int64 { answer.expiresAt }

    /// The start token of a capture session, wherever the step puts it: `payload.start_token` for
    /// identity verification, `start_token` for a selfie.
    public var startToken: Sensitive<String>? {
        (data?["payload"]?["start_token"] ?? data?["start_token"])?.stringValue.map {
            Sensitive($0)
        }
    }

    /// The error in the SDK's codes: that of the step's last answer (such as a wrong or expired
    /// code), that of a step that failed since (such as a wrong password), or, for a rejection,
    /// that of the journey. `nil` if there was no error.
    public var errorCode: MienError.Code? {
        let word = data?["error"]?["code"] ?? errorData?["code"] ?? errorData?["reason"]
        return switch word?.stringValue {
        case "expired": .expiredOTPPasscode
        case "invalid_credentials", "wrong_code": .invalidCredentials
        case "insufficient_user_authentication": .reauthenticationRequired
        case nil: nil
        default:
            step == .rejection || data?["error"] != nil || errorData?["code"] != nil
                ? .clientResponseNotValid : nil
        }
    }
}

extension MienServiceResponse: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String {
        "\(step): \(answer.clientResponseOptions.keys.sorted().joined(separator: ", "))"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
