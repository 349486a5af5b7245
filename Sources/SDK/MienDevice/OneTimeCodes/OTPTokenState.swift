internal import Foundation
internal import MienCore
internal import MienVault

/// All OTP tokens of a device, as sealed in the file. Never printed.
struct OTPTokenState: Codable, Sendable, Equatable {
    static let maxTokens = 100
    /// The lifetime of a registration code.
    private static let registrationMilliseconds: Int64 = 600_000

    var version = 1
    /// Incremented with each change. A copy is kept elsewhere, see ``GenerationWitness``.
    var generation: UInt64
    /// The index of the hardware's counter that stores the copy; `nil` if a file does.
    var counter: UInt32?
    private(set) var tokens: [OTPStoredToken] = []
    private var pending: Pending?

    /// The key of a registration in progress.
    private struct Pending: Codable, Equatable {
        /// SHA-256 of the registration code.
        let code: Data
        let key: Data
        let madeAt: Int64
    }

    init(generation: UInt64, counter: UInt32?) {
        (self.generation, self.counter) = (generation, counter)
    }

    // MARK: Encoding

    /// JSON. Its length depends on no secret and no PIN: slashes of base64 are not escaped.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("A state of our own can always be encoded.")
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
            throw OTPTokenError(.exists, "This device already has this token.")
        }
        guard tokens.count < Self.maxTokens else {
            throw OTPTokenError(
                .full,
                "A device can have at most \(Self.maxTokens) tokens. Remove one first.")
        }
        tokens.append(token)
        pending = nil
    }

    /// Returns the key to send with a registration code. It stays the same while the code can be
    /// valid.
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

    /// - Returns: whether any face mode was active.
    mutating func deactivateFaces(of person: PersonName?) -> Bool {
        var some = false
        for index in tokens.indices
        where tokens[index].face != nil && (person.map { tokens[index].isFace(of: $0) } ?? true) {
            tokens[index].deactivateFace()
            some = true
        }
        return some
    }

    /// Marks all tokens as restored, because the file is older than its generation's copy.
    mutating func restore() { for index in tokens.indices { tokens[index].restore() } }

    static let unknown = OTPTokenError(.unknown, "This device has no token with this id.")
}

extension OTPTokenState: CustomReflectable, CustomStringConvertible {
    var customMirror: Mirror { Mirror(self, children: []) }
    var description: String { "‹tokens›" }
}
