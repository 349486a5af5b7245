package import MienCore
package import MienStore

extension AccountRecord {
    /// The account's verified email address. Claimed addresses are never included.
    package var emailClaims: [String: JSONValue] {
        profile.use { $0.email.map { ["email": .string($0), "email_verified": true] } ?? [:] }
    }
}
