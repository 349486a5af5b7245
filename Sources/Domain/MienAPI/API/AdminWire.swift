public import MienCore

/// `POST /v1/apps`, `PUT /v1/apps/{app}`
public struct AppRequest: Sendable, Hashable, Codable {
    public var id: String?
    public var name: String
    /// ``AppType/public`` by default; cannot be changed.
    public var type: AppType?
    /// Whether the operator runs the app. A new app is a third-party app if this is left out.
    public var isFirstParty: Bool?
    public var settings: JSONValue?
    /// Only for a new app.
    public var client: AppClient?
    /// Only for a change: ``AppAnswer/revision`` of the app that it was made from. Without it, the
    /// change replaces whatever there is.
    public var revision: String?

    public init(
        id: String? = nil, name: String, type: AppType? = nil, isFirstParty: Bool? = nil,
        settings: JSONValue? = nil, client: AppClient? = nil, revision: String? = nil
    ) {
        (self.id, self.name, self.type, self.isFirstParty, self.settings, self.client) = (
            id, name, type, isFirstParty, settings, client
        )
        self.revision = revision
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, type, isFirstParty = "first_party", settings, client, revision
    }
}

/// The software that an app signs in with. It decides the default settings of a new app.
public enum AppClient: String, WireWord {
    /// `MienClient`, which binds tokens to a key: `requires_dpop` is `true` by default.
    case mien
    /// Any other client, which may support bearer tokens only.
    case other
}

public struct AppAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var type: WireValue<AppType>
    /// Whether the operator runs the app.
    public var isFirstParty: Bool
    public var settings: JSONValue
    /// Present only when a confidential app is created or gets a new secret.
    public var clientSecret: String?
    public var createdAt: Int64
    /// The state that a change is made from. It differs after any change of the name, the party, or
    /// the settings. `nil` from a server that has none.
    public var revision: String?
    /// The apps, services, whose setting `introspection_apps` names this one; only in the answer
    /// about one app.
    public var introspectedBy: [String]?
    /// The initial access token with which a program registered the app (RFC 7591); `nil` for an app
    /// of an administrator.
    public var registrationToken: String?

    public init(
        id: String, name: String, type: WireValue<AppType>, isFirstParty: Bool, settings: JSONValue,
        clientSecret: String? = nil, createdAt: Int64, revision: String? = nil,
        introspectedBy: [String]? = nil, registrationToken: String? = nil
    ) {
        (self.introspectedBy, self.registrationToken) = (introspectedBy, registrationToken)
        (self.id, self.name, self.type, self.isFirstParty, self.settings) = (
            id, name, type, isFirstParty, settings
        )
        (self.clientSecret, self.createdAt, self.revision) = (clientSecret, createdAt, revision)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, type, isFirstParty = "first_party", settings, clientSecret = "client_secret",
            createdAt = "created_at", revision, introspectedBy = "introspected_by",
            registrationToken = "registration_token"
    }
}

/// `GET /v1/apps/{app}/refusals`: why requests of an app were refused.
public struct AppRefusalsAnswer: Sendable, Hashable, Codable {
    public struct Refusal: Sendable, Hashable, Codable {
        /// The route, such as `/oauth2/token`.
        public var route: String
        /// The error code of OAuth or OpenID Connect, such as `invalid_grant`.
        public var error: String
        /// The reason. Repeats nothing of the request.
        public var description: String
        /// The minimum number of refusals: a server that is killed loses the counts of its last ten
        /// seconds.
        public var count: Int
        public var firstAt: Int64
        public var lastAt: Int64

        public init(
            route: String, error: String, description: String, count: Int, firstAt: Int64,
            lastAt: Int64
        ) {
            (self.route, self.error, self.description) = (route, error, description)
            (self.count, self.firstAt, self.lastAt) = (count, firstAt, lastAt)
        }

        public enum CodingKeys: String, CodingKey, CaseIterable {
            case route, error, description, count, firstAt = "first_at", lastAt = "last_at"
        }
    }

