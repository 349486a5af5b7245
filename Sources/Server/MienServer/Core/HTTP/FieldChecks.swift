package import MienAPI
package import MienCore

extension Identifier {
    /// Parses an identifier that a request contains.
    ///
    /// - Throws: ``Problem`` that names the field.
    package init(_ text: String, field: String) throws(Problem) {
        guard let id = Self(text) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: field,
                        message: "must have 1 to 64 characters of A-Z, a-z, 0-9, “_”, “-”, and “.”")
                ])
        }
        self = id
    }
}

extension Problem {
    /// Requires one line of text without control characters.
    ///
    /// - Throws: ``Problem`` that names the field.
    package static func requireLine(_ text: String, _ field: String, max: Int) throws(Problem) {
        guard (1...max).contains(text.unicodeScalars.count), text.isPrintable else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: field,
                        message:
                            "must be one line of 1 to \(max) characters without control characters"
                    )
                ])
        }
    }
}
