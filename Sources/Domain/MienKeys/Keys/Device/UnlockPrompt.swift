/// The prompt for the person, and the accepted ways to authenticate.
public struct UnlockPrompt: Sendable, Hashable {
    public let reason: String
    public let policy: BiometricPolicy
    public let texts: PromptTexts

    public init(
        reason: String, policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics,
        texts: PromptTexts = PromptTexts()
    ) {
        (self.reason, self.policy, self.texts) = (reason, policy, texts)
    }
}

/// Further texts of a prompt. A device shows those that it has a place for; `nil` leaves its own.
public struct PromptTexts: Sendable, Hashable {
    /// The title of the dialog (Android).
    public var title: String?
    /// The line below the title (Android).
    public var subtitle: String?
    /// The paragraph below the subtitle (Android).
    public var details: String?
    /// The button that cancels (Android's negative button, Apple's `localizedCancelTitle`).
    public var cancelTitle: String?
    /// The button that leads to the passcode (Apple's `localizedFallbackTitle`).
    public var fallbackTitle: String?

    public init(
        title: String? = nil, subtitle: String? = nil, details: String? = nil,
        cancelTitle: String? = nil, fallbackTitle: String? = nil
    ) {
        (self.title, self.subtitle, self.details) = (title, subtitle, details)
        (self.cancelTitle, self.fallbackTitle) = (cancelTitle, fallbackTitle)
    }
}
