internal import Foundation
package import MienCore
package import MienStore

/// The part of a journey's token that is for this server only: which authenticators were used,
/// the account's epoch at that time, which organization was chosen, and which claims are the
/// journey's own.
///
/// Sealed into the claim `mien_proof` and bound to the token's `jti`, so apps can neither read nor
/// reuse it.
package struct JourneyTokenProof: Codable, Sendable {
    package let authenticators: [AuthenticatorID]
    package let epoch: Int
    package let isRecovery: Bool
    /// The ID of the organization that the journey chose, empty for none; `nil` if the app uses no
    /// organizations. A claim alone could not tell a choice of none from no choice.
    package let organization: String?
    /// When the app was made, in milliseconds: another app may have got its ID since.
    let appMadeAt: Int64
    /// The names of the claims that the journey added.
    let claims: [String]

    package init(
        authenticators: [AuthenticatorID], epoch: Int, isRecovery: Bool, organization: String?,
        claims: [String] = [], app: AppRecord
    ) {
        self.claims = claims
        (self.authenticators, self.epoch, self.isRecovery) = (authenticators, epoch, isRecovery)
        (self.organization, appMadeAt) = (organization, app.createdAt.milliseconds)
    }

    /// Whether the app is the one that the token was made for.
    func isFor(_ app: AppRecord) -> Bool {
        appMadeAt == app.createdAt.milliseconds
    }

    /// - Returns: `nil` unless this server sealed the text for the token `id`.
    package init?(sealed text: String, token id: String, keys: StoreKeys) {
        guard text.utf8.count <= 16 * 1024, let bytes = Base64URL.decode(text),
            let content = try? keys.openJourneyProof(bytes, of: id),
            let proof = try? JSONDecoder().decode(Self.self, from: Data(content))
        else { return nil }
        self = proof
    }

    package func sealed(token id: String, keys: StoreKeys) throws -> String {
        Base64URL.encode(keys.sealJourneyProof([UInt8](try JSONEncoder().encode(self)), of: id))
    }
}
