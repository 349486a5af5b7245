public import MienCore

/// A journey expression: a subset of CEL, parsed once. `docs/spec/journeys.md` has the grammar.
///
///     let isAdult = try JourneyExpression("has(profile.age) && profile.age >= 18")
///     try isAdult.value(in: ["profile": ["age": 20]])      // true
///
/// Expressions read variables and compute a value. They change nothing and always terminate,
/// because source length, nesting, steps, and results are limited.
public struct JourneyExpression: Sendable, Hashable, CustomStringConvertible {
    public static let maxBytes = 4096
    /// Maximum nesting of brackets, conditionals, `!`, and `-`.
    public static let maxNesting = 32
    /// Maximum tree depth. Terms of a chain count, too: `a + b + c` has depth three.
    public static let maxTreeDepth = 64
    public static let maxSteps = 10_000
    /// Maximum size of an operation's result: bytes of a string, elements of a list.
    public static let maxTextBytes = 64 * 1024
    public static let maxElements = 1000

    /// CEL's reserved words; variables cannot have these names.
    static let reservedWords: Set<String> = [
        "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
        "loop", "package", "namespace", "return", "var",
        "void", "while", "true", "false", "null",
    ]

    public let source: String
    let root: ExpressionNode

    /// - Throws: `ExpressionError` with the position and the reason if `source` is malformed.
    public init(_ source: String) throws(ExpressionError) {
        guard source.utf8.count <= Self.maxBytes else {
            throw ExpressionError(
                column: 1, reason: "an expression may have at most \(Self.maxBytes) bytes")
        }
        self.source = source
        root = try ExpressionParser.parse(source)
    }

    /// Evaluates the expression with these variables.
    public func value(in variables: [String: JSONValue]) throws(ExpressionError) -> JSONValue {
        var evaluator = ExpressionEvaluator(variables: variables)
        return try evaluator.value(root)
    }

    public var description: String { source }

    public static func == (a: Self, b: Self) -> Bool { a.source == b.source }
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

extension JourneyExpression: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do { try self.init(try container.decode(String.self)) } catch let error as ExpressionError {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: error.description)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(source)
    }
}

/// A malformed expression, or one without a value. Names variables but never reveals their values.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position in the source, in characters from 1.
    public let column: Int
    public let reason: String

    public var description: String { "character \(column): \(reason)" }
}
