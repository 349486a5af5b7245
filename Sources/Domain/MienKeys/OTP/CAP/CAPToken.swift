/// A CAP code: the bits that the mask selects, from left to right, as one number.
public struct CAPToken: Sendable {
    /// The code as card readers show it, without leading zeros.
    public let code: OneTimeCode
    /// The code padded with leading zeros to the maximum number of digits, as some verifiers
    /// require.
    public let paddedCode: OneTimeCode
    /// The maximum number of digits that the mask allows.
    public let digits: Int

    /// - Throws: if the mask selects too few or too many bits, or is longer than the data.
    public init(_ data: CAPTokenData, mask: CAPMask = .standard, flags: CAPFlags = .withoutPSN)
        throws(OTPError)
    {
        let bits = mask.bitCount(flags)
        guard CAPMask.bitCounts.contains(bits) else {
            throw OTPError(
                .mask,
                "the mask selects \(bits) bits instead of \(CAPMask.bitCounts.lowerBound) to \(CAPMask.bitCounts.upperBound)"
            )
        }
        let bytes = try Self.bytes(data, mask, flags)
        let number = zip(bytes, mask.effectiveBytes(flags)).reduce(UInt64(0)) {
            Self.append($1.0, picked: $1.1, to: $0)
        }
        digits = CAPMask.digits(ofBits: bits)
        code = .decimal(number, digits: 1)
        paddedCode = .decimal(number, digits: digits)
    }

    private static func bytes(_ data: CAPTokenData, _ mask: CAPMask, _ flags: CAPFlags)
        throws(OTPError) -> [UInt8]
    {
        var bytes = data.withoutPSN
        if flags.usesPSN {
            guard let psn = data.psn else {
                throw OTPError(.tokenData, "bit 7 of IAF is set: the data needs a PSN")
            }
            bytes.insert(psn, at: 0)
        }
        let wanted = mask.effectiveBytes(flags).count
        switch mask.layout {
        case .token where bytes.count != wanted:
            throw OTPError(
                .tokenData,
                "with a token's mask, issuer data (IAD) must have 8 bytes, not \(data.issuerData.count)"
            )
        case .card where bytes.count < wanted:
            throw OTPError(
                .mask, "the mask has \(wanted) bytes, but the data has only \(bytes.count)")
        case .token, .card: return bytes
        }
    }

    private static func append(_ byte: UInt8, picked mask: UInt8, to number: UInt64) -> UInt64 {
        var number = number
        for bit in (0..<8).reversed() where mask >> bit & 1 == 1 {
            let picked: UInt8 = byte >> bit & 1
            number = number << 1 | UInt64(picked)
        }
        return number
    }
}
