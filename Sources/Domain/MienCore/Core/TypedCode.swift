/// A code as people type or copy it.
public enum TypedCode {
    /// Returns the code with the digits 0 to 9, and without what people and keyboards add: spaces,
    /// hyphens and dashes of any kind, dots, and marks of the direction of writing.
    ///
    /// Keyboards for Arabic, Persian, Hindi, Bengali, and Thai have digits of their own, and Japanese
    /// ones have wide digits and letters.
    public static func normal(_ text: some StringProtocol) -> String {
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
                if scalar != ".", scalar != "·", scalar != "−" { code.append(narrow(scalar)) }
            }
        }
        return String(code)
    }

    private static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: Unicode.Scalar(UInt8(scalar.value - 0xFEE0))
        default: scalar
        }
    }
}
