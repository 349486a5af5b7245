public import MienCore

/// What happens to a run of a journey.
public enum JourneyEvent: Sendable, Hashable {
    /// - Parameters:
    ///   - parameters: what the client gives along; checked against the definition's `parameters`.
    ///   - user: who has signed in already, as the caller has verified.
    case start(parameters: JSONValue = .null, user: JourneyUser? = nil)
    /// What the client answered to the last prompt.
    case response(ClientResponse)
    case performed(EffectResult)

    public static func response(option: String, data: JSONValue = .null) -> Self {
        .response(ClientResponse(option: option, data: data))
    }
}

/// An option's id, and what goes with it.
public struct ClientResponse: Sendable, Hashable {
    public let option: String
    /// May hold a password.
    public let data: Sensitive<JSONValue>

    public init(option: String, data: JSONValue = .null) {
        (self.option, self.data) = (option, Sensitive(data))
    }
}

/// What comes next.
public enum JourneyDecision: Sendable, Hashable {
    /// Do this and come back.
    case perform(JourneyEffect)
    case ask(ClientPrompt)
    case complete(Completion)
    case reject(Rejection)
}

/// What a client is asked.
public struct ClientPrompt: Sendable, Hashable {
    /// In the definition.
    public let stepID: StepID
    /// What clients switch on: `loginForm`, `selfieAcquisition` …
    public let journeyStepID: String
    public let data: JSONValue
    /// How the client may answer; the first is the usual way on.
    public let options: [ClientOption]
}

/// A way to answer.
public struct ClientOption: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case clientInput = "client_input", cancel, fail, resend, custom
    }

    /// What the client sends: the kind's name, or a branch's id.
    public let id: String
    public let kind: Kind
    public let label: String
    /// What goes with it; `nil` when nothing does.
    public let schema: InputSchema?

    init(_ kind: Kind, label: String, schema: InputSchema? = nil) {
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

/// The journey reached its aim.
public struct Completion: Sendable, Hashable {
    /// As far as it is known; only ``signedInUser`` may become a token's subject.
    public let user: JourneyUser?
    /// The user, if they signed in.
    public var signedInUser: UserID? { user?.level == .authenticated ? user?.id : nil }
    public let claims: [String: JSONValue]
    public let acr: String?
    /// What the user signed, as a claim.
    public let approvalData: [String: String]
}

/// The journey ended before its aim.
public struct Rejection: Sendable, Hashable, Codable {
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// A `reject_access` step.
        case rejected
        /// A step failed and the journey does not go on after that.
        case failed
        /// The client cancelled and the journey does not go on after that.
        case cancelled
        case expired
        /// The journey asks for a user who has signed in.
        case notSignedIn = "not_signed_in"
        /// More steps between two answers of the client than the journey allows.
        case tooManySteps = "too_many_steps"
        /// The definition leads nowhere from here. `mien journey lint` finds this.
        case journeyError = "journey_error"
    }

    public let cause: Cause
    public let step: StepID?
    /// The `reject_access` step's reason, or the error of the step that failed.
    public let reason: String
}
