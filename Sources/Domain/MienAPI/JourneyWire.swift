public import MienCore

/// `POST /v1/journeys/{journey}/start`
public struct StartJourneyRequest: Sendable, Hashable, Codable {
    public var clientID: String
    /// A confidential app's.
    public var clientSecret: String?
    /// What the journey's own parameters are.
    public var additionalParams: JSONValue?
    /// The client's own mark; comes back in the token.
    public var flowID: String?
    /// From an earlier completion: this is a device the user has signed in on.
    public var deviceToken: String?

    public init(
        clientID: String, clientSecret: String? = nil, additionalParams: JSONValue? = nil,
        flowID: String? = nil, deviceToken: String? = nil
    ) {
        (self.clientID, self.clientSecret, self.additionalParams) = (
            clientID, clientSecret, additionalParams
        )
        (self.flowID, self.deviceToken) = (flowID, deviceToken)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", additionalParams =
            "additional_params", flowID = "flow_id"
        case deviceToken = "device_token"
    }
}

/// `POST /v1/journeys/respond`
public struct RespondRequest: Sendable, Hashable, Codable {
    /// From the last answer; good for one response.
    public var state: String
    /// The id of one of the answer's options.
    public var option: String
    public var data: JSONValue?

    public init(state: String, option: String, data: JSONValue? = nil) {
        (self.state, self.option, self.data) = (state, option, data)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case state, option, data }
}

/// What a journey answers: what to do next, or how it ended.
public struct JourneyAnswer: Sendable, Hashable, Codable {
    /// For the next response; `nil` at the end.
    public var state: String?
    /// `loginForm`, `selfieAcquisition`, …, `success`, `rejection`.
    public var journeyStepID: String
    public var data: JSONValue?
    /// Why the last step failed, as far as this client may know.
    public var errorData: JSONValue?
    public var clientResponseOptions: [String: ClientOptionWire]
    /// A signed JWT; with `success` only.
    public var token: String?
    /// Keep it on the device: it shows later journeys that the user has signed in here. With
    /// `success` only.
    public var deviceToken: String?
    /// Milliseconds since 1970: when the journey expires.
    public var expiresAt: Int64

    public init(
        state: String?, journeyStepID: String, data: JSONValue? = nil, errorData: JSONValue? = nil,
        clientResponseOptions: [String: ClientOptionWire] = [:], token: String? = nil,
        deviceToken: String? = nil, expiresAt: Int64
    ) {
        (self.state, self.journeyStepID, self.data, self.errorData) = (
            state, journeyStepID, data, errorData
        )
        (self.clientResponseOptions, self.token, self.deviceToken, self.expiresAt) = (
            clientResponseOptions, token, deviceToken, expiresAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case state, journeyStepID = "journey_step_id", data, errorData = "error_data",
            clientResponseOptions = "client_response_options", token
        case deviceToken = "device_token", expiresAt = "expires_at"
    }
}

/// One way to answer.
public struct ClientOptionWire: Sendable, Hashable, Codable {
    /// `client_input`, `cancel`, `fail`, `resend`, `custom`.
    public var type: String
    public var label: String
    /// What `data` must be.
    public var schema: JSONValue?

    public init(type: String, label: String, schema: JSONValue? = nil) {
        (self.type, self.label, self.schema) = (type, label, schema)
    }
}
