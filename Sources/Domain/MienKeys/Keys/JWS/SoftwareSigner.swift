internal import Crypto
internal import CryptoExtras
internal import Foundation
public import MienCore

/// A private key in memory: of a server, for tests, and for environments without a device key
/// store. Never prints.
public struct SoftwareSigner: DeviceSigner {
    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    private let key: Key
    public let publicKey: DevicePublicKey

    /// Creates a new key from the system's random generator.
    ///
    /// - Parameter rsaBits: The size of an RSA key, 2048...4096. One of 3072 bits takes about half a
    ///   second.
    public static func generate(_ algorithm: DeviceKeyAlgorithm, rsaBits: Int = 2048) throws
        -> SoftwareSigner
    {
        switch algorithm {
        case .es256: try SoftwareSigner(.p256(P256.Signing.PrivateKey()))
        case .rs256:
            try SoftwareSigner(.rsa(_RSA.Signing.PrivateKey(keySize: .init(bitCount: rsaBits))))
        case .edDSA: try SoftwareSigner(.ed25519(Curve25519.Signing.PrivateKey()))
        }
    }

    /// - Parameter p256: the private number, 32 bytes.
    public init(p256: [UInt8]) throws {
        try self.init(.p256(P256.Signing.PrivateKey(rawRepresentation: p256)))
    }

    /// - Parameter ed25519: the seed, 32 bytes.
    public init(ed25519: [UInt8]) throws {
        try self.init(.ed25519(Curve25519.Signing.PrivateKey(rawRepresentation: ed25519)))
    }

    /// - Parameter rsa: PKCS#1 or PKCS#8, in DER.
    public init(rsa: [UInt8]) throws {
        try self.init(.rsa(_RSA.Signing.PrivateKey(derRepresentation: rsa)))
    }

    /// The private key as the initializer of its kind takes it; an RSA key as PKCS#1.
    public var privateBytes: Sensitive<[UInt8]> {
        switch key {
        case .p256(let key): Sensitive(Array(key.rawRepresentation))
        case .rsa(let key): Sensitive(Array(key.derRepresentation))
        case .ed25519(let key): Sensitive(Array(key.rawRepresentation))
        }
    }

    private init(_ key: Key) throws {
        self.key = key
        switch key {
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            publicKey = try DevicePublicKey(.p256(x: Array(point[..<32]), y: Array(point[32...])))
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            publicKey = try DevicePublicKey(
                .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent)))
        case .ed25519(let key):
            publicKey = try DevicePublicKey(.ed25519(Array(key.publicKey.rawRepresentation)))
        }
    }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
        case .rsa(let key):
            Array(try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        }
    }
}

extension SoftwareSigner: CustomStringConvertible, CustomReflectable {
    public var description: String { "a key of \(publicKey)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
