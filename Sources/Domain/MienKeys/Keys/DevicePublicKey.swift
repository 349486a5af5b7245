internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The public half of a device key. Validated at creation, so that every value is a usable key.
///
/// ```swift
/// let key = try DevicePublicKey(jwk: header["jwk"])
/// guard key.isValid(signature, over: message) else { return .refused }
/// ```
public struct DevicePublicKey: Sendable, Hashable {
    /// The numbers that make up a key, big-endian.
    public enum Material: Sendable, Hashable {
        /// A point on P-256, 32 bytes for each coordinate.
        case p256(x: [UInt8], y: [UInt8])
        /// A modulus of 2048 to 4096 bits and an exponent of 65537 … 2³² − 1, without leading
        /// zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// A point as in RFC 8032 §5.1.2, 32 bytes.
        case ed25519([UInt8])
    }

    public let material: Material

    /// - Throws: ``KeyError`` unless it is a point on the curve, or a modulus and exponent of
    ///   accepted sizes.
    public init(_ material: Material) throws(KeyError) {
        switch material {
        case .p256(let x, let y): try Self.checkP256(x, y)
        case .rsa(let modulus, let exponent): try Self.checkRSA(modulus, exponent)
        case .ed25519(let point): try Ed25519Point.check(point)
        }
        self.material = material
    }

    public var algorithm: DeviceKeyAlgorithm {
        switch material {
        case .p256: .es256
        case .rsa: .rs256
        case .ed25519: .edDSA
        }
    }

    /// Whether `signature` was made over `message` with the private half.
    ///
    /// - Parameter form: the encoding of an ES256 signature. Other algorithms have only one.
    public func isValid(
        _ signature: [UInt8], over message: [UInt8], form: ES256Signature.Form = .raw
    ) -> Bool {
        switch material {
        case .p256(let x, let y):
            guard let raw = form == .raw ? signature : ES256Signature.raw(der: signature),
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .rsa(let modulus, let exponent):
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
                return false
            }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: message,
                padding: .insecurePKCS1v1_5)
        case .ed25519(let point):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else {
                return false
            }
            return key.isValidSignature(signature, for: message)
        }
    }

    private static func checkP256(_ x: [UInt8], _ y: [UInt8]) throws(KeyError) {
        guard x.count == 32, y.count == 32 else {
            throw KeyError(.encoding, "each coordinate of a P-256 point must have 32 bytes")
        }
        guard (try? P256.Signing.PublicKey(rawRepresentation: x + y)) != nil else {
            throw KeyError(.point, "the point is not on P-256")
        }
    }

    private static func checkRSA(_ modulus: [UInt8], _ exponent: [UInt8]) throws(KeyError) {
        guard let top = modulus.first, top != 0, exponent.first != 0 else {
            throw KeyError(.encoding, "modulus and exponent must not have leading zeros")
        }
        let bits = modulus.count * 8 - top.leadingZeroBitCount
        guard (2048...4096).contains(bits) else {
            throw KeyError(.size, "an RSA key must have 2048 to 4096 bits, not \(bits)")
        }
        // FIPS 186-5 §5.4: odd and above 2^16. An exponent larger than 32 bits only costs time.
        let value = exponent.count <= 4 ? exponent.reduce(0) { $0 << 8 | UInt64($1) } : 0
        guard value > 65536, value % 2 == 1 else {
            throw KeyError(.size, "the RSA exponent must be an odd number from 65537, below 2³²")
        }
        guard modulus.last.map({ $0 % 2 == 1 }) == true,
            (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
        else {
            throw KeyError(.encoding, "the modulus is not valid for RSA")
        }
    }
}

extension DevicePublicKey: CustomStringConvertible {
    /// The algorithm and the thumbprint, which identify the key.
    public var description: String { "\(algorithm.rawValue) \(thumbprint)" }
}
