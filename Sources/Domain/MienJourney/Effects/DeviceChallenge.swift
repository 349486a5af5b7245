public import MienCore

/// Draws a challenge for a device's key. The answer is a challenge even for an unknown user or key.
public struct ChallengeDeviceKeyEffect: StepEffect {
    public let user: UserReference
    public let purpose: DeviceKeyPurpose

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = DeviceChallenge
    public typealias Pending = DeviceChallenge.Pending
}

public enum DeviceKeyPurpose: Sendable, Hashable {
    /// Registration of a key; the new key's attestation repeats the challenge.
    case registration
    case authentication
    /// Signing of at most 10 pairs of `A-Z a-z 0-9 _ . -`, together with the challenge.
    case transaction(approvalData: [String: String])
}

/// A challenge for a device key or an OTP token.
public struct DeviceChallenge: EffectAnswer {
    public let id: ChallengeID
    public let challenge: String
    /// The names under which the user signs in. Only for registration.
    public var names: [String] = []

    public struct Pending: PendingState {
        public static let name = "challengingKey"
        public func accepts(_ answer: DeviceChallenge) -> Bool { true }
    }
}

extension EffectReply where Answer == DeviceChallenge {
    public static func deviceChallenge(
        _ id: ChallengeID, challenge: String, names: [String] = []
    ) -> Self {
        .answer(DeviceChallenge(id: id, challenge: challenge, names: names))
    }
}

/// A prompt to answer a challenge.
struct DeviceChallengePrompt: PromptState {
    static let name = "deviceKey"
    let challenge: ChallengeID

    private enum CodingKeys: String, CodingKey { case challenge = "_0" }
}

extension ChallengeDeviceKeyEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        world.challenge()
    }
}

extension SimulatedWorld {
    mutating func challenge() -> EffectReply<DeviceChallenge> {
        let id = issue(ChallengeID.self)
        challenges[id] = "challenge-\(issued)"
        return .deviceChallenge(id, challenge: "challenge-\(issued)")
    }
}
