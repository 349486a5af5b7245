internal import MienCore
internal import MienStore

/// Checks the name and password that a user enters on the sign-in page, through the same lock gate
/// as everywhere else.
protocol PasswordSignIn: Sendable {
    /// - Parameter device: The known device that the browser has proved to be.
    /// - Returns: `nil` if the user was not signed in.
    func signIn(
        name: Sensitive<String>, password: Sensitive<String>, app: AppRecord, device: ProvedDevice?
    ) async throws -> PasswordProof?
}

/// What a checked password proves.
struct PasswordProof: Sendable {
    let account: UserID
    /// The values of `amr`.
    let methods: [String]
    let authenticator: AuthenticatorID
    /// The account's epoch at the time of the check.
    let epoch: Int
}
