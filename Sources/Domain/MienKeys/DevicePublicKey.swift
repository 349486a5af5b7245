internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The public half of a key that a device keeps. Checked when made: there is no value of this type
/// that is not a key.
///
/// ```swift
/// let key = try DevicePublicKey(jwk: header["jwk"])
/// guard key.isValid(signature, over: message) else { return .refused }
/// ```
public struct DevicePublicKey: Sendable, Hashable {
    /// What a key is made of. Numbers are big-endian.
    public enum Material: Sendable, Hashable {
        /// A point of P-256: 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
        /// Without leading zeros; 2048 to 4096 bits, exponent 65537 … 2³² − 1.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// 32 bytes, as RFC 8032 §5.1.2 writes a point.
        case ed25519([UInt8])
    }

    public let material: Material

    /// - Throws: ``KeyError`` unless it is a point of the curve, or a modulus and exponent of the
    ///   sizes that are taken.
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

    /// Whether `signature` was made with the private half over `message`.
    ///
    /// - Parameter form: how an ES256 signature is written; other algorithms have one form only.
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
            throw KeyError(.encoding, "each coordinate of a P-256 point has 32 bytes")
        }
        guard (try? P256.Signing.PublicKey(rawRepresentation: x + y)) != nil else {
            throw KeyError(.point, "not a point of P-256")
        }
    }

    private static func checkRSA(_ modulus: [UInt8], _ exponent: [UInt8]) throws(KeyError) {
        guard let top = modulus.first, top != 0, exponent.first != 0 else {
            throw KeyError(.encoding, "modulus and exponent are written without leading zeros")
        }
        let bits = modulus.count * 8 - top.leadingZeroBitCount
        guard (2048...4096).contains(bits) else {
            throw KeyError(.size, "an RSA key of \(bits) bits; 2048 to 4096 are taken")
        }
        // FIPS 186-5 §5.4: odd and above 2^16. What is larger than 32 bits only costs time.
        let value = exponent.count <= 4 ? exponent.reduce(0) { $0 << 8 | UInt64($1) } : 0
        guard value > 65536, value % 2 == 1 else {
            throw KeyError(.size, "the RSA exponent is an odd number from 65537, below 2³²")
        }
        guard modulus.last.map({ $0 % 2 == 1 }) == true,
            (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
        else {
            throw KeyError(.encoding, "not an RSA modulus")
        }
    }
}

extension DevicePublicKey: CustomStringConvertible {
    /// Algorithm and thumbprint: a key is known by those.
    public var description: String { "\(algorithm.rawValue) \(thumbprint)" }
}
