internal import Foundation
internal import MienCore
internal import MienStore

/// Stores sign-ins in progress. Of two answers at once, one is taken.
struct SignInFlows: Sendable {
    private static let lifetime = Duration.seconds(3600)

    let store: Store
    let clock: ServerClock

    struct Held: Sendable {
        /// Names the flow in addresses. The ID is not secret: the browser's cookie must match.
        let id: String
        var flow: SignInFlow
        fileprivate let revision: Int
    }

    /// Stores a new flow.
    ///
    /// - Returns: Its ID.
    func begin(_ flow: SignInFlow) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let id = Base64URL.encode(generator.bytes(16))
        let record = try record(flow, id)
        try await store.write(.process) { try $0.web.put(record) }
        return id
    }

    /// - Returns: `nil` if there is no such flow of this browser.
    func find(_ id: String, browser: String) async throws -> Held? {
        guard Base64URL.decode(id)?.count == 16 else { return nil }
        let hash = hash(id), now = clock.now
        let record = try await store.read { try $0.web.find(.flow, hash, at: now) }
        guard let record else { return nil }
        let flow = try record.content.use {
            try JSONDecoder().decode(SignInFlow.self, from: Data($0))
        }
        guard isSame(Array(flow.browser.utf8), Array(browser.utf8)) else { return nil }
        return Held(id: id, flow: flow, revision: record.revision)
    }

    /// The address at which an app's sign-in begins again, also for a browser that lost its cookie: what
    /// the app asked for, without what it knows about the person.
    ///
    /// - Returns: `nil` if there is no such flow, it belongs to no app, or the app did not put its request
    ///   into an address.
    func beginning(of id: String) async throws -> String? {
        guard Base64URL.decode(id)?.count == 16 else { return nil }
        let hash = hash(id), now = clock.now
        let record = try await store.read { try $0.web.find(.flow, hash, at: now) }
        guard let record else { return nil }
        let flow = try record.content.use {
            try JSONDecoder().decode(SignInFlow.self, from: Data($0))
        }
        guard case .authorize(let parameters) = flow.goal, parameters.isPublic else { return nil }
        let parts = parameters.text.split(separator: "&").filter {
            !$0.hasPrefix("login_hint=") && !$0.hasPrefix("id_token_hint=")
        }
        return "/oauth2/authorize?\(parts.joined(separator: "&"))"
    }

    /// Writes a changed flow.
    ///
    /// - Returns: `false` if another answer came first.
    func update(_ held: Held) async throws -> Bool {
        let record = try record(held.flow, held.id), revision = held.revision
        return try await store.write(.process) { try $0.web.update(record, from: revision) }
    }

    func end(_ id: String) async throws {
        let hash = hash(id)
        try await store.write(.process) { try $0.web.delete(.flow, hash) }
    }

    private func hash(_ id: String) -> [UInt8] {
        store.keys.hash(ofSecret: Array("flow \(id)".utf8))
    }

    private func record(_ flow: SignInFlow, _ id: String) throws -> WebRecord {
        WebRecord(
            .flow, hash(id), app: flow.app,
            content: Sensitive([UInt8](try JSONEncoder().encode(flow))),
            expiresAt: clock.now + Self.lifetime)
    }
}
