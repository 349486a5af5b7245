public import MienCore

/// A string with embedded expressions: `Hello {{profile.name}}`.
///
/// Each expression is replaced with its value, as `string()` writes it. The inserted text is not
/// evaluated again.
public struct ExpressionTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable { case text(String), expression(JourneyExpression) }

    public let source: String
    let parts: [Part]

    public init(_ source: String) throws(ExpressionError) {
        self.source = source
        var parts: [Part] = [], rest = source[...]
        while let open = rest.firstRange(of: "{{") {
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                throw ExpressionError(
                    column: source.distance(from: source.startIndex, to: open.lowerBound) + 1,
                    reason: "“{{” has no “}}”")
            }
            if open.lowerBound > rest.startIndex {
                parts.append(.text(String(rest[..<open.lowerBound])))
            }
            let start = source.distance(from: source.startIndex, to: open.upperBound)
            do {
                parts.append(
                    .expression(
                        try JourneyExpression(String(rest[open.upperBound..<close.lowerBound]))))
            } catch {
                throw ExpressionError(column: start + error.column, reason: error.reason)
            }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    var expressions: [JourneyExpression] {
        parts.compactMap { part in
            if case .expression(let expression) = part { expression } else { nil }
        }
    }

    public func text(in variables: [String: JSONValue]) throws(ExpressionError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let part): text += part
            case .expression(let expression):
                let value = try expression.value(in: variables)
                do throws(FunctionFault) {
                    guard case .string(let part) = try ExpressionFunction.string.result([value])
                    else { continue }
                    text += part
                } catch { throw ExpressionError(column: 1, reason: error.reason) }
            }
            guard text.utf8.count <= JourneyExpression.maxTextBytes else {
                throw ExpressionError(
                    column: 1,
                    reason: "the result has more than \(JourneyExpression.maxTextBytes) bytes")
            }
        }
        return text
    }

    public static func == (a: Self, b: Self) -> Bool { a.source == b.source }
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
