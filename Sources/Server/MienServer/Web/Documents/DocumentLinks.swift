internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienStore

/// The verification sessions that browsers hold, and the links with which a session moves to a phone.
struct DocumentLinks: Sendable {
    /// The session that a browser holds.
    struct Target: Codable, Sendable, CustomStringConvertible, CustomReflectable {
        let session: String
        let startToken: String
        /// The session came from another device.
        var handoff: CaptureLinks.Handoff?

        var description: String { "session \(session)" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// How long a browser holds a session without opening its page again, as its cookie does.
    private static let lifetime = Duration.seconds(Int64(BrowserCookies.Name.verification.seconds))

    /// Returns the address of the page with a code that works once, for a second device.
    func make(_ target: Target) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let code = generator.bytes(32)
        try await put(target, code, lifetime: CaptureLinks.handoffLifetime)
        return "\(publicURL())/verify/document#\(Base64URL.encode(code))"
    }

    /// Uses the code of such a link up.
    func open(_ code: String) async throws -> Target? {
        guard let bytes = Base64URL.decode(code), bytes.count == 32 else { return nil }
        let hash = hash(bytes), now = clock.now
        return try await store.write { try $0.web.take(.link, hash, at: now) }.map(Self.target)
    }

    /// Remembers the session that a browser holds.
    ///
    /// - Parameters:
    ///   - browser: Tells browsers apart: a session may be open on two devices.
    ///   - token: The value of its cookie: the start token, or the ticket of a device that still
    ///     waits for the first one.
    func remember(_ target: Target, browser: String, token: String) async throws {
        try await put(target, Self.page(browser, token), lifetime: Self.lifetime)
    }

    func target(token: String, browser: String) async throws -> Target? {
        let hash = hash(Self.page(browser, token)), now = clock.now
        return try await store.read { try $0.web.find(.link, hash, at: now) }.map(Self.target)
    }

    func forget(token: String, browser: String) async throws {
        let hash = hash(Self.page(browser, token))
        try await store.write { try $0.web.delete(.link, hash) }
    }

    private static func page(_ browser: String, _ token: String) -> [UInt8] {
        Array("document page \(browser) \(token)".utf8)
    }

    private func hash(_ secret: [UInt8]) -> [UInt8] {
        store.keys.hash(ofSecret: Array("document link ".utf8) + secret)
    }

    private func put(_ target: Target, _ secret: [UInt8], lifetime: Duration) async throws {
        let record = WebRecord(
            .link, hash(secret), content: Sensitive([UInt8](try JSONEncoder().encode(target))),
            expiresAt: clock.now + lifetime)
        try await store.write(.process) { try $0.web.put(record) }
    }

    private static func target(_ record: WebRecord) throws -> Target {
        try record.content.use { try JSONDecoder().decode(Target.self, from: Data($0)) }
    }
}
