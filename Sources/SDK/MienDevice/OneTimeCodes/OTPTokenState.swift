#if canImport(MienTPM)
internal import Foundation
internal import MienCore
internal import MienVault

/// All tokens of a device, as they are sealed. Never prints.
struct OTPTokenState: Codable, Sendable, Equatable {
    static let maxTokens = 100
    /// A registration code's life.
    private static let registrationMilliseconds: Int64 = 600_000

    var version = 1
    /// One more with each change; kept a second time, see ``GenerationWitness``.
    var generation: UInt64
    /// The TPM's counter that is the second place; `nil`: a file is.
    var counter: UInt32?
    private(set) var tokens: [OTPStoredToken] = []
    private var pending: Pending?

    /// The key of a registration that is under way.
    private struct Pending: Codable, Equatable {
        /// SHA-256 of the registration code.
        let code: Data
        let key: Data
        let madeAt: Int64
    }

    init(generation: UInt64, counter: UInt32?) {
        (self.generation, self.counter) = (generation, counter)
    }

    // MARK: At rest

    /// JSON. Its length depends on no secret and no PIN: slashes of base64 are not escaped.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a state of our own can be written")
        }
        return Array(data)
    }

    /// - Returns: `nil` for anything but version 1.
    init?(bytes: [UInt8]) {
        guard let state = try? JSONDecoder().decode(OTPTokenState.self, from: Data(bytes)),
            state.version == 1
        else { return nil }
        self = state
    }

    // MARK: Changes

    func token(_ id: String) throws(OTPTokenError) -> OTPStoredToken {
        guard let token = tokens.first(where: { $0.id == id }) else { throw Self.unknown }
        return token
    }

    mutating func change<T>(_ id: String, _ body: (inout OTPStoredToken) throws(OTPTokenError) -> T)
        throws(OTPTokenError) -> T
    {
        guard let index = tokens.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
        return try body(&tokens[index])
    }

    mutating func add(_ token: OTPStoredToken) throws(OTPTokenError) {
        guard !tokens.contains(where: { $0.id == token.id }) else {
            throw OTPTokenError(.exists, "this device has this token already")
        }
        guard tokens.count < Self.maxTokens else {
            throw OTPTokenError(
                .full,
                "a device has at most \(Self.maxTokens) tokens: remove one that is not needed")
        }
        tokens.append(token)
        pending = nil
    }

    /// The key to send with a registration code: the same one while the code can be good, whatever
    /// happens in between.
    mutating func registrationKey(for code: [UInt8], at now: Instant, _ make: () -> [UInt8])
        -> [UInt8]
    {
        if let pending, pending.code == Data(code),
            (pending.madeAt..<pending.madeAt + Self.registrationMilliseconds).contains(
                now.milliseconds)
        {
            return Array(pending.key)
        }
        let key = make()
        pending = Pending(code: Data(code), key: Data(key), madeAt: now.milliseconds)
        return key
    }

    mutating func remove(_ id: String) throws(OTPTokenError) {
        guard let index = tokens.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
        tokens.remove(at: index)
    }

    /// - Returns: whether there was any.
    mutating func deactivateFaces(of person: PersonName?) -> Bool {
        var some = false
        for index in tokens.indices
        where tokens[index].face != nil && (person.map { tokens[index].isFace(of: $0) } ?? true) {
            tokens[index].deactivateFace()
            some = true
        }
        return some
    }

    /// The file is older than it should be.
    mutating func restore() { for index in tokens.indices { tokens[index].restore() } }

    static let unknown = OTPTokenError(.unknown, "this device has no token of this id")
}

extension OTPTokenState: CustomReflectable, CustomStringConvertible {
    var customMirror: Mirror { Mirror(self, children: []) }
    var description: String { "‹tokens›" }
}
#endif
