internal import Crypto
internal import Foundation
public import MienCore
public import MienKeys

/// A P-256 key that a session's tokens are bound to (RFC 9449). Its description reveals nothing.
public struct ProofKey: DeviceSigner {
    private let key: P256.Signing.PrivateKey
    public let publicKey: DevicePublicKey

    /// Generates a new key.
    public init() { self.init(P256.Signing.PrivateKey()) }

    /// - Parameter bytes: The ``bytes`` of another key.
    /// - Returns: `nil` if the bytes are not a P-256 private key.
    public init?(bytes: Sensitive<[UInt8]>) {
        guard let key = bytes.use({ try? P256.Signing.PrivateKey(rawRepresentation: $0) }) else {
            return nil
        }
        self.init(key)
    }

    private init(_ key: P256.Signing.PrivateKey) {
        let point = Array(key.publicKey.rawRepresentation)
        self.key = key
        // The public half of a private key is always a point on the curve.
        publicKey = try! DevicePublicKey(.p256(x: Array(point[..<32]), y: Array(point[32...])))
    }

    /// The private scalar, 32 bytes. Store it with the tokens.
    public var bytes: Sensitive<[UInt8]> { Sensitive(Array(key.rawRepresentation)) }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: message).rawRepresentation)
    }
}

extension ProofKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Stores one ``ProofKey`` for each app on each server, next to the tokens that are bound to it.
///
/// ``TransientTokenStorage`` and ``PersistentTokenStorage`` conform. To bind tokens to a key, an
/// app's own ``TokenStorage`` also conforms and stores ``SessionTokens/keyThumbprint`` with the
/// other members. Without this protocol, and without a key passed to ``MienSession``, tokens are
/// bearer tokens.
public protocol ProofKeyStorage: Sendable {
    func proofKey(for key: DeviceTokenKey) async throws -> ProofKey?
    /// Stores `new` unless a key is already stored, atomically.
    ///
    /// - Returns: the key that is stored afterwards.
    func keepProofKey(_ new: ProofKey, for key: DeviceTokenKey) async throws -> ProofKey
}
