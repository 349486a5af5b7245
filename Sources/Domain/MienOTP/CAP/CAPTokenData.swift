/// What a card or a token computed, before it is shortened: PSN, CID, ATC, AC and IAD, one after
/// another.
public struct CAPTokenData: Sendable, Hashable {
    /// The cryptogram of a card without limits of its own has 32 bytes of issuer's data at most.
    public static let issuerDataLengths = 0...32

    /// Tells cards of one account apart (PAN sequence number).
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
            throw OTPError(.tokenData, "the cryptogram (AC) has 8 bytes, not \(cryptogram.count)")
        }
        guard Self.issuerDataLengths.contains(issuerData.count) else {
            throw OTPError(
                .tokenData,
                "issuer data (IAD) has up to \(Self.issuerDataLengths.upperBound) bytes, not \(issuerData.count)"
            )
        }
        (self.psn, self.cid, self.atc, self.cryptogram, self.issuerData) = (
            psn, cid, atc, cryptogram, issuerData
        )
    }

    /// From CID on.
    var withoutPSN: [UInt8] { [cid, UInt8(atc >> 8), UInt8(atc & 0xff)] + cryptogram + issuerData }

    /// With the cryptogram that `mode` makes of this one's.
    public func applying(_ mode: CAPMode) throws(OTPError) -> CAPTokenData {
        try CAPTokenData(
            psn: psn, cid: cid, atc: atc, cryptogram: mode.cryptogram(from: cryptogram),
            issuerData: issuerData)
    }
}
