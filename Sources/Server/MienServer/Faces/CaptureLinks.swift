internal import Foundation
internal import MienAPI
package import MienCore
internal import MienStore

/// Links that open a capture in a browser. Each works once: the page exchanges its code for a
/// cookie, so no address that a server logs contains a secret.
package struct CaptureLinks: Sendable {
    /// How long a link waits to be opened.
    package static let lifetime = Duration.seconds(600)
    /// How long a link to another device waits: the computer shows it meanwhile.
    package static let handoffLifetime = Duration.seconds(120)

    /// The capture that a link opens.
    package struct Target: Codable, Sendable {
        package let capture: CaptureID
        package let startToken: String
        /// Where the page returns to; `nil` if it has nowhere to go.
        package var callbackURL: String?
        /// The parameters of the callback, to continue the journey.
        package var session, state: String?
        /// The capture came from another device.
        package var handoff: Handoff?
    }

    /// The facts about the first device that the second one shows.
    package struct Handoff: Codable, Sendable {
        /// Three digits that both devices show.
        package let number: String
        /// A secret that the second device holds until both have agreed. It starts nothing.
        package let ticket: String
        /// The browser and the network address that asked.
        package let browser, address: String
    }

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// Returns the link's address: `…/verify#` and a code.
    package func make(_ target: Target, lifetime: Duration = Self.lifetime) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let code = generator.bytes(32)
        try await put(target, .link, code, until: clock.now + lifetime)
        return "\(publicURL())/verify#\(Base64URL.encode(code))"
    }

    /// Returns a link to the target that was not used: `address`, or else a new one.
    package func unused(_ address: String?, to target: Target) async throws -> String {
        let now = clock.now
        if let address, let code = address.split(separator: "#").last.map(String.init),
            let bytes = Base64URL.decode(code)
        {
            let hash = store.keys.hash(ofSecret: bytes)
            if try await store.read({ try $0.web.find(.link, hash, at: now) }) != nil {
                return address
            }
        }
        return try await make(target)
    }

    /// Uses a link's code up, and remembers its target for the browser that will hold the start
    /// token.
    ///
    /// - Returns: `nil` if the code is unknown, used, or expired.
    package func open(_ code: String, browser: String) async throws -> Target? {
        guard let bytes = Base64URL.decode(code), bytes.count == 32 else { return nil }
        let hash = store.keys.hash(ofSecret: bytes), now = clock.now
        let record = try await store.write { try $0.web.take(.link, hash, at: now) }
        guard let record else { return nil }
        let target = try Self.target(record)
        try await remember(target, browser: browser)
        return target
    }

    /// Remembers where a capture in this browser leads.
    ///
    /// - Parameter browser: Tells browsers apart: a capture may be open on two devices.
    /// - Parameter token: What the browser holds: the start token, or the ticket of a device that
    ///   still waits for the first one; `nil` for the latter if there is one.
    package func remember(
        _ target: Target, browser: String, token: String? = nil
    ) async throws {
        let held = token ?? target.handoff?.ticket ?? target.startToken
        try await put(
            target, .link, Array("page \(browser) \(held)".utf8),
            until: clock.now + .seconds(3600))
    }

    /// Returns the target of the capture whose start token, or ticket, a browser holds.
    package func target(startToken: String, browser: String) async throws -> Target? {
        let hash = store.keys.hash(ofSecret: Array("page \(browser) \(startToken)".utf8)),
            now = clock.now
        return try await store.read { try $0.web.find(.link, hash, at: now) }.map(Self.target)
    }

    // MARK: Another device

    /// The state of a capture that moves to another device.
    package struct Move: Codable, Sendable {
        package enum State: String, Codable, Sendable {
            case waiting, opened
            /// The second device's person has seen the number on the first.
            case accepted
            /// The first device's person has agreed, too.
            case confirmed
        }
        package var state: State
        package let number, ticket: String
        /// The browser and the network address of the second device, which the first shows.
        package var browser, address: String?

        package init(_ state: State, number: String, ticket: String) {
            (self.state, self.number, self.ticket) = (state, number, ticket)
        }
    }

    /// Notes how far a move is.
    ///
    /// - Parameter subject: The ID of what moves: a capture, or a verification session.
    package func note(_ move: Move, of subject: String) async throws {
        let content = Sensitive([UInt8](try JSONEncoder().encode(move)))
        let record = WebRecord(
            .handoff, store.keys.hash(ofSecret: Array("handoff \(subject)".utf8)),
            content: content, expiresAt: clock.now + .seconds(3600))
        try await store.write(.process) { try $0.web.put(record) }
    }

    package func move(of subject: String) async throws -> Move? {
        let hash = store.keys.hash(ofSecret: Array("handoff \(subject)".utf8)),
            now = clock.now
        return try await store.read { try $0.web.find(.handoff, hash, at: now) }.map { record in
            try record.content.use { try JSONDecoder().decode(Move.self, from: Data($0)) }
        }
    }

    // MARK: Records

    private func put(
        _ target: Target, _ kind: WebRecord.Kind, _ secret: [UInt8], until end: Instant
    ) async throws {
        let record = WebRecord(
            kind, store.keys.hash(ofSecret: secret),
            content: Sensitive([UInt8](try JSONEncoder().encode(target))), expiresAt: end)
        try await store.write(.process) { try $0.web.put(record) }
    }

    private static func target(_ record: WebRecord) throws -> Target {
        try record.content.use { try JSONDecoder().decode(Target.self, from: Data($0)) }
    }
}

/// Hides the start token.
extension CaptureLinks.Target: CustomStringConvertible, CustomReflectable {
    package var description: String { "a link to \(capture.text)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
