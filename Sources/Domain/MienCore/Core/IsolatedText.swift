extension String {
    /// This text in one piece within text that is written from left to right: between U+2068 and
    /// U+2069 (UAX #9, section 2.4) if it has characters of the other direction.
    ///
    /// Without them, the punctuation and numbers beside a Hebrew or Arabic name move to its other
    /// side. Use it for names in sentences and table rows.
    public var isolated: String {
        unicodeScalars.contains(where: \.isRightToLeft) ? "\u{2068}\(self)\u{2069}" : self
    }
}

extension Unicode.Scalar {
    /// Whether the character belongs to a script that is written from right to left, or changes the
    /// direction.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x590...0x8FF, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFB1D...0xFDFF,
            0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
            true
        default: false
        }
    }
}
