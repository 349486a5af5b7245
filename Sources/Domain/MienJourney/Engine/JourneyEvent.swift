public import MienAPI
public import MienCore

/// An event in a run of a journey.
public enum JourneyEvent: Sendable, Hashable {
    /// - Parameters:
    ///   - parameters: the client's start parameters, checked against the definition's `parameters`.
    ///   - user: the user who is already signed in, as verified by the caller.
    case start(parameters: JSONValue = .null, user: JourneyUser? = nil)
    /// The client's response to the last prompt.
    case response(ClientResponse)
    case performed(EffectResult)

    public static func response(option: String, data: JSONValue = .null) -> Self {
        .response(ClientResponse(option: option, data: data))
    }
}

/// An option's ID and its data.
public struct ClientResponse: Sendable, Hashable {
    public let option: String
    /// The option's data, which may contain a password.
    public let data: Sensitive<JSONValue>

    public init(option: String, data: JSONValue = .null) {
        (self.option, self.data) = (option, Sensitive(data))
    }
}

/// The next action.
public enum JourneyDecision: Sendable, Hashable {
    /// Perform this effect and return its result.
    case perform(JourneyEffect)
    case ask(ClientPrompt)
    case complete(Completion)
    case reject(Rejection)
}

/// A prompt to the client.
public struct ClientPrompt: Sendable, Hashable {
    /// The step's ID in the definition.
    public let stepID: StepID
    /// The wire name that clients switch on: `loginForm`, `selfieAcquisition`, …
    public let journeyStepID: String
    public let data: JSONValue
    /// The client's options. The first is the default.
    public let options: [ClientOption]
    /// The last failure of a step since the client's last response, as the client may know it.
    public let failure: StepErrorCode?
}

/// An option for the client's response.
public struct ClientOption: Sendable, Hashable {
    /// The ID that the client sends: the kind's name, or a branch's ID.
    public let id: String
    public let kind: ClientOptionType
    public let label: String
    /// The schema of the option's data; `nil` if it takes none.
    public let schema: InputSchema?

    init(_ kind: ClientOptionType, label: String, schema: InputSchema? = nil) {
        (self.id, self.kind, self.label, self.schema) = (kind.rawValue, kind, label, schema)
    }

    init(branch id: String, label: String, schema: InputSchema) {
        (self.id, kind, self.label, self.schema) = (id, .custom, label, schema)
    }

    static let cancel = ClientOption(.cancel, label: "Cancel")
    static let fail = ClientOption(.fail, label: "Failure")

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "type": .string(kind.rawValue), "label": .string(label),
        ]
        if let schema { members["schema"] = schema.json }
        return .object(members)
    }
}

/// A successful end of a journey.
public struct Completion: Sendable, Hashable {
    /// The user, as far as known. Only ``signedInUser`` may become a token's subject.
    public let user: JourneyUser?
    /// The user, if signed in.
    public var signedInUser: UserID? { user?.level == .authenticated ? user?.id : nil }
    public let claims: [String: JSONValue]
    public let acr: String?
    /// The transaction data that the user signed, as a claim.
    public let approvalData: [String: String]
}

/// An unsuccessful end of a journey.
public struct Rejection: Sendable, Hashable, Codable {
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// The journey reached a `reject_access` step.
        case rejected
        /// A step failed, and the journey does not continue after that failure.
        case failed
        /// The client canceled, and the journey does not continue after that.
        case cancelled
        case expired
        /// The journey requires a signed-in user.
        case notSignedIn = "not_signed_in"
        /// The journey ran more steps between two client responses than it allows.
        case tooManySteps = "too_many_steps"
        /// The definition has no next step. `mien journey lint` detects this.
        case journeyError = "journey_error"
    }

    public let cause: Cause
    public let step: StepID?
    /// The reason from the `reject_access` step, or the failed step's error.
    public let reason: String
}
