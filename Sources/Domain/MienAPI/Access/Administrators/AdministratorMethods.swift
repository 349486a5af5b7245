/// The sign-in methods of an administrator: passkeys, and a password that is valid only together
/// with a one-time code.
public struct AdministratorMethods: Sendable, Hashable {
    public static let maxPasskeys = 10

    public var passkeys: Int
    public var hasPassword: Bool

    public init(passkeys: Int, hasPassword: Bool) {
        precondition(passkeys >= 0, "the number of passkeys must not be negative")
        (self.passkeys, self.hasPassword) = (passkeys, hasPassword)
    }

    /// Whether the administrator can sign in at all.
    public var isUsable: Bool { passkeys > 0 || hasPassword }

    /// A change that an administrator makes to the own methods.
    public enum Change: Sendable, Hashable, CaseIterable {
        case addPasskey, removePasskey
        /// Also replaces one.
        case addPassword, removePassword
    }

    public enum Refusal: Sendable, Hashable {
        case tooManyPasskeys
        /// There is no such method.
        case missing
        /// Nothing would be left to sign in with.
        case last
        /// A passkey is what guards the account: a sign-in with less must not change that.
        case needsPasskey
    }

    /// Returns why the change is refused, or `nil`.
    ///
    /// Phishing cannot get a passkey, but it can get a password and a code. So once an account has
    /// passkeys, only a sign-in with one of them may add a way in or remove a passkey.
    public func refusal(of change: Change, signedInWith method: AdministratorSession.Method)
        -> Refusal?
    {
        switch change {
        case .addPasskey:
            // Otherwise, a phished password and code would become a passkey, which may do the rest.
            guard passkeys == 0 || method == .passkey else { return .needsPasskey }
            return passkeys >= Self.maxPasskeys ? .tooManyPasskeys : nil
        case .removePasskey:
            guard passkeys > 0 else { return .missing }
            guard passkeys > 1 || hasPassword else { return .last }
            return method == .passkey ? nil : .needsPasskey
        case .addPassword:
            return passkeys > 0 && method != .passkey ? .needsPasskey : nil
        case .removePassword:
            guard hasPassword else { return .missing }
            return passkeys > 0 ? nil : .last
        }
    }
}
