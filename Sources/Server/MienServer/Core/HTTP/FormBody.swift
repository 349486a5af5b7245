package import Hummingbird
package import MienAPI
package import MienCore

/// A strictly parsed `application/x-www-form-urlencoded` body. A parameter may appear only once
/// (RFC 6749 §3.2), except for those listed as repeatable.
package struct FormBody: Sendable {
    private static let repeatable: Set<[UInt8]> = [Array("resource".utf8)]

    /// Keyed by the bytes of the name, because `Dictionary` treats canonically equivalent strings
    /// as equal.
    private let values: [[UInt8]: [String]]

    /// - Throws: ``OAuthError`` `invalid_request`.
    package init(_ request: Request, maxBytes: Int, budget: BodyBudget) async throws {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw OAuthError(
                .invalidRequest, "Send content-type: application/x-www-form-urlencoded.",
                status: .unsupportedMediaType)
        }
        let bytes = try await JSONBody.collect(request, upTo: maxBytes, budget.share())
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw OAuthError(.invalidRequest, "The body is not valid UTF-8.")
        }
        try self.init(text)
    }

    /// - Throws: ``OAuthError`` `invalid_request` for a malformed form or a repeated parameter.
    package init(_ text: some StringProtocol) throws(OAuthError) {
        let fields: FormFields
        do throws(FormFields.Malformed) { fields = try FormFields(parsing: text) } catch {
            throw OAuthError(.invalidRequest, error.reason)
        }
        // RFC 6749 §3.1: a parameter without a value is treated as omitted.
        let values = Dictionary(
            grouping: fields.pairs.filter { !$0.value.isEmpty }, by: { Array($0.name.utf8) }
        ).mapValues { $0.map(\.value) }
        for (name, found) in values where found.count > 1 && !Self.repeatable.contains(name) {
            let shown = String(
                decoding: name.prefix(64).filter { (0x20..<0x7f).contains($0) }, as: UTF8.self)
            var error = OAuthError(
                .invalidRequest, "A parameter appears more than once: \(shown).")
            error.loggedDescription = "A parameter appears more than once."
            throw error
        }
        self.values = values
    }

    package subscript(_ name: String) -> String? { all(name).first }
    package func all(_ name: String) -> [String] { values[Array(name.utf8)] ?? [] }

    /// All parameters, in the order of their names.
    package var fields: [FormFields.Pair] {
        values.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { name, found in
            found.map { FormFields.Pair(String(decoding: name, as: UTF8.self), $0) }
        }
    }

    /// All names and values, in an order that does not depend on the browser's.
    package var content: Sensitive<[UInt8]> {
        var bytes: [UInt8] = []
        for (name, found) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            for part in [name] + found.map({ Array($0.utf8) }) {
                bytes += Array("\(part.count) ".utf8) + part
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return Sensitive(bytes)
    }

    /// - Throws: ``OAuthError`` `invalid_request` if the parameter is missing.
    package func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else {
            throw OAuthError(.invalidRequest, "\(name) is missing.")
        }
        return value
    }
}

/// Hides the values, because forms contain passwords, secrets, and tokens.
extension FormBody: CustomStringConvertible, CustomReflectable {
    package var description: String { "a form of \(values.count) parameters" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
