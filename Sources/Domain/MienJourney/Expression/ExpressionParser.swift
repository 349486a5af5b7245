import MienCore

/// Reads words into a tree: a Pratt parser over the operators, recursive descent for the rest.
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

    /// `condition ? a : b`, the weakest.
    private mutating func expression() throws(ExpressionError) -> ExpressionNode {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= JourneyExpression.maxNesting else {
            throw ExpressionError(
                place: current.place,
                reason: "nested more than \(JourneyExpression.maxNesting) deep")
        }
        let condition = try disjunction()
        guard take("?") else { return condition }
        let yes = try expression()
        try expect(":")
        let no = try expression()
        return try node(.conditional(condition, yes, no), condition.place, [condition, yes, no])
    }

    private mutating func disjunction() throws(ExpressionError) -> ExpressionNode {
        var left = try conjunction()
        while take("||") {
            let right = try conjunction()
            left = try node(.or(left, right), left.place, [left, right])
        }
        return left
    }

    private mutating func conjunction() throws(ExpressionError) -> ExpressionNode {
        var left = try binary(3)
        while take("&&") {
            let right = try binary(3)
            left = try node(.and(left, right), left.place, [left, right])
        }
        return left
    }

    private mutating func binary(_ strength: Int) throws(ExpressionError) -> ExpressionNode {
        var left = try unary()
        while let operation = binaryOperator, operation.strength >= strength {
            next += 1
            let right = try binary(operation.strength + 1)
            left = try node(.binary(operation, left, right), left.place, [left, right])
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
        let place = current.place
        guard current.kind == .symbol("!") || current.kind == .symbol("-") else {
            return try postfix()
        }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= JourneyExpression.maxNesting else {
            throw ExpressionError(
                place: place, reason: "nested more than \(JourneyExpression.maxNesting) deep")
        }
        let isNot = take("!")
        if !isNot { next += 1 }
        let operand = try unary()
        return try node(isNot ? .not(operand) : .minus(operand), place, [operand])
    }

    private mutating func postfix() throws(ExpressionError) -> ExpressionNode {
        var base = try primary()
        while true {
            if take(".") {
                let name = try self.name("a member's name")
                if current.kind == .symbol("(") {
                    base = try method(name, on: base)
                } else {
                    base = try node(.member(base, name.text), base.place, [base])
                }
            } else if take("[") {
                let index = try expression()
                try expect("]")
                base = try node(.index(base, index), base.place, [base, index])
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
            return try node(.literal(.number(value)), token.place, [])
        case .text(let value):
            next += 1
            return try node(.literal(.string(value)), token.place, [])
        case .name(let name):
            next += 1
            return try word(name, token.place)
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
            return try node(.list(values), token.place, values)
        case .symbol("{"):
            next += 1
            let entries = try list(until: "}") { parser throws(ExpressionError) in
                try parser.entry()
            }
            return try node(.map(entries), token.place, entries.flatMap { [$0.key, $0.value] })
        case .symbol("@"): return try alias()
        case .symbol, .end: throw unexpected("a value")
        }
    }

    private mutating func entry() throws(ExpressionError) -> ExpressionNode.Entry {
        let key = try expression()
        try expect(":")
        return ExpressionNode.Entry(key: key, value: try expression())
    }

    private mutating func word(_ name: String, _ place: Int) throws(ExpressionError)
        -> ExpressionNode
    {
        switch name {
        case "true": return try node(.literal(true), place, [])
        case "false": return try node(.literal(false), place, [])
        case "null": return try node(.literal(nil), place, [])
        case _ where JourneyExpression.reservedWords.contains(name):
            throw ExpressionError(
                place: place, reason: "“\(name)” is a reserved word and names no variable")
        case "has" where current.kind == .symbol("("): return try has(place)
        case _ where current.kind == .symbol("("): return try function(name, place)
        default: return try node(.variable(name), place, [])
        }
    }

    private mutating func has(_ place: Int) throws(ExpressionError) -> ExpressionNode {
        try expect("(")
        let argument = try expression()
        try expect(")")
        switch argument.kind {
        case .member(let base, let name): return try node(.has(base, name), place, [base])
        case .variable(let name): return try node(.has(nil, name), place, [])
        default:
            throw ExpressionError(
                place: argument.place,
                reason: "has() takes a variable or a member: has(a) or has(a.b)")
        }
    }

    private mutating func function(_ name: String, _ place: Int) throws(ExpressionError)
        -> ExpressionNode
    {
        guard let function = ExpressionFunction(rawValue: name), function.isGlobal else {
            let hint =
                ExpressionFunction(rawValue: name) != nil
                ? "; write x.\(name)(…)"
                : Suggestion.text(
                    for: name,
                    among: ExpressionFunction.allCases.filter(\.isGlobal).map(\.rawValue) + ["has"])
            throw ExpressionError(place: place, reason: "there is no function “\(name)”\(hint)")
        }
        try expect("(")
        let arguments = try list(until: ")") { parser throws(ExpressionError) in
            try parser.expression()
        }
        guard arguments.count == 1 else {
            throw ExpressionError(place: place, reason: "\(name)() takes one argument")
        }
        return try node(.call(function, arguments), place, arguments)
    }

    private mutating func method(_ name: (text: String, place: Int), on base: ExpressionNode)
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
                place: name.place, reason: "there is no function “\(name.text)”\(hint)")
        }
        try expect("(")
        let arguments = try list(until: ")") { parser throws(ExpressionError) in
            try parser.expression()
        }
        guard function.arguments.contains(arguments.count) else {
            let counts = Set([function.arguments.lowerBound, function.arguments.upperBound])
                .sorted().map(String.init).joined(separator: " or ")
            throw ExpressionError(
                place: name.place,
                reason: "\(name.text)() takes \(counts) arguments, not \(arguments.count)")
        }
        return try node(.call(function, [base] + arguments), base.place, [base] + arguments)
    }

    /// `@policy.userContext()`, as other engines write the user.
    private mutating func alias() throws(ExpressionError) -> ExpressionNode {
        let place = current.place
        let words: [ExpressionToken.Kind] = [
            .symbol("@"), .name("policy"), .symbol("."), .name("userContext"), .symbol("("),
            .symbol(")"),
        ]
        guard tokens[next...].map(\.kind).starts(with: words) else {
            throw ExpressionError(
                place: place,
                reason: "after “@” only “@policy.userContext()” is known, which is “user”")
        }
        next += words.count
        return try node(.variable("user"), place, [])
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

    private mutating func name(_ what: String) throws(ExpressionError) -> (text: String, place: Int)
    {
        guard case .name(let name) = current.kind else { throw unexpected(what) }
        let place = current.place
        next += 1
        return (name, place)
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
        ExpressionError(place: current.place, reason: "\(wanted) is expected, not \(current.shown)")
    }

    private func node(_ kind: ExpressionNode.Kind, _ place: Int, _ children: [ExpressionNode])
        throws(ExpressionError) -> ExpressionNode
    {
        let node = ExpressionNode(kind, at: place, above: children)
        guard node.depth <= JourneyExpression.maxTreeDepth else {
            throw ExpressionError(
                place: place,
                reason:
                    "more than \(JourneyExpression.maxTreeDepth) operations depend on each other")
        }
        return node
    }
}
