/// `POST /v1/me/recovery-codes`. The codes are shown only once.
public struct RecoveryCodesAnswer: Codable, Sendable, Hashable {
    /// Ten single-use codes: `7K3QF-2M9XA-…`.
    public var codes: [String]
    public var createdAt: Int64

    public init(codes: [String], createdAt: Int64) {
        (self.codes, self.createdAt) = (codes, createdAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case codes, createdAt = "created_at" }
}

/// Prints the number of codes only.
extension RecoveryCodesAnswer: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(codes.count) recovery codes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// `GET /v1/me/recovery-codes`
public struct RecoveryCodesStatus: Codable, Sendable, Hashable {
    /// The number of unused codes.
    public var remaining: Int
    public var createdAt: Int64?

    public init(remaining: Int, createdAt: Int64? = nil) {
        (self.remaining, self.createdAt) = (remaining, createdAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case remaining, createdAt = "created_at"
    }
}

/// A pending recovery: one of `GET /v1/me/recovery`.
public struct OwnRecovery: Codable, Sendable, Hashable {
    public var id: String
    /// The app in which it was requested.
    public var appID: String
    /// The methods that proved the user, as `amr` values.
    public var methods: [String]
    public var requestedAt: Int64
    /// The earliest time it can be completed.
    public var effectiveAt: Int64

    public init(
        id: String, appID: String, methods: [String], requestedAt: Int64, effectiveAt: Int64
    ) {
        (self.id, self.appID, self.methods, self.requestedAt, self.effectiveAt) = (
            id, appID, methods, requestedAt, effectiveAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", methods, requestedAt = "requested_at", effectiveAt =
            "effective_at"
    }
}

/// `POST /v1/recovery/cancel`
public struct CancelRecoveryRequest: Codable, Sendable, Hashable {
    public var clientID: String
    public var clientSecret: String?
    /// The token of a device on which the user signed in before the recovery was requested.
    public var deviceToken: String

    public init(clientID: String, clientSecret: String? = nil, deviceToken: String) {
        (self.clientID, self.clientSecret, self.deviceToken) = (clientID, clientSecret, deviceToken)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case clientID = "client_id", clientSecret = "client_secret", deviceToken = "device_token"
    }
}
