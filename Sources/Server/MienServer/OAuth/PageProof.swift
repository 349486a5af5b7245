package import MienCore

/// Proof of a sign-in on the pages of this server. Apps get codes for it.
package struct PageProof: Codable, Sendable, Equatable {
    package let account: UserID
    /// The browser's sign-in that holds the proof.
    package let grant: GrantID
    /// The journey that signed the user in.
    package let journey: String
    /// The values of `amr`.
    package let methods: [String]
    package let at: Instant
    /// The account's epoch at the sign-in, or after a change of the password in this browser.
    package var epoch: Int
    package let authenticators: [AuthenticatorID]
    package let isRecovery: Bool
    /// The passkey that signed in directly.
    package var passkey: AuthenticatorID?
    /// The claims that the journey added.
    package var claims: [String: JSONValue] = [:]
}
