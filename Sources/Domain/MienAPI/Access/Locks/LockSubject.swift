public import MienCore

/// The subject that failures count toward: a sign-in method of an account, in one app if the method
/// belongs to one.
///
/// All authenticators of the same method share a count: two passkeys, or several device keys in one
/// app. The count outlives each of them.
public struct LockSubject: Sendable, Hashable {
    public let account: UserID
    public let method: AuthenticatorType
    /// `nil` for a method that serves every app.
    public let app: AppID?

    /// - Parameter app: the calling app. Ignored for a method that serves every app.
    public init(_ account: UserID, _ method: AuthenticatorType, app: AppID?) {
        (self.account, self.method, self.app) = (account, method, method.isPerApp ? app : nil)
    }
}
