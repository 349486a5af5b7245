internal import Foundation
internal import MienCore
internal import MienServerCore
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

    // MARK: The same form twice

    /// A form that a browser sent, and what becomes of it.
    enum Sent: Sendable {
        /// This request is the first one.
        case first
        /// Another request with the form is under way.
        case underWay
        case answered(Answer)
    }

    /// Where a form leads. The cookies are sealed with it.
    struct Answer: Sendable, Codable {
        let location: String
        let cookies: [String]
    }

    /// How long an answer is kept for the same form. A proxy, or a second click, repeats it at once.
    private static let memory = Duration.seconds(60)

    /// Notes that a form is being answered, unless it is or was.
    func take(_ key: FormKey) async throws -> Sent {
        let now = clock.now, hash = hash(key.text)
        let record = WebRecord(
            .flow, hash, content: Sensitive(Array("null".utf8)), expiresAt: now + Self.memory)
        let found = try await store.write(.process) { tables -> WebRecord? in
            if let found = try tables.web.find(.flow, hash, at: now) { return found }
            try tables.web.put(record)
            return nil
        }
        return try found.map(Self.sent) ?? .first
    }

    /// Returns what becomes of a form, without noting anything.
    func look(_ key: FormKey) async throws -> Sent {
        let now = clock.now, hash = hash(key.text)
        return try await store.read { try $0.web.find(.flow, hash, at: now) }.map(Self.sent)
            ?? .first
    }

    private static func sent(_ record: WebRecord) throws -> Sent {
        let answer = try record.content.use {
            try JSONDecoder().decode(Answer?.self, from: Data($0))
        }
        return answer.map { .answered($0) } ?? .underWay
    }

    /// Keeps the answer to a form; without one, the form may be sent again.
    func finish(_ key: FormKey, with answer: Answer?) async throws {
        let hash = hash(key.text)
        guard let answer else {
            return try await store.write(.process) { try $0.web.delete(.flow, hash) }
        }
        let record = WebRecord(
            .flow, hash, content: Sensitive([UInt8](try JSONEncoder().encode(answer))),
            expiresAt: clock.now + Self.memory)
        try await store.write(.process) { try $0.web.put(record) }
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

/// Names a form by its page and the browser that has it.
struct FormKey: Sendable {
    fileprivate let text: String

    init(flow: String, turn: String, browser: String) {
        text = "form \(flow) \(turn.prefix(20)) \(browser)"
    }
}
