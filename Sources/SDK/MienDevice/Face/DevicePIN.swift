public import MienCore
public import MienKeys

/// A device's passcode: 4…12 digits, not all the same and not a straight run.
public struct DevicePIN: Sendable {
    public static let sizeRange = 4...12

    package let digits: Sensitive<String>

    /// - Throws: `DeviceError` `.weakPasscode`, which states the rule without repeating the
    ///   digits.
    public init(_ digits: Sensitive<String>) throws(DeviceError) {
        let values: [Int]? = digits.use { digits in
            let bytes = Array(digits.utf8)
            guard Self.sizeRange.contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) })
            else { return nil }
            return bytes.map { Int($0) - 48 }
        }
        guard let values else {
            throw DeviceError(.weakPasscode, "A passcode needs 4 to 12 digits.")
        }
        let steps = Set(zip(values, values.dropFirst()).map { ($1 - $0 + 10) % 10 })
        guard steps != [0] else {
            throw DeviceError(
                .weakPasscode, "A passcode with identical digits is too easy to guess.")
        }
        // 7890 and 2109 are also runs.
        guard steps != [1], steps != [9] else {
            throw DeviceError(
                .weakPasscode, "A passcode that counts up or down is too easy to guess.")
        }
        self.digits = digits
    }
}
