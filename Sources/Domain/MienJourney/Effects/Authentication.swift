public import MienCore

/// An answer that proves who the user is.
public protocol AuthenticationAnswer: EffectAnswer {
    var user: UserID { get }
    var amr: [String] { get }
    /// The authenticator that was used; `nil` in simulations.
    var use: AuthenticatorUse? { get }
}

/// A successful authentication.
public struct Authentication: AuthenticationAnswer {
    public let user: UserID
    public let amr: [String]
    public let use: AuthenticatorUse?
}

extension EffectReply where Answer == Authentication {
    /// - Parameter use: the authenticator that was used; `nil` in simulations.
    public static func authenticated(_ user: UserID, amr: [String], by use: AuthenticatorUse? = nil)
        -> Self
    {
        .answer(Authentication(user: user, amr: amr, use: use))
    }
}

extension UserReference {
    /// The user that a result must concern; `nil` for an identifier, which only the performer
    /// resolves. ``StepRun/signIn(_:)`` compares the users then.
    var expected: UserID? { if case .id(let id) = self { id } else { nil } }
}

extension AuthenticationAnswer {
    /// Returns whether the answer concerns the expected user.
    func concerns(_ expected: UserID?) -> Bool { expected == nil || expected == user }
}
