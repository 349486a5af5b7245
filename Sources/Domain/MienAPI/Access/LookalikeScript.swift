/// A script with letters that look like those of the others, such as the Latin and the Cyrillic “a”.
/// A name in one of them is what it seems; a name that mixes them may imitate another.
enum LookalikeScript: CaseIterable {
    case latin, greek, cyrillic

    static func areMixed(in text: String) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return false }
        let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
        return allCases.count { script in letters.contains { script.contains($0.value) } } > 1
    }

    private func contains(_ value: UInt32) -> Bool {
        switch self {
        case .latin:
            switch value {
            case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF, 0x2C60...0x2C7F,
                0xA722...0xA7FF:
                true
            default: false
            }
        case .greek:
            switch value {
            case 0x370...0x3FF, 0x1F00...0x1FFF: true
            default: false
            }
        case .cyrillic:
            switch value {
            case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: true
            default: false
            }
        }
    }
}
