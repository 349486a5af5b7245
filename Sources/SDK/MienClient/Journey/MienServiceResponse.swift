internal import MienAPI
public import MienCore

/// What a journey says: what to do next, or how it ended.
///
/// What is in it may be secret (start tokens, challenges, the final token), so printing one shows
/// the step's id alone.
public struct MienServiceResponse: Sendable {
    /// The older, coarser word for what is expected.
    public enum ResponseType: String, Sendable, Hashable {
        case journeySuccess = "journey_success"
        case clientInputRequired = "client_input_required"
        case clientInputUpdateRequired = "client_input_update_required"
        case journeyRejection = "journey_rejection"
    }

    let answer: JourneyAnswer
    /// Whether the step is the one that was answered, once more, with what was wrong.
    private let isUpdate: Bool

    init(_ answer: JourneyAnswer, isUpdate: Bool = false) {
        (self.answer, self.isUpdate) = (answer, isUpdate)
    }

    /// Never `nil` with this server; optional as in the code that apps come with.
    public var journeyStepId: JourneyStepID? { step }
    var step: JourneyStepID { JourneyStepID(answer.journeyStepID) }

    /// What the step needs; its form depends on the step.
    public var data: JSONValue? { answer.data }
    /// The same, by the name that Kotlin code uses.
    public var responseData: JSONValue? { answer.data }
    /// Why a journey was rejected: `{cause, reason}`.
    public var errorData: JSONValue? { answer.errorData }

    /// The ways to answer, by their ids as on the wire.
    public var clientResponseOptions: [String: ClientResponseOption] {
        Dictionary(
            uniqueKeysWithValues: answer.clientResponseOptions.map {
                ($0, ClientResponseOption($0, $1))
            })
    }

    /// The offered option that `type` means, whatever its spelling; `nil` when the step has none.
    public func option(_ type: ClientResponseOptionType) -> ClientResponseOption? {
        clientResponseOptions.values.first { $0.id == type }
    }

    /// The proof that the journey was completed: a signed JWT, for the app's own server to verify.
    /// With `success` only.
    public var token: Sensitive<String>? { answer.token.map { Sensitive($0) } }

    public var type: ResponseType {
        switch step {
        case .success: .journeySuccess
        case .rejection: .journeyRejection
        default: isUpdate ? .clientInputUpdateRequired : .clientInputRequired
        }
    }

    public var hasEnded: Bool { answer.state == nil }
    /// Milliseconds since 1970: answers that come later are not taken.
    public var expiresAt: Int64 { answer.expiresAt }

    /// For a capture session, wherever the step puts it: `payload.start_token` for identity
    /// verification, `start_token` for a selfie.
    public var startToken: Sensitive<String>? {
        (data?["payload"]?["start_token"] ?? data?["start_token"])?.stringValue.map {
            Sensitive($0)
        }
    }

    /// What went wrong, in the SDKs' words: with the step's last answer (a code that was wrong or
    /// came too late) or, at a rejection, with the journey. `nil` when nothing did.
    public var errorCode: MienError.Code? {
        switch (data?["error"]?["code"] ?? errorData?["reason"])?.stringValue {
        case "expired": .expiredOTPPasscode
        case "invalid_credentials", "wrong_code": .invalidCredentials
        case nil: nil
        default: step == .rejection || data?["error"] != nil ? .clientResponseNotValid : nil
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
