public import MienCore

/// A PIN as typed, for a computation. The device cannot tell whether it is right.
public struct PINInput: Sendable {
    let digits: Sensitive<String>

    /// - Throws: ``OTPTokenError`` `.pin` for anything but 4 to 12 digits.
    public init(_ typed: Sensitive<String>) throws(OTPTokenError) {
        let isPIN = typed.use { text in
            DevicePIN.sizeRange.contains(text.utf8.count)
                && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isPIN else { throw OTPTokenError(.pin, "A PIN needs 4 to 12 digits.") }
        digits = typed
    }

    /// Creates an input from a chosen PIN.
    public init(_ pin: DevicePIN) { digits = pin.digits }
}

/// The input that unlocks an OTP token's secret for one computation.
public enum OTPTokenInput: Sendable {
    case pin(PINInput)
    case face(FaceAuthInput)
}
