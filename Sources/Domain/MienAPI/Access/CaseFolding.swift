extension String {
    /// The text without differences of case: also `ς` and `σ`, and `ß`, `ẞ`, and `ss`, which lower
    /// case alone keeps apart.
    ///
    /// Unicode's full case folding, except that it makes no difference between `ı` and `i`, because
    /// both are `I` in capitals. The result may need to be normalized again.
    var caseFolded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            // Lower case first, for the capital ẞ, which has no other upper case.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(folded)
    }
}
