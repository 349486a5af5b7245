/// The output of a card or token before it is shortened: PSN, CID, ATC, AC, and IAD, concatenated.
public struct CAPTokenData: Sendable, Hashable {
    /// Cards whose cryptogram has no limit of its own have at most 32 bytes of issuer data.
    public static let issuerDataLengths = 0...32

    /// The PAN sequence number, which distinguishes cards of one account.
    public let psn: UInt8?
    /// Cryptogram information data.
    public let cid: UInt8
    /// Application transaction counter.
    public let atc: UInt16
    /// Application cryptogram: 8 bytes.
    public let cryptogram: [UInt8]
    /// Issuer application data.
    public let issuerData: [UInt8]

    public init(
        psn: UInt8? = nil, cid: UInt8, atc: UInt16, cryptogram: [UInt8], issuerData: [UInt8]
    ) throws(OTPError) {
        guard cryptogram.count == 8 else {
            throw OTPError(
                .tokenData, "the cryptogram (AC) must have 8 bytes, not \(cryptogram.count)")
        }
        guard Self.issuerDataLengths.contains(issuerData.count) else {
            throw OTPError(
                .tokenData,
                "issuer data (IAD) must have at most \(Self.issuerDataLengths.upperBound) bytes, not \(issuerData.count)"
            )
        }
        (self.psn, self.cid, self.atc, self.cryptogram, self.issuerData) = (
            psn, cid, atc, cryptogram, issuerData
        )
    }

    /// The data from CID on.
    var withoutPSN: [UInt8] { [cid, UInt8(atc >> 8), UInt8(atc & 0xff)] + cryptogram + issuerData }

    /// Returns a copy with the cryptogram that `mode` derives from this one.
    public func applying(_ mode: CAPMode) throws(OTPError) -> CAPTokenData {
        try CAPTokenData(
            psn: psn, cid: cid, atc: atc, cryptogram: mode.cryptogram(from: cryptogram),
            issuerData: issuerData)
    }
}
