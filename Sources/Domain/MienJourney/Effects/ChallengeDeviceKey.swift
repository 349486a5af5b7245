import MienCore

/// Draws a challenge for a device's key. The answer is a challenge even for an unknown user or key.
public struct ChallengeDeviceKeyEffect: Sendable, Hashable {
    public let user: UserReference
    public let purpose: DeviceKeyPurpose
}

public enum DeviceKeyPurpose: Sendable, Hashable {
    /// Registration of a key; the new key's attestation repeats the challenge.
    case registration
    case authentication
    /// Signing of at most 10 pairs of `A-Z a-z 0-9 _ . -`, together with the challenge.
    case transaction(approvalData: [String: String])
}

extension SimulatedWorld {
    mutating func challenge() -> EffectAnswer {
        let id = issue(ChallengeID.self)
        challenges[id] = "challenge-\(issued)"
        return .deviceChallenge(id, challenge: "challenge-\(issued)")
    }
}