    /// At most 30, the latest first. Requests that nobody authenticated count for the app that they
    /// name.
    public var refusals: [Refusal]

    public init(refusals: [Refusal]) { self.refusals = refusals }
}

/// `POST /v1/users`, `PATCH /v1/users/{user}`. Missing fields stay unchanged.
public struct UserRequest: Sendable, Hashable, Codable {
    /// A state that an administrator can give to a user.
    public enum State: String, WireWord { case active, suspended }

    public var externalID: String?
    public var username: String?
    public var email: String?
    /// Whether the administrator vouches for the address; `true` if left out. An unverified address
    /// never names the account.
    public var emailVerified: Bool?
    public var password: String?
    /// Cannot be set for a new user, who is always active.
    public var state: State?
    public var attributes: [String: JSONValue]?
    /// Whether the account is for trying journeys. Only for a new user; it never changes.
    public var isTest: Bool?

    public init(
        externalID: String? = nil, username: String? = nil, email: String? = nil,
        emailVerified: Bool? = nil, password: String? = nil,
        state: State? = nil, attributes: [String: JSONValue]? = nil, isTest: Bool? = nil
    ) {
        (self.externalID, self.username, self.email, self.emailVerified, self.password) = (
            externalID, username, email, emailVerified, password
        )
        (self.state, self.attributes, self.isTest) = (state, attributes, isTest)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case externalID = "external_id", username, email, emailVerified = "email_verified",
            password, state, attributes, isTest = "is_test"
    }
}

public struct UserAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var externalID: String?
    public var username: String?
    public var email: String?
    /// Whether the address is verified; absent without one. Only a verified address names the
    /// account and gets codes.
    public var emailVerified: Bool?
    public var state: WireValue<AccountState>
    public var attributes: [String: JSONValue]
    public var createdAt: Int64
    /// `true` for an account that was made to try journeys; absent otherwise.
    public var isTest: Bool?

    public init(
        id: String, externalID: String?, username: String?, email: String?,
        emailVerified: Bool? = nil, state: WireValue<AccountState>,
        attributes: [String: JSONValue], createdAt: Int64, isTest: Bool? = nil
    ) {
        (self.id, self.externalID, self.username, self.email, self.emailVerified) = (
            id, externalID, username, email, emailVerified
        )
        (self.state, self.attributes, self.createdAt) = (state, attributes, createdAt)
        self.isTest = isTest
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, externalID = "external_id", username, email, emailVerified = "email_verified",
            state, attributes, createdAt = "created_at", isTest = "is_test"
    }
}

public struct AuthenticatorAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var type: WireValue<AuthenticatorType>
    public var appID: String?
    /// The lock for callers on devices without a counter of their own.
    public var lock: WireValue<LockState>
    public var lockedUntil: Int64?
    /// The cause of the lock; `nil` while it is open.
    public var lockedBy: WireValue<LockCause>?
    /// Consecutive failures on devices without a counter of their own.
    public var failures: Int
    /// Failures on all devices, of all authenticators of this type, since the owner's last success.
    /// At `disable_after`, devices without a counter of their own are disabled.
    public var totalFailures: Int
    /// The devices that have a counter of their own.
    public var devices: [DeviceLockAnswer]
    public var info: [String: JSONValue]
    public var createdAt: Int64
    public var updatedAt: Int64

    public init(
        id: String, type: WireValue<AuthenticatorType>, appID: String?,
        lock: WireValue<LockState>, lockedUntil: Int64?, lockedBy: WireValue<LockCause>? = nil,
        failures: Int, totalFailures: Int = 0,
        devices: [DeviceLockAnswer] = [], info: [String: JSONValue], createdAt: Int64,
        updatedAt: Int64
    ) {
        (self.id, self.type, self.appID, self.lock, self.lockedUntil, self.lockedBy) = (
            id, type, appID, lock, lockedUntil, lockedBy
        )
        (self.failures, self.totalFailures, self.devices, self.info) = (
            failures, totalFailures, devices, info
        )
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, type, appID = "app_id", lock, lockedUntil = "locked_until", lockedBy = "locked_by",
            failures, totalFailures = "total_failures"
        case devices, info, createdAt = "created_at", updatedAt = "updated_at"
    }
}

