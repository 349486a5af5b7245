/// The issuer proprietary bitmap (IPB): which bits of the token data become the code.
public struct CAPMask: Sendable, Hashable {
    /// How a mask lies over the data.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        /// As tokens hold it: always over all 20 bytes, PSN first. Its first byte is left out
        /// together with the PSN.
        case token
        /// As cards hold it (tag 9F56): beginning where the data begins, at the PSN or at the CID,
        /// and often ending before it.
        case card
    }

    /// PSN, CID, ATC, AC, and 8 bytes of IAD.
    public static let tokenBytes = 20
    /// Below 17 bits a code would have fewer than six digits; beyond 53 the guide names none.
    public static let bitCounts = 17...53

    public let bytes: [UInt8]
    public let layout: Layout

    /// The low byte of ATC and the first two of AC: 24 bits, up to 8 digits.
    ///
    /// The programmer's guide prints it a byte short.
    public static let standard = CAPMask(
        unchecked: [0, 0, 0, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 14))

    public init(_ bytes: [UInt8], layout: Layout = .token) throws(OTPError) {
        switch layout {
        case .token:
            guard bytes.count == Self.tokenBytes else { throw Self.wrongLength(bytes) }
        case .card:
            let most = 12 + CAPTokenData.issuerDataLengths.upperBound
            guard (1...most).contains(bytes.count) else {
                throw OTPError(.mask, "a card's mask has 1 to \(most) bytes, not \(bytes.count)")
            }
        }
        (self.bytes, self.layout) = (bytes, layout)
    }

    private init(unchecked bytes: [UInt8]) { (self.bytes, layout) = (bytes, .token) }

    public init(hexadecimal text: some StringProtocol, layout: Layout = .token) throws(OTPError) {
        guard let bytes = Hex.decode(text) else {
            throw OTPError(.mask, "the mask is not hexadecimal: two of 0-9, A-F for each byte")
        }
        try self.init(bytes, layout: layout)
    }

    private static func wrongLength(_ bytes: [UInt8]) -> OTPError {
        let rule =
            "the mask has \(bytes.count) bytes; PSN (1), CID (1), ATC (2), AC (8) and IAD (8) have \(tokenBytes)"
        guard bytes.count == tokenBytes - 1 else { return OTPError(.mask, rule) }
        // The guide's printed default has just this fault.
        return OTPError(
            .mask, rule + ": one is missing at the end, the mask is \(Hex.encode(bytes + [0]))")
    }

    /// The bytes that count, under `flags`.
    func effectiveBytes(_ flags: CAPFlags) -> ArraySlice<UInt8> {
        layout == .token && !flags.usesPSN ? bytes.dropFirst() : bytes[...]
    }

    /// How many bits make the code.
    public func bitCount(_ flags: CAPFlags) -> Int {
        effectiveBytes(flags).reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The most digits a code can have: those of 2ⁿ − 1. Gives every row of the guide's table 6.
    public static func digits(ofBits count: Int) -> Int {
        String((UInt64(1) << UInt64(count)) - 1).count
    }

    public var hexadecimal: String { Hex.encode(bytes) }
}
