internal import Foundation

extension String {
    /// The form in which names are compared: what looks the same is the same. Unicode NFKC and case
    /// folding, without characters that nobody sees.
    var foldedName: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var name = self
        // Removing or folding a letter can make others compose.
        for _ in 0..<4 {
            let next = name.withoutInvisible.precomposedStringWithCompatibilityMapping.caseFolded
                .withoutExtraDots.precomposedStringWithCompatibilityMapping
            if next.unicodeScalars.elementsEqual(name.unicodeScalars) { break }
            name = next
        }
        return name
    }

    /// Without characters that take no space, such as those that come along when text is copied, and
    /// those that only change the direction of text.
    var withoutInvisible: String { filteringScalars { !$0.isInvisible } }

    /// Whether the text contains a character that ``withoutInvisible`` removes.
    var hasInvisible: Bool { unicodeScalars.contains(where: \.isInvisible) }

    /// Without a second dot above a letter that has one: the capital İ becomes `i` with another.
    private var withoutExtraDots: String {
        var before: Unicode.Scalar?
        return filteringScalars { scalar in
            defer { before = scalar }
            return scalar != "\u{307}" || before?.properties.isSoftDotted != true
        }
    }

    private func filteringScalars(_ isKept: (Unicode.Scalar) -> Bool) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars where isKept(scalar) { kept.append(scalar) }
        return String(kept)
    }
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool { properties.isDefaultIgnorableCodePoint }

    /// Whether no name may contain the character: it moves or hides what is around it, or is blank.
    var isForbiddenInNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        // The others are invisible but harmless, such as the joiners of Persian and of emoji.
        case .format: properties.isBidiControl || (0xFFF9...0xFFFB).contains(value)
        default: properties.isWhitespace || value == 0x2800
        }
    }
}
