public import MienCore

/// A successful authentication.
public struct Authentication: Sendable, Hashable {
    public let user: UserID
    public let amr: [String]
    /// The authenticator that was used; `nil` in simulations.
    public let use: AuthenticatorUse?
    /// The capture whose selfie matched the user's face; `nil` for another method.
    public let capture: CaptureID?
}

extension EffectAnswer {
    /// - Parameter use: the authenticator that was used; `nil` in simulations.
    public static func authenticated(_ user: UserID, amr: [String], by use: AuthenticatorUse? = nil)
        -> Self
    {
        .proof(Authentication(user: user, amr: amr, use: use, capture: nil))
    }

    /// - Parameter use: the authenticator that was used; `nil` in simulations.
    public static func faceAuthenticated(
        _ user: UserID, capture: CaptureID, amr: [String], by use: AuthenticatorUse? = nil
    ) -> Self {
        .proof(Authentication(user: user, amr: amr, use: use, capture: capture))
    }

    /// Returns whether this proves who the expected user is, if any, with the expected capture.
    func proves(_ expected: UserID?, with capture: CaptureID? = nil) -> Bool {
        guard case .proof(let proof) = self else { return false }
        return proof.capture == capture && (expected == nil || expected == proof.user)
    }
}

extension UserReference {
    /// The user that a result must concern; `nil` for an identifier, which only the performer
    /// resolves. ``StepRun/signIn(_:)`` compares the users then.
    var expected: UserID? { if case .id(let id) = self { id } else { nil } }
}
