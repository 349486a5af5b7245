public import MienCore

/// `POST /v1/journeys/{journey}/start`
public struct StartJourneyRequest: Sendable, Hashable, Codable {
    public var clientID: String
    /// The secret of a confidential app.
    public var clientSecret: String?
    /// The journey's own parameters.
    public var additionalParams: JSONValue?
    /// The client's own identifier; returned in the token.
    public var flowID: String?
    /// From an earlier completion. Proves that the user has signed in on this device before.
    public var deviceToken: String?
    /// The organization through which the user signs in: an ID, an external ID, or `none`.
    public var organization: String?

    public init(
        clientID: String, clientSecret: String? = nil, additionalParams: JSONValue? = nil,
        flowID: String? = nil, deviceToken: String? = nil, organization: String? = nil
    ) {
        self.organization = organization
        (self.clientID, self.clientSecret, self.additionalParams) = (
            clientID, clientSecret, additionalParams
        )
        (self.flowID, self.deviceToken) = (flowID, deviceToken)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", additionalParams =
            "additional_params", flowID = "flow_id"
        case deviceToken = "device_token", organization
    }
}

/// `POST /v1/journeys/respond`
public struct RespondRequest: Sendable, Hashable, Codable {
    /// From the last answer; valid for one response.
    public var state: String
    /// The id of one of the answer's options.
    public var option: String
    public var data: JSONValue?

    public init(state: String, option: String, data: JSONValue? = nil) {
        (self.state, self.option, self.data) = (state, option, data)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case state, option, data }
}

/// The answer of a journey: what to do next, or how it ended.
public struct JourneyAnswer: Sendable, Hashable, Codable {
    /// For the next response; `nil` at the end.
    public var state: String?
    public var journeyStepID: WireValue<JourneyStepName>
    public var data: JSONValue?
    /// The reason the last step failed, as far as this client may know.
    public var errorData: JSONValue?
    public var clientResponseOptions: [String: ClientOptionWire]
    /// A signed JWT; with `success` only.
    public var token: String?
    /// Keep it on the device. It proves to later journeys that the user has signed in here. With
    /// `success` only.
    public var deviceToken: String?
    /// The time the journey expires, in milliseconds since 1970.
    public var expiresAt: Int64

    public init(
        state: String?, journeyStepID: WireValue<JourneyStepName>, data: JSONValue? = nil,
        errorData: JSONValue? = nil,
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

/// One way to respond.
public struct ClientOptionWire: Sendable, Hashable, Codable {
    public var type: WireValue<ClientOptionType>
    public var label: String
    /// The JSON schema of `data`.
    public var schema: JSONValue?

    public init(type: WireValue<ClientOptionType>, label: String, schema: JSONValue? = nil) {
        (self.type, self.label, self.schema) = (type, label, schema)
    }
}