/// Whether an authenticator accepts guesses.
public enum LockState: String, WireWord {
    case open
    /// Ends automatically.
    case locked
    /// Ends with an unlock.
    case disabled
}

/// The cause of a lock.
public enum LockCause: String, WireWord { case administrator, journey, failures }

/// A device on which a method has succeeded and which therefore has its own counter.
public struct DeviceLockAnswer: Sendable, Hashable, Codable {
    public var id: String
    /// The lock for this device.
    public var lock: WireValue<LockState>
    public var lockedUntil: Int64?
    public var failures: Int

    public init(id: String, lock: WireValue<LockState>, lockedUntil: Int64?, failures: Int) {
        (self.id, self.lock, self.lockedUntil, self.failures) = (id, lock, lockedUntil, failures)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, lock, lockedUntil = "locked_until", failures
    }
}

/// One page of a list, and the start of the next.
public struct Page<Item: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    public var items: [Item]
    /// The value of `after` for the next page; `nil` on the last page.
    public var next: String?

    public init(items: [Item], next: String? = nil) { (self.items, self.next) = (items, next) }
}

/// Whether apps can start a version of a journey.
public enum JourneyVersionState: String, WireWord { case draft, published, retired }

public struct JourneyVersionAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var version: Int
    public var state: WireValue<JourneyVersionState>
    public var title: String
    public var updatedAt: Int64

    public init(
        id: String, version: Int, state: WireValue<JourneyVersionState>, title: String,
        updatedAt: Int64
    ) {
        (self.id, self.version, self.state, self.title, self.updatedAt) = (
            id, version, state, title, updatedAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, version, state, title, updatedAt = "updated_at"
    }
}

/// The permission that a consent gives.
public enum ConsentPurpose: String, WireWord {
    /// To store a face.
    case face
    /// To compare a face with those of the app's other users.
    case faceSearch = "face-search"
    /// To share a face between the apps of a group.
    case faceSharing = "face-sharing"
    /// To verify an identity.
    case identity
    /// To let an app of others know who the user is.
    case permission
}

public struct ConsentAnswer: Sendable, Hashable, Codable {
    /// The app, or for `face-sharing` the group of apps.
    public var appID: String
    /// The apps that share the face, and that the person agreed to. `nil` for other purposes.
    public var appIDs: [String]?
    public var purpose: WireValue<ConsentPurpose>
    /// `nil` for a permission, whose page names the scope instead.
    public var textVersion: String?
    /// The scope that a permission allows: words separated by spaces.
    public var scope: String?
    public var givenAt: Int64
    public var withdrawnAt: Int64?

    public init(
        appID: String, appIDs: [String]? = nil, purpose: WireValue<ConsentPurpose>,
        textVersion: String?, scope: String? = nil, givenAt: Int64, withdrawnAt: Int64?
    ) {
        self.appIDs = appIDs
        (self.appID, self.purpose, self.textVersion) = (appID, purpose, textVersion)
        (self.scope, self.givenAt, self.withdrawnAt) = (scope, givenAt, withdrawnAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case appID = "app_id", appIDs = "app_ids", purpose, textVersion = "text_version", scope,
            givenAt = "given_at", withdrawnAt = "withdrawn_at"
    }
}

/// How many people have yet to be migrated to the model pack in use.
public struct FaceMigrationAnswer: Sendable, Hashable, Codable {
    /// The model pack in use.
    public var pack: String
    /// The number of people with a face of another pack.
    public var remaining: Int
    /// The number of templates that migrations have replaced and that are not erased yet.
    public var formerTemplates: Int
    /// By pack.
    public var packs: [FacePackAnswer]

