import MienCore

/// Parses tokens into a tree with a Pratt parser for the operators and recursive descent for the
/// rest.
struct ExpressionParser {
    private let tokens: [ExpressionToken]
    private var next = 0
    private var nesting = 0

    static func parse(_ source: String) throws(ExpressionError) -> ExpressionNode {
        var parser = Self(tokens: try ExpressionLexer.tokens(of: source))
        let node = try parser.expression()
        guard parser.current.kind == .end else { throw parser.unexpected("an operator or the end") }
        return node
    }

    private init(tokens: [ExpressionToken]) { self.tokens = tokens }

    private var current: ExpressionToken { tokens[next] }

    /// Parses `condition ? a : b`, which has the lowest precedence.
    private mutating func expression() throws(ExpressionError) -> ExpressionNode {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= JourneyExpression.maxNesting else {
            throw ExpressionError(
                column: current.column,
                reason: "nested deeper than \(JourneyExpression.maxNesting) levels")
        }
        let condition = try disjunction()
        guard take("?") else { return condition }
        let yes = try expression()
        try expect(":")
        let no = try expression()
        return try node(.conditional(condition, yes, no), condition.column, [condition, yes, no])
    }

    private mutating func disjunction() throws(ExpressionError) -> ExpressionNode {
        var left = try conjunction()
        while take("||") {
            let right = try conjunction()
            left = try node(.or(left, right), left.column, [left, right])
        }
        return left
    }

    private mutating func conjunction() throws(ExpressionError) -> ExpressionNode {
        var left = try binary(3)
        while take("&&") {
            let right = try binary(3)
            left = try node(.and(left, right), left.column, [left, right])
        }
        return left
    }

    private mutating func binary(_ strength: Int) throws(ExpressionError) -> ExpressionNode {
        var left = try unary()
        while let operation = binaryOperator, operation.strength >= strength {
            next += 1
            let right = try binary(operation.strength + 1)
            left = try node(.binary(operation, left, right), left.column, [left, right])
        }
        return left
    }

    private var binaryOperator: BinaryOperator? {
        switch current.kind {
        case .symbol(let symbol): BinaryOperator(rawValue: symbol)
        case .name("in"): .isIn
        case .name, .text, .number, .end: nil
        }
    }

    private mutating func unary() throws(ExpressionError) -> ExpressionNode {
        let column = current.column
        guard current.kind == .symbol("!") || current.kind == .symbol("-") else {
            return try postfix()
        }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= JourneyExpression.maxNesting else {
            throw ExpressionError(
                column: column, reason: "nested deeper than \(JourneyExpression.maxNesting) levels")
        }
        let isNot = take("!")
        if !isNot { next += 1 }
        let operand = try unary()
        return try node(isNot ? .not(operand) : .minus(operand), column, [operand])
    }

    private mutating func postfix() throws(ExpressionError) -> ExpressionNode {
        var base = try primary()
        while true {
            if take(".") {
                let name = try self.name("a member's name")
                if current.kind == .symbol("(") {
                    base = try method(name, on: base)
                } else {
                    base = try node(.member(base, name.text), base.column, [base])
                }
            } else if take("[") {
                let index = try expression()
                try expect("]")
                base = try node(.index(base, index), base.column, [base, index])
            } else {
                return base
            }
        }
    }

    private mutating func primary() throws(ExpressionError) -> ExpressionNode {
        let token = current
        switch token.kind {
        case .number(let value):
            next += 1
            return try node(.literal(.number(value)), token.column, [])
        case .text(let value):
            next += 1
            return try node(.literal(.string(value)), token.column, [])
        case .name(let name):
            next += 1
            return try word(name, token.column)
        case .symbol("("):
            next += 1
            let inner = try expression()
            try expect(")")
            return inner
        case .symbol("["):
            next += 1
            let values = try list(until: "]") { parser throws(ExpressionError) in
                try parser.expression()
            }
            return try node(.list(values), token.column, values)
        case .symbol("{"):
            next += 1
            let entries = try list(until: "}") { parser throws(ExpressionError) in
                try parser.entry()
            }
            return try node(.map(entries), token.column, entries.flatMap { [$0.key, $0.value] })
        case .symbol("@"): return try alias()
        case .symbol, .end: throw unexpected("a value")
        }
    }

    private mutating func entry() throws(ExpressionError) -> ExpressionNode.Entry {
        let key = try expression()
        try expect(":")
        return ExpressionNode.Entry(key: key, value: try expression())
    }

    private mutating func word(_ name: String, _ column: Int) throws(ExpressionError)
        -> ExpressionNode
    {
        switch name {
        case "true": return try node(.literal(true), column, [])
        case "false": return try node(.literal(false), column, [])
        case "null": return try node(.literal(nil), column, [])
        case _ where JourneyExpression.reservedWords.contains(name):
            throw ExpressionError(
                column: column, reason: "“\(name)” is a reserved word and cannot name a variable")
        case "has" where current.kind == .symbol("("): return try has(column)
        case _ where current.kind == .symbol("("): return try function(name, column)
        default: return try node(.variable(name), column, [])
        }
    }

