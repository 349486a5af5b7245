package import MienCore
package import MienStore

/// Checks the name and password that a user enters on the sign-in page, through the same lock gate
/// as everywhere else.
package protocol PasswordSignIn: Sendable {
    /// - Parameter device: The known device that the browser has proved to be.
    /// - Returns: `nil` if the user was not signed in.
    func signIn(
        name: Sensitive<String>, password: Sensitive<String>, app: AppRecord, device: ProvedDevice?
    ) async throws -> PasswordProof?
}

/// The sign-in that a checked password proves.
package struct PasswordProof: Sendable {
    package let account: UserID
    /// The values of `amr`.
    package let methods: [String]
    package let authenticator: AuthenticatorID
    /// The account's epoch at the time of the check.
    package let epoch: Int

    package init(account: UserID, methods: [String], authenticator: AuthenticatorID, epoch: Int) {
        (self.account, self.methods, self.authenticator, self.epoch) = (
            account, methods, authenticator, epoch
        )
    }
}