    public init(pack: String, remaining: Int, formerTemplates: Int, packs: [FacePackAnswer]) {
        (self.pack, self.remaining) = (pack, remaining)
        (self.formerTemplates, self.packs) = (formerTemplates, packs)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case pack, remaining, formerTemplates = "former_templates", packs
    }
}

/// The faces that one model pack made.
public struct FacePackAnswer: Sendable, Hashable, Codable {
    /// `unknown` for faces that do not say.
    public var pack: String
    public var faces: Int
    public var people: Int
    /// Whether the server can compare these faces.
    public var isLoaded: Bool

    public init(pack: String, faces: Int, people: Int, isLoaded: Bool) {
        (self.pack, self.faces, self.people, self.isLoaded) = (pack, faces, people, isLoaded)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case pack, faces, people, isLoaded = "is_loaded"
    }
}

public struct AuditEntryAnswer: Sendable, Hashable, Codable {
    public var number: Int
    public var at: Int64
    public var event: String
    public var actor: String
    public var userID: String?
    public var appID: String?
    public var detail: [String: JSONValue]
    /// base64url
    public var hash: String

    public init(
        number: Int, at: Int64, event: String, actor: String, userID: String?, appID: String?,
        detail: [String: JSONValue], hash: String
    ) {
        (self.number, self.at, self.event, self.actor) = (number, at, event, actor)
        (self.userID, self.appID, self.detail, self.hash) = (userID, appID, detail, hash)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case number, at, event, actor, userID = "user_id", appID = "app_id", detail, hash
    }
}

/// A position in the audit log: a number and the hash that covers all entries up to it.
public struct AuditPosition: Sendable, Hashable, Codable {
    /// 0 before the first entry.
    public var number: Int
    /// base64url
    public var hash: String

    public init(number: Int, hash: String) { (self.number, self.hash) = (number, hash) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case number, hash }
}

/// An entry of the audit log as it is stored, so that its hash can be computed from it.
public struct AuditSegmentEntry: Sendable, Hashable, Codable {
    public var number: Int
    public var at: Int64
    public var event, actor: String
    /// Empty if there is none.
    public var userID, appID: String
    /// JSON text.
    public var detail: String
    /// base64url
    public var hash: String

    public init(
        number: Int, at: Int64, event: String, actor: String, userID: String, appID: String,
        detail: String, hash: String
    ) {
        (self.number, self.at, self.event, self.actor) = (number, at, event, actor)
        (self.userID, self.appID, self.detail, self.hash) = (userID, appID, detail, hash)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case number, at, event, actor, userID = "user_id", appID = "app_id", detail, hash
    }
}

/// A part of the audit log to export.
public struct AuditSegmentAnswer: Sendable, Hashable, Codable {
    /// The position before the first entry.
    public var start: AuditPosition
    public var entries: [AuditSegmentEntry]

    public init(start: AuditPosition, entries: [AuditSegmentEntry]) {
        (self.start, self.entries) = (start, entries)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case start, entries }
}

/// The result of pruning the audit log.
public struct AuditPruneAnswer: Sendable, Hashable, Codable {
    public var removed: Int
    /// The position where the log starts now.
    public var start: AuditPosition

    public init(removed: Int, start: AuditPosition) {
        (self.removed, self.start) = (removed, start)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case removed, start }
}

public struct AuditVerdictAnswer: Sendable, Hashable, Codable {
    public var isWhole: Bool
    /// The number of the last entry; pruned entries count.
    public var entries: Int?
    /// The hash of the last entry in base64url.
    public var lastHash: String?
    /// The number of the first entry that was changed.
    public var brokenAt: Int?
    /// The last pruned entry; `nil` if none was pruned.
    public var start: AuditPosition?

    public init(
        isWhole: Bool, entries: Int? = nil, lastHash: String? = nil, brokenAt: Int? = nil,
        start: AuditPosition? = nil
    ) {
        (self.isWhole, self.entries, self.lastHash, self.brokenAt, self.start) = (
            isWhole, entries, lastHash, brokenAt, start
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case isWhole = "is_whole", entries, lastHash = "last_hash", brokenAt = "broken_at", start
    }
}
