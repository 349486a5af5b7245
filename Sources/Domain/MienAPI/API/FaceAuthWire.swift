public import MienCore
public import MienIdentity

/// The purpose for which an app compares a person with a picture that it has of them.
public enum FaceAuthUseCase: String, WireWord {
    case login
    case credentialsRecovery = "credentials-recovery"
    case stepUp = "step-up"
}

/// A request of a relying party to compare a person with a picture:
/// `POST /verify/api/v1/face-auth`.
public struct FaceAuthRequest: Codable, Sendable, Hashable, CustomReflectable {
    /// The picture. Hides its content: descriptions and mirrors are empty.
    public struct Reference: Codable, Sendable, Hashable, CustomReflectable {
        public enum Kind: String, WireWord { case raw }
        public enum Format: String, WireWord { case jpeg, jpg, png, gif }

        public var type: Kind
        /// Base64 of at most 16,777,216 bytes.
        public var content: String
        public var format: Format

        public init(content: String, format: Format) {
            (type, self.content, self.format) = (.raw, content, format)
        }

        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    public var reference: Reference
    public var useCase: FaceAuthUseCase
    public var callbackURL: String?
    public var state: String?
    /// As in ``VerificationSessionRequest``.
    public var timeToLive: String?

    public init(
        reference: Reference, useCase: FaceAuthUseCase, callbackURL: String? = nil,
        state: String? = nil, timeToLive: String? = nil
    ) {
        (self.reference, self.useCase) = (reference, useCase)
        (self.callbackURL, self.state, self.timeToLive) = (callbackURL, state, timeToLive)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case reference, useCase = "use_case", callbackURL = "callback_url", state
        case timeToLive = "time_to_live"
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A new session that compares a person with a picture. Shown once, because only the hash of the
/// token is stored.
public struct NewFaceAuthSession: Codable, Sendable, Hashable {
    public var sessionID: String
    /// The credential of the capturing side: the start token of a verification session.
    public var deviceSessionID: String
    /// Milliseconds since 1970.
    public var expiration: Int64
    /// A link to the hosted page, which works once.
    public var url: String

    public init(sessionID: String, deviceSessionID: String, expiration: Int64, url: String) {
        (self.sessionID, self.deviceSessionID) = (sessionID, deviceSessionID)
        (self.expiration, self.url) = (expiration, url)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionID = "session_id", deviceSessionID = "device_session_id", expiration, url
    }
}

/// `GET /verify/api/v1/face-auth/{session}/result`.
public struct FaceAuthResult: Codable, Sendable, Hashable {
    public var sessionID: String
    public var status: WireValue<VerificationSession.Status>
    public var recommendation: WireValue<IdentityRecommendation>?
    public var useCase: WireValue<FaceAuthUseCase>?
    /// The results of checks, by name.
    public var checks: [String: String]?
    public var state: String?
    /// Milliseconds since 1970.
    public var createdAt: Int64
    public var endedAt: Int64?

    /// - Parameter result: Of the session, which compares nothing with documents.
    public init(_ result: VerificationSessionResult, useCase: WireValue<FaceAuthUseCase>?) {
        (sessionID, status, recommendation) = (
            result.sessionID, result.status, result.recommendation
        )
        (self.useCase, checks, state) = (useCase, result.checks, result.state)
        (createdAt, endedAt) = (result.createdAt, result.endedAt)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionID = "session_id", status, recommendation, useCase = "use_case", checks, state
        case createdAt = "created_at", endedAt = "ended_at"
    }
}
