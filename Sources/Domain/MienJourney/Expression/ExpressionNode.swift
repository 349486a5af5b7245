import MienCore

/// A node of a parsed expression. `column` is its start in the source, in characters from 1.
struct ExpressionNode: Sendable, Hashable {
    indirect enum Kind: Sendable, Hashable {
        case literal(JSONValue)
        case variable(String)
        case member(ExpressionNode, String)
        case index(ExpressionNode, ExpressionNode)
        case not(ExpressionNode)
        case minus(ExpressionNode)
        case and(ExpressionNode, ExpressionNode)
        case or(ExpressionNode, ExpressionNode)
        case binary(BinaryOperator, ExpressionNode, ExpressionNode)
        case conditional(ExpressionNode, ExpressionNode, ExpressionNode)
        case list([ExpressionNode])
        case map([Entry])
        /// A test for whether a variable or member exists.
        case has(ExpressionNode?, String)
        /// A function call. A method's receiver is the first argument.
        case call(ExpressionFunction, [ExpressionNode])
    }

    struct Entry: Sendable, Hashable {
        let key, value: ExpressionNode
    }

    let kind: Kind
    let column: Int
    /// The height of the tree: 1 for a leaf. The parser limits it so that walking the tree cannot
    /// exhaust the stack.
    let depth: Int

    init(_ kind: Kind, at column: Int, above children: [ExpressionNode] = []) {
        (self.kind, self.column) = (kind, column)
        depth = 1 + (children.map(\.depth).max() ?? 0)
    }
}

enum BinaryOperator: String, Sendable, CaseIterable {
    case equal = "==", notEqual = "!="
    case less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case isIn = "in"
    case plus = "+", minus = "-", times = "*", divided = "/", remainder = "%"

    /// The operator's precedence, as in CEL: relations below sums, sums below products.
    var strength: Int {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: 3
        case .plus, .minus: 4
        case .times, .divided, .remainder: 5
        }
    }
}

/// A function that can be called as `f(x)` or as `x.f()`.
enum ExpressionFunction: String, Sendable, CaseIterable {
    case size, startsWith, endsWith, contains, lowerAscii, upperAscii, trim, split, substring,
        replace, int, double, string, bool

    var isGlobal: Bool { [.size, .int, .double, .string, .bool].contains(self) }
    var isMethod: Bool { self == .size || !isGlobal }

    /// The number of arguments, excluding the receiver.
    var arguments: ClosedRange<Int> {
        switch self {
        case .size, .lowerAscii, .upperAscii, .trim, .int, .double, .string, .bool: 0...0
        case .startsWith, .endsWith, .contains: 1...1
        case .split: 1...2
        case .substring: 1...2
        case .replace: 2...3
        }
    }
}
