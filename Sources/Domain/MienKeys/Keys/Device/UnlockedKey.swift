public import MienCore

/// A key that its owner has just unlocked, for one signature.
///
/// It says how the owner was verified before anything is signed, so that the signed message can
/// contain it.
public struct UnlockedKey: Sendable {
    public let publicKey: DevicePublicKey
    public let method: LocalVerdict.Method
    private let signing: @Sendable ([UInt8]) async throws -> [UInt8]

    public init(
        publicKey: DevicePublicKey, method: LocalVerdict.Method,
        signing: @escaping @Sendable ([UInt8]) async throws -> [UInt8]
    ) {
        (self.publicKey, self.method, self.signing) = (publicKey, method, signing)
    }
}

extension UnlockedKey: DeviceSigner {
    /// Signs the message's SHA-256.
    ///
    /// - Returns: r and s, 32 bytes each.
    public func sign(_ message: [UInt8]) async throws -> [UInt8] { try await signing(message) }
}

extension LocalVerdict.Method {
    /// The method as servers are told.
    public var unlock: DeviceKeyUnlock {
        switch self {
        case .face, .finger: .biometric
        case .passcode: .pin
        }
    }
}
