internal import MienCore

/// CAP codes of a token that is its own card: the cryptogram (AC) is computed from a key, as a
/// payment card does with its own.
///
/// A code is valid at one transaction counter (ATC). A verifier searches a window of counters, as
/// for HOTP.
public struct CAP: Sendable, Hashable {
    /// Two DES keys. Of each byte, the lowest bit is a parity bit, which the cipher ignores.
    public static let keySize = 16
    /// The first ATC of a card is 1.
    public static let counters: ClosedRange<UInt16> = 1...UInt16.max
    public static let digitCounts = 8...10
    public static let standardDigits = 8
    /// Bits of the cryptogram in a code. The other bits are known, so a guess is right with a
    /// probability of 1 : 2¹⁶ at most.
    public static let minCryptogramBits = 16

    private static let arqc: UInt8 = 0x80, issuerDataSize = 8
    /// Amount and other amount (6 bytes each), country (2), TVR (5: no data authentication), currency
    /// (2), date (3), and type (1).
    private static let terminalData: [UInt8] =
        Array(repeating: 0, count: 14) + [0x80, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0]
    /// The application interchange profile.
    private static let profile: [UInt8] = [0x10, 0x00]

    public let mask: CAPMask
    public let flags: CAPFlags
    public let psn: UInt8
    /// Issuer application data: 8 bytes.
    public let issuerData: [UInt8]

    /// - Throws: ``OTPError`` `.mask` unless the mask has a token's layout and selects 8 to 10
    ///   digits and at least 16 bits of the cryptogram; `.tokenData` unless `issuerData` has 8
    ///   bytes.
    public init(
        mask: CAPMask = .standard, flags: CAPFlags = .withoutPSN, psn: UInt8 = 0,
        issuerData: [UInt8] = [UInt8](repeating: 0, count: 8)
    ) throws(OTPError) {
        guard mask.layout == .token, CAPMask.bitCounts.contains(mask.bitCount(flags)),
            Self.digitCounts.contains(CAPMask.digits(ofBits: mask.bitCount(flags))),
            mask.cryptogramBitCount >= Self.minCryptogramBits
        else {
            throw OTPError(
                .mask,
                "a token's mask must have \(CAPMask.tokenBytes) bytes, and select \(Self.digitCounts.lowerBound) to \(Self.digitCounts.upperBound) digits and at least \(Self.minCryptogramBits) bits of the cryptogram"
            )
        }
        guard issuerData.count == Self.issuerDataSize else {
            throw OTPError(
                .tokenData, "a token's issuer data must have \(Self.issuerDataSize) bytes")
        }
        (self.mask, self.flags, self.psn, self.issuerData) = (mask, flags, psn, issuerData)
    }

    /// - Parameter digits: 8…10. Each further digit adds bits of the cryptogram to the standard
    ///   mask's 16: 21 with nine digits, 25 with ten.
    public init(digits: Int) throws(OTPError) {
        let selected: [UInt8]
        switch digits {
        case 8: selected = [0xff, 0xff]
        case 9: selected = [0xff, 0xff, 0xf8]
        case 10: selected = [0xff, 0xff, 0xff, 0x80]
        default:
            throw OTPError(
                .digits,
                "a CAP code must have \(Self.digitCounts.lowerBound) to \(Self.digitCounts.upperBound) digits, not \(digits)"
            )
        }
        let bytes = [0, 0, 0, 0xff] + selected
        try self.init(
            mask: CAPMask(bytes + [UInt8](repeating: 0, count: CAPMask.tokenBytes - bytes.count)))
    }

    /// The number of digits of a code, including leading zeros.
    public var digits: Int { CAPMask.digits(ofBits: mask.bitCount(flags)) }

