internal import MienAPI
internal import MienCore

/// A request of a device without a browser, such as a television, that waits for a person to decide
/// elsewhere: RFC 8628. Pure.
struct DeviceAuthorization: Codable, Sendable, Equatable {
    /// How long a person may take.
    static let lifetime = Duration.seconds(600)
    /// How often the device may ask, in seconds; and the longest pause that is demanded.
    static let interval = 5, longestInterval = 60
    /// Requests that the network delays arrive closer to each other than they were sent.
    private static let tolerance = Duration.milliseconds(500)

    /// The proof of the person's sign-in.
    struct Approval: Codable, Sendable, Equatable {
        let proof: PageProof
        /// The ID of the organization, empty for none.
        let organization: String
    }

    enum State: Codable, Sendable, Equatable {
        case waiting
        case approved(Approval)
        case denied
    }

    /// The answer to a device that asks.
    enum Answer: Equatable {
        case waiting
        /// It asked too soon, and has to wait longer from now on.
        case tooSoon
        case approved(Approval)
        case denied
        case expired
    }

    let app: AppID
    let scope: String
    let resources: [String]
    /// The assurance that the app asks for, and the age that a sign-in may have.
    let acrValues: [String]
    let maxAge: Int?
    /// The key that the tokens are bound to.
    let thumbprint: String?
    /// The code that the person types.
    let userCode: DeviceUserCode
    let expiresAt: Instant
    private(set) var state = State.waiting
    private(set) var interval = Self.interval
    private(set) var askedAt: Instant?

    init(
        app: AppID, scope: String, resources: [String], acrValues: [String], maxAge: Int?,
        thumbprint: String?, userCode: DeviceUserCode, expiresAt: Instant
    ) {
        (self.app, self.scope, self.resources) = (app, scope, resources)
        (self.acrValues, self.maxAge, self.thumbprint) = (acrValues, maxAge, thumbprint)
        (self.userCode, self.expiresAt) = (userCode, expiresAt)
    }

    /// Whether a person can decide.
    func isOpen(at now: Instant) -> Bool { state == .waiting && now < expiresAt }

    /// The device asks.
    mutating func ask(at now: Instant) -> Answer {
        guard now < expiresAt else { return .expired }
        switch state {
        case .denied: return .denied
        case .approved(let approval): return .approved(approval)
        case .waiting:
            defer { askedAt = now }
            guard let askedAt, now + Self.tolerance < askedAt + .seconds(Int64(interval)) else {
                return .waiting
            }
            interval = min(interval + Self.interval, Self.longestInterval)
            return .tooSoon
        }
    }

    /// The person decides. The first decision counts.
    ///
    /// - Returns: `false` if there was one, or it is too late.
    mutating func decide(_ decision: State, at now: Instant) -> Bool {
        guard isOpen(at: now), decision != .waiting else { return false }
        state = decision
        return true
    }
}

/// A code that a person reads on a device and types on another: eight consonants, which form no
/// words, and of which none looks like another or like a digit (RFC 8628 §6.1).
struct DeviceUserCode: Sendable, Hashable, Codable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let length = 8

    /// Without the hyphen.
    let text: String

    static func random(using generator: inout some RandomNumberGenerator) -> DeviceUserCode {
        DeviceUserCode(
            letters: (0..<length).map { _ in alphabet.randomElement(using: &generator)! })
    }

    private init(letters: [Character]) { text = String(letters) }

    /// Reads what a person typed, in upper or lower case, with or without spaces and hyphens.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.uppercased().filter { $0.isLetter || $0.isNumber }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        self.init(letters: Array(letters))
    }

    /// As the device shows it: `WDJB-MJHT`.
    var shown: String { "\(text.prefix(4))-\(text.suffix(4))" }
}
