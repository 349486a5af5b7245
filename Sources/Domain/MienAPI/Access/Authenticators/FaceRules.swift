internal import MienCore

/// A face enrolled in one app. It counts where a journey of the app requests it.
enum FaceRules: AuthenticatorRules {
    static let method = "face"
    static let isPerApp = true
    static let lockPolicy = LockPolicy.face
    static let noun = "face"

    static func methods(of _: AuthenticatorFacts, through means: SignInMeans) -> Set<String> {
        means.requested.contains(.face) ? [method] : []
    }
}
