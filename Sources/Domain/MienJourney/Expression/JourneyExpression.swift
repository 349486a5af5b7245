public import MienCore

/// An expression of a journey: a subset of CEL, parsed once. `docs/spec/journeys.md` has the
/// grammar.
///
///     let isAdult = try JourneyExpression("has(profile.age) && profile.age >= 18")
///     try isAdult.value(in: ["profile": ["age": 20]])      // true
///
/// Reads variables and computes; changes nothing, and ends: source, nesting, steps and results are
/// bounded.
public struct JourneyExpression: Sendable, Hashable, CustomStringConvertible {
    public static let maxBytes = 4096
    /// Of brackets, conditionals, `!` and `-`.
    public static let maxNesting = 32
    /// Terms of a chain count, too: `a + b + c` is three deep.
    public static let maxTreeDepth = 64
    public static let maxSteps = 10_000
    /// Bytes of a text, elements of a list that come out of an operation.
    public static let maxTextBytes = 64 * 1024
    public static let maxElements = 1000

    /// Of CEL; they name no variables.
    static let reservedWords: Set<String> = [
        "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
        "loop", "package", "namespace", "return", "var",
        "void", "while", "true", "false", "null",
    ]

    public let source: String
    let root: ExpressionNode

    /// - Throws: where `source` stops being an expression, and why.
    public init(_ source: String) throws(ExpressionError) {
        guard source.utf8.count <= Self.maxBytes else {
            throw ExpressionError(
                place: 1, reason: "an expression has at most \(Self.maxBytes) bytes")
        }
        self.source = source
        root = try ExpressionParser.parse(source)
    }

    /// The value with these variables.
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

/// An expression that is none, or that has no value. Names variables, never what they hold.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In characters of the source, from 1.
    public let place: Int
    public let reason: String

    public var description: String { "character \(place): \(reason)" }
}
