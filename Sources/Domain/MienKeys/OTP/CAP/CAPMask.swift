/// The issuer proprietary bitmap (IPB), which selects the bits of the token data that become the
/// code.
public struct CAPMask: Sendable, Hashable {
    /// The alignment of a mask with the data.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        /// The layout of tokens: always all 20 bytes, PSN first. Without a PSN, the mask's first
        /// byte is skipped as well.
        case token
        /// The layout of cards (tag 9F56): begins where the data begins, at the PSN or at the CID,
        /// and often ends before it.
        case card
    }

    /// PSN, CID, ATC, AC, and 8 bytes of IAD.
    public static let tokenBytes = 20
    /// With fewer than 17 bits, a code would have fewer than six digits. The guide defines no code
    /// of more than 53.
    public static let bitCounts = 17...53

    public let bytes: [UInt8]
    public let layout: Layout

    /// The low byte of ATC and the first two bytes of AC: 24 bits, up to 8 digits.
    ///
    /// The programmer's guide prints this mask one byte short.
    public static let standard = CAPMask(
        unchecked: [0, 0, 0, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 14))

    public init(_ bytes: [UInt8], layout: Layout = .token) throws(OTPError) {
        switch layout {
        case .token:
            guard bytes.count == Self.tokenBytes else { throw Self.wrongLength(bytes) }
        case .card:
            let maxBytes = 12 + CAPTokenData.issuerDataLengths.upperBound
            guard (1...maxBytes).contains(bytes.count) else {
                throw OTPError(
                    .mask, "a card's mask must have 1 to \(maxBytes) bytes, not \(bytes.count)")
            }
        }
        (self.bytes, self.layout) = (bytes, layout)
    }

    private init(unchecked bytes: [UInt8]) { (self.bytes, layout) = (bytes, .token) }

    public init(hexadecimal text: some StringProtocol, layout: Layout = .token) throws(OTPError) {
        guard let bytes = Hex.decode(text) else {
            throw OTPError(.mask, "the mask must be hexadecimal, two of 0-9, A-F for each byte")
        }
        try self.init(bytes, layout: layout)
    }

    private static func wrongLength(_ bytes: [UInt8]) -> OTPError {
        let rule =
            "the mask has \(bytes.count) bytes instead of \(tokenBytes): PSN (1), CID (1), ATC (2), AC (8), and IAD (8)"
        guard bytes.count == tokenBytes - 1 else { return OTPError(.mask, rule) }
        // Suggest the missing byte, because the default mask that the guide prints lacks it.
        return OTPError(
            .mask, rule + "; a byte is missing at the end: use \(Hex.encode(bytes + [0]))")
    }

    /// The mask's bytes that apply under `flags`.
    func effectiveBytes(_ flags: CAPFlags) -> ArraySlice<UInt8> {
        layout == .token && !flags.usesPSN ? bytes.dropFirst() : bytes[...]
    }

    /// The number of bits that make up the code.
    public func bitCount(_ flags: CAPFlags) -> Int {
        effectiveBytes(flags).reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The number of bits of the cryptogram (AC) that a token's mask selects.
    var cryptogramBitCount: Int {
        bytes.dropFirst(4).prefix(8).reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The maximum number of digits of a code: those of 2ⁿ − 1. Matches every row of the guide's
    /// table 6.
    public static func digits(ofBits count: Int) -> Int {
        String((UInt64(1) << UInt64(count)) - 1).count
    }

    public var hexadecimal: String { Hex.encode(bytes) }
}
