public import MienKeys

/// The options of biometric login: texts, the constraint of the key, and whether the device's
/// passcode may stand in.
///
///     let options = BiometricOptions(
///         localizedReason: "Sign in", constraint: .biometryCurrentSet, policy: .deviceOwnerAuthentication)
///
/// Pass the same options to ``MienSession/checkBiometricSupported(_:)``,
/// ``MienSession/enableBiometric(_:)``, and ``MienSession/authenticateBiometric(_:)``. A key that was
/// enabled for biometrics only never accepts the passcode afterward.
public struct BiometricOptions: Sendable, Hashable {
    public var localizedReason: String
    public var constraint: BiometricAccessConstraint
    public var policy: BiometricPolicy
    /// Further texts, shown where the device has a place for them.
    public var texts: PromptTexts

    public init(
        localizedReason: String, constraint: BiometricAccessConstraint = .biometryCurrentSet,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics,
        texts: PromptTexts = PromptTexts()
    ) {
        (self.localizedReason, self.constraint, self.policy, self.texts) = (
            localizedReason, constraint, policy, texts
        )
    }

    var prompt: UnlockPrompt { UnlockPrompt(reason: localizedReason, policy: policy, texts: texts) }
}

/// The options in the form of Android's biometric prompt.
///
///     let options = try BiometricOptions(BiometricOptionsAndroid(
///         title: "Biometric authentication", description: "Use biometric to authenticate",
///         negativeButtonText: "Cancel", constraint: [.biometricStrong], invalidatedByBiometricEnrollment: true))
public struct BiometricOptionsAndroid: Sendable, Hashable {
    /// A check that may unlock the key: `BiometricManager.Authenticators`.
    public enum Authenticator: String, Sendable, Hashable, CaseIterable {
        case biometricStrong = "BIOMETRIC_STRONG", biometricWeak = "BIOMETRIC_WEAK",
            deviceCredential = "DEVICE_CREDENTIAL"

        /// The value of Android's constant.
        public var rawAndroidValue: Int {
            switch self {
            case .biometricStrong: 15
            case .biometricWeak: 255
            case .deviceCredential: 32_768
            }
        }
    }

    /// The title of the dialog.
    public var title: String
    public var subtitle: String
    public var description: String
    /// The text of the button that dismisses the dialog. Android has no such button beside
    /// `DEVICE_CREDENTIAL`.
    public var negativeButtonText: String
    public var constraint: [Authenticator]
    /// Whether another enrollment invalidates the key.
    public var invalidatedByBiometricEnrollment: Bool

    public init(
        title: String, subtitle: String = "", description: String = "",
        negativeButtonText: String = "", constraint: [Authenticator] = [.biometricStrong],
        invalidatedByBiometricEnrollment: Bool = true
    ) {
        (self.title, self.subtitle, self.description) = (title, subtitle, description)
        (self.negativeButtonText, self.constraint) = (negativeButtonText, constraint)
        self.invalidatedByBiometricEnrollment = invalidatedByBiometricEnrollment
    }
}

extension BiometricOptions {
    /// Converts Android's options.
    ///
    /// | constraint | here |
    /// |---|---|
    /// | `BIOMETRIC_STRONG`, `BIOMETRIC_WEAK` | biometrics only; the device decides which it has |
    /// | with `DEVICE_CREDENTIAL` | biometrics, or else the passcode |
    /// | `DEVICE_CREDENTIAL` alone | the same, for a key that does not depend on the enrollment |
    ///
    /// - Throws: `DeviceError` `.badArgument`.
    public init(_ android: BiometricOptionsAndroid) throws(DeviceError) {
        let allowed = Set(android.constraint)
        guard !allowed.isEmpty else {
            throw DeviceError(
                .badArgument, "constraint is empty. Add BIOMETRIC_STRONG or DEVICE_CREDENTIAL.")
        }
        func text(_ value: String) -> String? { value.isEmpty ? nil : value }
        let constraint: BiometricAccessConstraint =
            allowed == [.deviceCredential]
            ? .userPresence
            : android.invalidatedByBiometricEnrollment ? .biometryCurrentSet : .biometryAny
        self.init(
            localizedReason: text(android.description) ?? android.title, constraint: constraint,
            policy: allowed.contains(.deviceCredential)
                ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics,
            texts: PromptTexts(
                title: text(android.title), subtitle: text(android.subtitle),
                details: text(android.description),
                cancelTitle: text(android.negativeButtonText)))
    }
}
