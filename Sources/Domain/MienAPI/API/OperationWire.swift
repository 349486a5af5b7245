public import MienCore

/// The settings that an app can have, for forms.
public struct AppSettingsGuideAnswer: Codable, Sendable, Hashable {
    /// The JSON Schema of an app's settings: descriptions, ranges, choices.
    public var schema: JSONValue
    /// The values in effect on this server where an app sets none.
    public var defaults: JSONValue
    /// The meaning of match scores, by rising score.
    public var thresholds: [FaceThresholdAnswer]

    public init(schema: JSONValue, defaults: JSONValue, thresholds: [FaceThresholdAnswer]) {
        (self.schema, self.defaults, self.thresholds) = (schema, defaults, thresholds)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case schema, defaults, thresholds }
}

/// The false-match rate of a match score.
public struct FaceThresholdAnswer: Codable, Sendable, Hashable {
    public var score: Double
    public var falseMatchRate: Double
    /// Such as `1 in 10,000`.
    public var inWords: String

    public init(score: Double, falseMatchRate: Double, inWords: String) {
        (self.score, self.falseMatchRate, self.inWords) = (score, falseMatchRate, inWords)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case score, falseMatchRate = "false_match_rate", inWords = "in_words"
    }
}

/// A setting of the server in effect.
public struct ServerSettingAnswer: Codable, Sendable, Hashable {
    public var key: String
    /// The environment variable that sets it.
    public var variable: String
    /// `nil` for a secret.
    public var value: String?
    /// Whether the value differs from the default, or a secret has one.
    public var isSet: Bool
    public var isSecret: Bool
    public var meaning: String

    public init(
        key: String, variable: String, value: String?, isSet: Bool, isSecret: Bool, meaning: String
    ) {
        (self.key, self.variable, self.value) = (key, variable, value)
        (self.isSet, self.isSecret, self.meaning) = (isSet, isSecret, meaning)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case key, variable, value, isSet = "is_set", isSecret = "is_secret", meaning
    }
}

/// A metric of the server with its series.
public struct MetricAnswer: Codable, Sendable, Hashable {
    public var name: String
    public var help: String?
    /// `counter`, `gauge`, or `histogram`.
    public var type: String
    public var series: [MetricSeriesAnswer]

    public init(name: String, help: String?, type: String, series: [MetricSeriesAnswer]) {
        (self.name, self.help, self.type, self.series) = (name, help, type, series)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name, help, type, series }
}

/// The values of a metric with one set of labels. A histogram's value is the sum of its
/// observations.
public struct MetricSeriesAnswer: Codable, Sendable, Hashable {
    public var labels: [String: String]
    public var value: Double
    /// The number of observations; only of a histogram.
    public var count: Int?
    /// Only of a histogram.
    public var buckets: [MetricBucketAnswer]?

    public init(
        labels: [String: String], value: Double, count: Int? = nil,
        buckets: [MetricBucketAnswer]? = nil
    ) {
        (self.labels, self.value, self.count, self.buckets) = (labels, value, count, buckets)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case labels, value, count, buckets }
}

/// The observations above the previous bucket's bound and at or below this one's.
public struct MetricBucketAnswer: Codable, Sendable, Hashable {
    /// `nil` for the last bucket, which has no bound.
    public var atMost: Double?
    public var count: Int

    public init(atMost: Double?, count: Int) { (self.atMost, self.count) = (atMost, count) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case atMost = "at_most", count }
}

/// `POST /v1/journeys/webhook/test`: tests the URL of a step `call_webhook`.
public struct WebhookTestRequest: Codable, Sendable, Hashable {
    public var url: String
    /// As the step's setting, ``seconds``; by default, ``standardSeconds``.
    public var timeoutSeconds: Int?

    public static let maxURLBytes = 2000, seconds = 1...30, standardSeconds = 5

    public init(url: String, timeoutSeconds: Int? = nil) {
        (self.url, self.timeoutSeconds) = (url, timeoutSeconds)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case url, timeoutSeconds = "timeout_seconds"
    }
}

/// The result of a call that was made to test a connection. The answer's body is never part of it.
public struct ConnectionTestAnswer: Codable, Sendable, Hashable {
    /// Whether the service answered as it should.
    public var isWorking: Bool
    /// The HTTP status, if there was an answer.
    public var status: Int?
    /// Why it does not work.
    public var reason: String?

    public init(isWorking: Bool, status: Int? = nil, reason: String? = nil) {
        (self.isWorking, self.status, self.reason) = (isWorking, status, reason)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case isWorking = "is_working", status, reason
    }
}

/// `POST /v1/mail/test`: sends a test to an address.
public struct MailTestRequest: Codable, Sendable, Hashable {
    public var address: String

    public init(address: String) { self.address = address }

    public enum CodingKeys: String, CodingKey, CaseIterable { case address }
}

/// The result of a test of the mail relay.
public struct MailTestAnswer: Codable, Sendable, Hashable {
    /// Whether the relay accepted the test. It may still be refused on its way.
    public var isWorking: Bool
    /// Why it does not work.
    public var reason: String?
    /// The lines of the conversation: `*` before what this server does, `>` before what it says, `<`
    /// before what the relay says. Logins are hidden.
    public var dialog: [String]

    public init(isWorking: Bool, reason: String? = nil, dialog: [String]) {
        (self.isWorking, self.reason, self.dialog) = (isWorking, reason, dialog)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case isWorking = "is_working", reason, dialog
    }
}

/// A source that identities are verified with.
public struct IdentitySourceAnswer: Codable, Sendable, Hashable {
    public var name: String
    /// Whether it invents its answers.
    public var isSimulated: Bool

    public init(name: String, isSimulated: Bool) {
        (self.name, self.isSimulated) = (name, isSimulated)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case name, isSimulated = "is_simulated"
    }
}
