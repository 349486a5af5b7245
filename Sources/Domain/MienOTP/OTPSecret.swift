internal import MienCore

/// The secret that an OTP token and its verifier share: 16 to 128 bytes. Never prints.
public struct OTPSecret: Sendable, Hashable {
    /// RFC 4226, R6: at least 128 bits.
    public static let lengths = 16...128

    /// The bytes, to store or seal them.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) throws(OTPError) {
        guard Self.lengths.contains(bytes.count) else {
            throw OTPError(
                .secret,
                "a secret must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) bytes, not \(bytes.count)"
            )
        }
        self.bytes = bytes
    }

    /// Creates a random secret of the length that RFC 6238 recommends for `hash`.
    public static func random(
        for hash: OTPHash = .sha1, using generator: inout some RandomNumberGenerator
    ) -> OTPSecret {
        OTPSecret(unchecked: generator.bytes(hash.byteCount))
    }

    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter base32: RFC 4648 §6, as authenticator apps show it. Lower case, spaces between
    ///   groups, and missing padding are accepted.
    public init(base32 text: some StringProtocol) throws(OTPError) {
        guard let bytes = Base32.decode(text) else {
            throw OTPError(
                .secret,
                "the secret must be base32: letters A to Z and digits 2 to 7, with a valid length"
            )
        }
        try self.init(bytes: bytes)
    }

    /// - Parameter hexadecimal: two digits per byte in either case. Spaces between groups are
    ///   accepted.
    public init(hexadecimal text: some StringProtocol) throws(OTPError) {
        guard let bytes = Hex.decode(text) else {
            throw OTPError(.secret, "the secret must be hexadecimal, two of 0-9, a-f for each byte")
        }
        try self.init(bytes: bytes)
    }

    /// Base32 in upper case, without padding.
    public var base32: String { Base32.encode(bytes) }
}

extension OTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
