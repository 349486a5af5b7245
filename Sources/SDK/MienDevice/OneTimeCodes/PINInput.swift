public import MienCore

/// A PIN as somebody typed it, to compute something with. Whether it is the right one, nobody here
/// can tell.
public struct PINInput: Sendable {
    let digits: Sensitive<String>

    /// - Throws: ``OTPTokenError`` `.pin` for anything but 4 to 12 digits.
    public init(_ typed: Sensitive<String>) throws(OTPTokenError) {
        let isPIN = typed.use { text in
            DevicePIN.sizeRange.contains(text.utf8.count)
                && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isPIN else { throw OTPTokenError(.pin, "a PIN has 4 to 12 digits") }
        digits = typed
    }

    /// One that was chosen.
    public init(_ pin: DevicePIN) { digits = pin.digits }
}

/// What opens a token's secret for one computation.
public enum OTPTokenInput: Sendable {
    case pin(PINInput)
    case face(FaceAuthInput)
}