    /// Returns the code with leading zeros.
    ///
    /// - Parameters:
    ///   - atc: The transaction counter. Use each only once.
    ///   - key: The token's key.
    /// - Throws: ``OTPError`` `.secret` unless the key has 16 bytes; `.transaction` for a challenge
    ///   or numbers that `mode` does not allow.
    public func code(_ mode: CAPMode, at atc: UInt16, with key: OTPSecret) throws(OTPError)
        -> OneTimeCode
    {
        let data = try CAPTokenData(
            psn: flags.usesPSN ? psn : nil, cid: Self.arqc, atc: atc,
            cryptogram: Self.cryptogram(mode.unpredictableNumber(), at: atc, with: key),
            issuerData: issuerData)
        return try CAPToken(data.applying(mode), mask: mask, flags: flags).paddedCode
    }

    /// Returns the ARQC of a transaction without an amount: ISO/IEC 9797-1 MAC algorithm 3 with
    /// padding method 2, over the data that EMV recommends.
    ///
    /// - Parameter number: The unpredictable number, 4 bytes.
    static func cryptogram(_ number: [UInt8], at atc: UInt16, with key: OTPSecret)
        throws(OTPError) -> [UInt8]
    {
        let keys = try sessionKeys(at: atc, of: key)
        var data = terminalData + number + profile
        data += [UInt8(atc >> 8), UInt8(atc & 0xff), 0x80]
        data += [UInt8](repeating: 0, count: (8 - data.count % 8) % 8)
        return keys[0].encrypt(keys[1].decrypt(keys[0].mac(data)))
    }

    /// EMV common session key derivation: two-key triple DES of ATC and F0 or 0F.
    private static func sessionKeys(at atc: UInt16, of key: OTPSecret) throws(OTPError) -> [DES] {
        guard key.bytes.count == keySize else {
            throw OTPError(
                .secret, "a CAP key must have \(keySize) bytes, not \(key.bytes.count)")
        }
        let master = [DES(key: Array(key.bytes[..<8])), DES(key: Array(key.bytes[8...]))]
        let marks: [UInt8] = [0xf0, 0x0f]
        return marks.map { mark in
            let block = [UInt8(atc >> 8), UInt8(atc & 0xff), mark, 0, 0, 0, 0, 0]
            return DES(
                key: master[0].encrypt(master[1].decrypt(master[0].encrypt(block))))
        }
    }
}

extension CAP {
    /// Everything that a device must know besides the key, in hexadecimal.
    public struct Parameters: Sendable, Hashable {
        /// ``CAP/mask``, 20 bytes.
        public let mask: String
        /// ``CAP/flags``, one byte.
        public let iaf: String
        /// ``CAP/psn``, one byte.
        public let psn: String
        /// ``CAP/issuerData``, 8 bytes.
        public let iad: String

        public init(mask: String, iaf: String, psn: String, iad: String) {
            (self.mask, self.iaf, self.psn, self.iad) = (mask, iaf, psn, iad)
        }
    }

    public var parameters: Parameters {
        Parameters(
            mask: mask.hexadecimal, iaf: Hex.encode([flags.rawValue]), psn: Hex.encode([psn]),
            iad: Hex.encode(issuerData))
    }

    /// - Throws: ``OTPError`` `.tokenData` for malformed hexadecimal, and as
    ///   ``init(mask:flags:psn:issuerData:)``.
    public init(_ parameters: Parameters) throws(OTPError) {
        guard let flags = Hex.decode(parameters.iaf), let psn = Hex.decode(parameters.psn),
            let data = Hex.decode(parameters.iad), flags.count == 1, psn.count == 1
        else {
            throw OTPError(
                .tokenData, "IAF and PSN must have two hexadecimal digits, and IAD 16")
        }
        try self.init(
            mask: CAPMask(hexadecimal: parameters.mask), flags: CAPFlags(rawValue: flags[0]),
            psn: psn[0], issuerData: data)
    }
}

extension OTPSecret {
    /// Creates a random CAP key. Its parity bits are random, too, so that each 16 bytes are a key,
    /// and as likely as any other.
    public static func randomCAPKey(using generator: inout some RandomNumberGenerator) -> OTPSecret
    {
        OTPSecret(unchecked: generator.bytes(CAP.keySize))
    }
}
