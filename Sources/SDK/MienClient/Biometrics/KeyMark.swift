internal import MienKeys

/// Short marks that name an app or a user in tags.
enum KeyMark {
    /// Returns 16 characters that stand for a text. They are not secret.
    static func of(_ text: String) -> String {
        // FNV-1a is enough, because marks only have to differ.
        let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the last part of a tag.
    static func keyID(_ tag: DeviceKeyTag) -> String {
        String(tag.text.split(separator: ".").last ?? "")
    }
}
