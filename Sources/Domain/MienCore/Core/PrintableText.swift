extension String {
    /// This text with each character that controls a terminal or changes the text direction
    /// replaced by “�”.
    ///
    /// Use it for untrusted text, such as a pack's title or a file name, before showing it.
    public var printable: String {
        guard unicodeScalars.contains(where: \.isSteering) else { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: unicodeScalars.map { $0.isSteering ? "\u{FFFD}" : $0 })
        return String(scalars)
    }

    /// Whether ``printable`` leaves the text unchanged.
    public var isPrintable: Bool {
        // Looking up the properties of each character takes ten times as long as this.
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return true }
        return !unicodeScalars.contains(where: \.isSteering)
    }
}

extension Unicode.Scalar {
    fileprivate var isSteering: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: false
        }
    }
}
