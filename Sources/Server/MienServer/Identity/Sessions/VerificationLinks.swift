internal import Foundation
internal import MienCore
package import MienIdentity
internal import MienStore

/// Links that open a verification session in a browser. Each works once: the page exchanges its code
/// for a cookie, so no address that a server logs contains a secret.
package struct VerificationLinks: Sendable {
    /// The session that a link leads to.
    package struct Target: Codable, Sendable, CustomReflectable {
        package let session: IdentityAttemptID
        /// The browser's credential for the session, as ``VerificationAuthentication`` reads it.
        package let startToken: String

        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// A link that has yet to be stored.
    struct Fresh: Sendable {
        let code: String
        let record: WebRecord
    }

    /// - Parameter end: The end of the session.
    func fresh(
        _ session: IdentityAttemptID, _ startToken: String, of user: UserID?, until end: Instant
    ) throws -> Fresh {
        var generator = SystemRandomNumberGenerator()
        let code = generator.bytes(32)
        let target = Target(session: session, startToken: startToken)
        return Fresh(
            code: Base64URL.encode(code),
            record: WebRecord(
                .verification, store.keys.hash(ofSecret: code), account: user,
                content: Sensitive([UInt8](try JSONEncoder().encode(target))), expiresAt: end))
    }

    /// `…/verify/document#` and the code.
    func address(of code: String) -> String { "\(publicURL())/verify/document#\(code)" }

    /// Whether a link was neither used nor has expired.
    func isUnused(_ code: String, in tables: Tables, at now: Instant) throws -> Bool {
        guard let bytes = Base64URL.decode(code) else { return false }
        return try tables.web.find(.verification, store.keys.hash(ofSecret: bytes), at: now) != nil
    }

    /// The session that a link leads to, without using the link up.
    func target(of code: String) async throws -> Target? {
        guard let bytes = Base64URL.decode(code), bytes.count == 32 else { return nil }
        let hash = store.keys.hash(ofSecret: bytes), now = clock.now
        return try await store.read { try $0.web.find(.verification, hash, at: now) }
            .map(Self.target)
    }

    private static func target(_ record: WebRecord) throws -> Target {
        try record.content.use { try JSONDecoder().decode(Target.self, from: Data($0)) }
    }

    /// Uses a link's code up.
    ///
    /// - Returns: `nil` if the code is unknown, used, or expired.
    package func open(_ code: String) async throws -> Target? {
        guard let bytes = Base64URL.decode(code), bytes.count == 32 else { return nil }
        let hash = store.keys.hash(ofSecret: bytes), now = clock.now
        return try await store.write { try $0.web.take(.verification, hash, at: now) }
            .map(Self.target)
    }
}
