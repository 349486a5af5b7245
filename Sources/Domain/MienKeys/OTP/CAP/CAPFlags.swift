/// The issuer authentication flag (IAF). Only one of its bits affects the code.
public struct CAPFlags: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bit 7, the second from the left: whether the token data begins with the PSN.
    public var usesPSN: Bool { rawValue & 0x40 != 0 }

    public static let withPSN = CAPFlags(rawValue: 0x40)
    public static let withoutPSN = CAPFlags(rawValue: 0)
}
