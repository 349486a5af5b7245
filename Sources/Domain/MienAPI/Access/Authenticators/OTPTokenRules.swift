internal import MienCore

/// A secret on a device that computes one-time codes for one app. It counts where a journey of the
/// app requests it.
enum OTPTokenRules: AuthenticatorRules {
    static let method = "otp"
    static let isPerApp = true
    static let noun = "one-time-code token"

    static func methods(of _: AuthenticatorFacts, through means: SignInMeans) -> Set<String> {
        means.requested.contains(.otp) ? [method] : []
    }
}
