/// A code as people type or copy it.
enum TypedCode {
    /// Returns the code with the digits 0 to 9, and without what people and keyboards add: spaces,
    /// hyphens and dashes of any kind, dots, and marks of the direction of writing.
    ///
    /// Keyboards for Arabic, Persian, Hindi, Bengali, and Thai have digits of their own, and Japanese
    /// ones have wide digits.
    static func normal(_ text: String) -> String {
        var code = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .decimalNumber:
                // Only decimal digits have such a value, from 0 to 9.
                let value = Int(scalar.properties.numericValue ?? 0)
                code.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(clamping: value)))
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format,
                .dashPunctuation:
                continue
            default:
                if scalar != ".", scalar != "·", scalar != "−" { code.append(scalar) }
            }
        }
        return String(code)
    }
}
