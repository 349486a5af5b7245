/// Text in HTML.
enum EscapedHTML {
    /// Escapes text for HTML, also in attributes.
    ///
    /// Works on scalars: a quote after a prepended mark (U+0600) is one `Character` with it, and
    /// would not compare equal to a quote.
    static func of(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
