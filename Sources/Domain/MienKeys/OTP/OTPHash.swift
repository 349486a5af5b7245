internal import Crypto
internal import Foundation

/// The hash function of a code's HMAC.
public enum OTPHash: String, Sendable, Hashable, Codable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Also the length of the secret that RFC 6238 recommends.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    func digest(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: message))
        case .sha256: Array(SHA256.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        }
    }

    func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch self {
        // SHA-1's weakness is in collisions, which do not affect HMAC, and hardware tokens support
        // nothing else.
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }
}
