/// Counter-based codes: RFC 4226, with the longer hash functions that RFC 6238 adds.
public struct HOTP: Sendable, Hashable {
    /// With ten digits, the first is at most 2, because the number behind a code has 31 bits.
    public static let digitCounts = 6...10

    public let digits: Int
    public let hash: OTPHash

    public init(digits: Int = 6, hash: OTPHash = .sha1) throws(OTPError) {
        guard Self.digitCounts.contains(digits) else {
            throw OTPError(
                .digits,
                "a code must have \(Self.digitCounts.lowerBound) to \(Self.digitCounts.upperBound) digits, not \(digits)"
            )
        }
        (self.digits, self.hash) = (digits, hash)
    }

    public func code(at counter: UInt64, with secret: OTPSecret) -> OneTimeCode {
        .truncated(hash.hmac(counter.bigEndianBytes, key: secret.bytes), digits: digits)
    }
}

extension UInt64 {
    var bigEndianBytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
    }
}
