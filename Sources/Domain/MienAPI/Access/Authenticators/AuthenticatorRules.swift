public import MienCore

/// The rules and the words of one type of authenticator. Each type has one file in this folder.
public protocol AuthenticatorRules {
    /// The `amr` value: RFC 8176, and `face` from its registry.
    static var method: String { get }

    /// Whether an authenticator belongs to the app it is added in, rather than to the account.
    static var isPerApp: Bool { get }

    /// The lock policy, unless an app sets another.
    static var lockPolicy: LockPolicy { get }

    /// Its name in emails and pages.
    static var noun: String { get }

    /// `A` or `An`, as the name is spoken.
    static var article: String { get }

    /// The `amr` values that a sign-in with this authenticator could have in an app. Empty if it
    /// raises no assurance there.
    static func methods(
        of authenticator: AuthenticatorFacts, through means: SignInMeans
    ) -> Set<String>
}

extension AuthenticatorRules {
    public static var isPerApp: Bool { false }
    public static var lockPolicy: LockPolicy { .secret }
    public static var article: String { "A" }
}

/// Facts about one stored authenticator that its rules depend on.
public struct AuthenticatorFacts: Sendable, Hashable {
    /// Whether an attestation proved where a device key lives.
    public var isAttested: Bool
    /// How the device verifies its user before a device key signs. `nil` if the app did not say.
    public var userVerification: KeyUserVerification?

    public init(isAttested: Bool = false, userVerification: KeyUserVerification? = nil) {
        (self.isAttested, self.userVerification) = (isAttested, userVerification)
    }
}

/// The ways in which an app lets users sign in.
public struct SignInMeans: Sendable, Hashable {
    /// Types of authenticators that the app's journeys request.
    public var requested: Set<AuthenticatorType>
    /// Whether the server accepts passkeys.
    public var acceptsPasskeys: Bool
    /// Whether the server and the app accept device keys.
    public var acceptsDeviceKeys: Bool

    public init(
        requested: Set<AuthenticatorType>, acceptsPasskeys: Bool, acceptsDeviceKeys: Bool
    ) {
        (self.requested, self.acceptsPasskeys, self.acceptsDeviceKeys) = (
            requested, acceptsPasskeys, acceptsDeviceKeys
        )
    }
}

extension AuthenticatorType {
    public var rules: any AuthenticatorRules.Type {
        switch self {
        case .password: PasswordRules.self
        case .face: FaceRules.self
        case .nativeBiometrics: DeviceKeyRules.self
        case .emailCode: EmailCodeRules.self
        case .passkey: PasskeyRules.self
        case .otp: OTPTokenRules.self
        case .recoveryCode: RecoveryCodeRules.self
        }
    }

    public var method: String { rules.method }
    public var isPerApp: Bool { rules.isPerApp }
    public var defaultLockPolicy: LockPolicy { rules.lockPolicy }
    public var noun: String { rules.noun }

    /// The name with an article, for the beginning of a sentence.
    public var indefiniteNoun: String { "\(rules.article) \(noun)" }
}
