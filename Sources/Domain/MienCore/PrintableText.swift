extension String {
    /// This text without characters that steer a terminal or change the direction of what follows:
    /// each becomes “�”.
    ///
    /// For text from elsewhere (a pack's title, a file's name) on its way to a person.
    public var printable: String {
        guard unicodeScalars.contains(where: \.isSteering) else { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: unicodeScalars.map { $0.isSteering ? "\u{FFFD}" : $0 })
        return String(scalars)
    }

    /// Whether ``printable`` leaves it as it is.
    public var isPrintable: Bool { !unicodeScalars.contains(where: \.isSteering) }
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
