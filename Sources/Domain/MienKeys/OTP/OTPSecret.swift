internal import MienCore

/// The secret that an OTP token and its verifier share. Never prints.
public struct OTPSecret: Sendable, Hashable {
    /// The lengths of secrets that a verifier draws and stores, in bytes. RFC 4226, R6: at least
    /// 128 bits.
    public static let lengths = 16...128
    /// The lengths of secrets as text, in bytes. Somebody else chose these: many sites show 80 bits.
    public static let typedLengths = 1...128

    /// The bytes, to store or seal them.
    public let bytes: [UInt8]

    /// - Parameter bytes: ``lengths``.
    public init(bytes: [UInt8]) throws(OTPError) { try self.init(bytes, lengths: Self.lengths) }

    /// - Parameter bytes: A secret that somebody else chose: ``typedLengths``.
    public init(typed bytes: [UInt8]) throws(OTPError) {
        try self.init(bytes, lengths: Self.typedLengths)
    }

    private init(_ bytes: [UInt8], lengths: ClosedRange<Int>) throws(OTPError) {
        guard lengths.contains(bytes.count) else {
            throw OTPError(
                .secret,
                "a secret must have \(lengths.lowerBound) to \(lengths.upperBound) bytes, not \(bytes.count)"
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

    /// - Parameter base32: As sites and authenticator apps show it: RFC 4648 §6 in either case, in
    ///   groups with spaces or hyphens of any kind, with or without padding. Bits beyond the last
    ///   byte are ignored, and 0, 1, and 8 are read as O, I, and B, as Google's own apps do. The
    ///   bytes: ``typedLengths``.
    public init(base32 text: some StringProtocol) throws(OTPError) {
        guard let bytes = Base32.decode(Self.ungrouped(text)) else {
            throw OTPError(
                .secret,
                "the secret must be base32: letters A to Z and digits 2 to 7, with or without spaces and hyphens"
            )
        }
        try self.init(bytes, lengths: Self.typedLengths)
    }

    /// - Parameter hexadecimal: Two digits per byte in either case, in groups with spaces, hyphens,
    ///   or colons. The bytes: ``typedLengths``.
    public init(hexadecimal text: some StringProtocol) throws(OTPError) {
        guard let bytes = Hex.decode(Self.ungrouped(text).filter { $0 != ":" }) else {
            throw OTPError(.secret, "the secret must be hexadecimal, two of 0-9, a-f for each byte")
        }
        try self.init(bytes, lengths: Self.typedLengths)
    }

    /// Whether a text is more likely a hexadecimal secret, of at least 64 bits, than a base32 one.
    /// Of base32 secrets with 16 letters, one in six million has no letter after F.
    public static func looksHexadecimal(_ text: some StringProtocol) -> Bool {
        (try? OTPSecret(hexadecimal: text)).map { $0.bytes.count >= 8 } ?? false
    }

    /// Removes what separates groups: white space, hyphens, and characters that nobody sees, which
    /// come along when a secret is copied from a page.
    private static func ungrouped(_ text: some StringProtocol) -> String {
        var letters = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || properties.generalCategory == .dashPunctuation
            {
                continue
            }
            letters.append(scalar)
        }
        return String(letters)
    }

    /// Base32 in upper case, without padding.
    public var base32: String { Base32.encode(bytes) }
}

extension OTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
