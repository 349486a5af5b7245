import MienCore

/// The surroundings of a journey in a test: accounts, faces in front of the camera, other systems.
/// Answers effects as a server would.
struct SimulatedWorld: Sendable {
    struct User: Sendable {
        let id: UserID
        /// The user's names, in lowercase.
        var names: [String]
        var email: String?
        /// An address entered at a sign-up in this run and not yet verified.
        var claimedEmail: String?
        /// A sign-up whose name is taken. It proceeds like any other and never completes.
        var isDecoy = false
        var password: String?
        /// The people whose faces are registered.
        var faces: [String] = []
        var deviceKeys: [String] = []
        /// Whether the user has an OTP token, whose codes are ``SimulatedWorld/tokenCode``.
        var hasToken = false
        /// The unused recovery codes.
        var recoveryCodes: [String] = []
        /// Whether a recovery's hold period has ended.
        var hasEffectiveRecovery = false
        var consents: [String] = []
        var locked: Set<AuthenticatorType> = []
        var failures: [AuthenticatorType: Int] = [:]
    }

    struct Selfie: Sendable {
        let person: String
        let isLive: Bool
        /// Whether the person consents if the capture asks.
        let consents: Bool
    }

    struct Verification: Sendable {
        let recommendation: VerificationVerdict.Recommendation
        let selfie: String?
        let summary: [String: JSONValue]
        /// Whether the server checks a document if the step needs one.
        let checksDocument: Bool
        /// The reason that the session has not ended, if so.
        let waits: VerificationWait.Reason?
    }

    struct Webhook: Sendable {
        let status: Int
        let body: JSONValue
    }

    enum Approval: String, Sendable, CaseIterable { case approved, declined, pending }

    struct SentCode: Sendable {
        let user: UserID?
        let expiresAt: Instant
    }

    var users: [User] = []
    var selfies: [String: Selfie] = [:]
    var verifications: [String: Verification] = [:]
    var webhooks: [String: Webhook] = [:]
    /// Device keys by their IDs.
    var keys: [String: SimulatedKey] = [:]
    var passcode = "123456"
    var tokenCode = "654321"
    /// The user's decision on another device that is asked for approval.
    var approval = Approval.approved
    var lockAfter = 5
    /// The hold period of a recovery.
    static let hold = Duration.seconds(86_400)

    /// The current selfie and verification.
    var selfieNow, verificationNow: String?
    var captures: [CaptureID: Selfie] = [:]
    /// The versions of the texts that captures and verifications ask consent to, by their IDs.
    var askedConsents: [String: String] = [:]
    var codes: [CodeID: SentCode] = [:]
    var challenges: [ChallengeID: String] = [:]
    var issued = 0

    static let keys = [
        "users", "selfies", "verifications", "webhooks", "keys", "passcode", "token_code",
        "approval", "lock_after",
    ]
    static let userKeys = [
        "id", "username", "email", "external_id", "password", "faces", "device_keys", "token",
        "recovery_codes", "recovery", "consents", "locked",
    ]

    func user(_ name: String) -> User? { users.first { $0.names.contains(name.lowercased()) } }
}

extension SimulatedWorld {
    init(_ value: JSONValue) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: "world", known: Self.keys)
        for (path, value) in try reader.array("users", maxCount: 1000) ?? [] {
            users.append(try User(value, path: path, number: users.count + 1))
        }
        for (name, value) in try reader.object("selfies", maxCount: 1000) ?? [] {
            selfies[name] = try Selfie(value, path: reader.path("selfies.\(name)"))
        }
        for (name, value) in try reader.object("verifications", maxCount: 1000) ?? [] {
            verifications[name] = try Verification(
                value, path: reader.path("verifications.\(name)"))
        }
        for (url, value) in try reader.object("webhooks", maxCount: 1000) ?? [] {
            let webhook = try SettingReader(
                value, path: reader.path("webhooks.\(url)"), known: ["status", "body"])
            webhooks[url] = Webhook(
                status: try webhook.integer("status", 100...599, default: 200),
                body: webhook.value("body") ?? [:])
        }
        for (id, value) in try reader.object("keys", maxCount: 100) ?? [] {
            keys[id] = try SimulatedKey(value, path: reader.path("keys.\(id)"))
        }
        passcode = try reader.string("passcode", maxLength: 10) ?? passcode
        tokenCode = try reader.string("token_code", maxLength: 20) ?? tokenCode
        approval = try reader.choice("approval", default: approval)
        lockAfter = try reader.integer("lock_after", 1...1000, default: lockAfter)
    }
}

extension SimulatedWorld.User {
    fileprivate init(_ value: JSONValue, path: String, number: Int) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: path, known: SimulatedWorld.userKeys)
        let id = try reader.string("id", maxLength: 64) ?? "usr_\(number)"
        guard let id = UserID(id) else {
            throw reader.error("id", "expected 1 to 64 of A-Z, a-z, 0-9, “_”, “-” and “.”")
        }
        self.id = id
        var names = [id.text.lowercased()]
        for key in ["username", "email", "external_id"] {
            if let name = try reader.string(key, maxLength: 254) { names.append(name.lowercased()) }
        }
        self.names = names
        email = try reader.string("email", maxLength: 254)
        password = try reader.string("password", maxLength: 1024)
        faces = try Self.words("faces", reader)
        deviceKeys = try Self.words("device_keys", reader)
        hasToken = try reader.flag("token", default: false)
        recoveryCodes = try Self.words("recovery_codes", reader)
        hasEffectiveRecovery = try reader.flag("recovery", default: false)
        consents = try Self.words("consents", reader)
        for word in try Self.words("locked", reader) {
            guard let type = AuthenticatorType(rawValue: word) else {
                throw reader.error(
                    "locked",
                    "authenticators are \(AuthenticatorType.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            locked.insert(type)
        }
    }

    private static func words(_ name: String, _ reader: SettingReader)
        throws(JourneyDefinitionError) -> [String]
    {
        var words: [String] = []
        for (path, value) in try reader.array(name, maxCount: 100) ?? [] {
            guard let word = value.stringValue else {
                throw JourneyDefinitionError(path: path, reason: "expected a string")
            }
            words.append(word)
        }
        return words
    }
}

extension SimulatedWorld.Selfie {
    /// Reads a person's name, or `{"shows": name, "live": false, "consents": false}`.
    fileprivate init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        if case .string(let person) = value {
            (self.person, isLive, consents) = (person, true, true)
            return
        }
        let reader = try SettingReader(value, path: path, known: ["shows", "live", "consents"])
        person = try reader.required("shows", try reader.string("shows", maxLength: 100))
        isLive = try reader.flag("live", default: true)
        consents = try reader.flag("consents", default: true)
    }
}

extension SimulatedWorld.Verification {
    fileprivate init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        let reader = try SettingReader(
            value, path: path, known: ["recommendation", "selfie", "summary", "documents", "waits"])
        recommendation = try reader.choice("recommendation", default: .allow)
        selfie = try reader.string("selfie", maxLength: 100)
        summary = reader.value("summary")?.objectValue ?? [:]
        checksDocument = try reader.flag("documents", default: true)
        waits = try reader.choice("waits")
    }
}