    private mutating func has(_ column: Int) throws(ExpressionError) -> ExpressionNode {
        try expect("(")
        let argument = try expression()
        try expect(")")
        switch argument.kind {
        case .member(let base, let name): return try node(.has(base, name), column, [base])
        case .variable(let name): return try node(.has(nil, name), column, [])
        default:
            throw ExpressionError(
                column: argument.column,
                reason: "has() takes a variable or a member: has(a) or has(a.b)")
        }
    }

    private mutating func function(_ name: String, _ column: Int) throws(ExpressionError)
        -> ExpressionNode
    {
        guard let function = ExpressionFunction(rawValue: name), function.isGlobal else {
            let hint =
                ExpressionFunction(rawValue: name) != nil
                ? "; write x.\(name)(…)"
                : Suggestion.text(
                    for: name,
                    among: ExpressionFunction.allCases.filter(\.isGlobal).map(\.rawValue) + ["has"])
            throw ExpressionError(column: column, reason: "unknown function “\(name)”\(hint)")
        }
        try expect("(")
        let arguments = try list(until: ")") { parser throws(ExpressionError) in
            try parser.expression()
        }
        guard arguments.count == 1 else {
            throw ExpressionError(column: column, reason: "\(name)() takes one argument")
        }
        return try node(.call(function, arguments), column, arguments)
    }

    private mutating func method(_ name: (text: String, column: Int), on base: ExpressionNode)
        throws(ExpressionError) -> ExpressionNode
    {
        guard let function = ExpressionFunction(rawValue: name.text), function.isMethod else {
            let hint =
                ExpressionFunction(rawValue: name.text) != nil
                ? "; write \(name.text)(x)"
                : Suggestion.text(
                    for: name.text,
                    among: ExpressionFunction.allCases.filter(\.isMethod).map(\.rawValue))
            throw ExpressionError(
                column: name.column, reason: "unknown function “\(name.text)”\(hint)")
        }
        try expect("(")
        let arguments = try list(until: ")") { parser throws(ExpressionError) in
            try parser.expression()
        }
        guard function.arguments.contains(arguments.count) else {
            let counts = Set([function.arguments.lowerBound, function.arguments.upperBound])
                .sorted().map(String.init).joined(separator: " or ")
            throw ExpressionError(
                column: name.column,
                reason: "\(name.text)() takes \(counts) arguments, not \(arguments.count)")
        }
        return try node(.call(function, [base] + arguments), base.column, [base] + arguments)
    }

    /// Parses `@policy.userContext()`, other engines' spelling of the user.
    private mutating func alias() throws(ExpressionError) -> ExpressionNode {
        let column = current.column
        let words: [ExpressionToken.Kind] = [
            .symbol("@"), .name("policy"), .symbol("."), .name("userContext"), .symbol("("),
            .symbol(")"),
        ]
        guard tokens[next...].map(\.kind).starts(with: words) else {
            throw ExpressionError(
                column: column,
                reason: "the only name with “@” is “@policy.userContext()”, which means “user”")
        }
        next += words.count
        return try node(.variable("user"), column, [])
    }

    private mutating func list<T>(
        until end: String, _ element: (inout Self) throws(ExpressionError) -> T
    ) throws(ExpressionError) -> [T] {
        var elements: [T] = []
        while !take(end) {
            if !elements.isEmpty {
                try expect(",", or: end)
                // CEL allows a comma before the closing bracket of a list or map.
                if end != ")", take(end) { break }
            }
            elements.append(try element(&self))
        }
        return elements
    }

    private mutating func name(_ what: String) throws(ExpressionError) -> (
        text: String, column: Int
    ) {
        guard case .name(let name) = current.kind else { throw unexpected(what) }
        let column = current.column
        next += 1
        return (name, column)
    }

    private mutating func take(_ symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        next += 1
        return true
    }

    private mutating func expect(_ symbol: String, or other: String? = nil) throws(ExpressionError)
    {
        guard take(symbol) else {
            throw unexpected(other.map { "“\(symbol)” or “\($0)”" } ?? "“\(symbol)”")
        }
    }

    private func unexpected(_ wanted: String) -> ExpressionError {
        ExpressionError(column: current.column, reason: "expected \(wanted), not \(current.shown)")
    }

    private func node(_ kind: ExpressionNode.Kind, _ column: Int, _ children: [ExpressionNode])
        throws(ExpressionError) -> ExpressionNode
    {
        let node = ExpressionNode(kind, at: column, above: children)
        guard node.depth <= JourneyExpression.maxTreeDepth else {
            throw ExpressionError(
                column: column,
                reason:
                    "more than \(JourneyExpression.maxTreeDepth) nested operations")
        }
        return node
    }
}
