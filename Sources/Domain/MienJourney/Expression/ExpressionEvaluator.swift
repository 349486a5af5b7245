import MienCore

/// Evaluates the tree of an expression by CEL's rules, with a single number type.
struct ExpressionEvaluator {
    let variables: [String: JSONValue]
    private var steps = 0

    init(variables: [String: JSONValue]) { self.variables = variables }

    mutating func value(_ node: ExpressionNode) throws(ExpressionError) -> JSONValue {
        try spend(1, node)
        switch node.kind {
        case .literal(let value): return value
        case .variable(let name):
            guard let value = variables[name] else {
                throw error(node, "unknown variable “\(name)”")
            }
            return value
        case .member(let base, let name): return try member(name, of: try value(base), node)
        case .index(let base, let index):
            return try element(try value(index), of: try value(base), node)
        case .not(let operand): return .bool(!(try truth(operand)))
        case .minus(let operand): return .number(-(try number(try value(operand), operand)))
        case .and(let left, let right): return try junction(left, right, decides: false)
        case .or(let left, let right): return try junction(left, right, decides: true)
        case .binary(let operation, let left, let right):
            return try binary(operation, try value(left), try value(right), node)
        case .conditional(let condition, let yes, let no):
            return try value(try truth(condition) ? yes : no)
        case .list(let nodes):
            var values: [JSONValue] = []
            for node in nodes { values.append(try value(node)) }
            return try bounded(.array(values), node)
        case .map(let entries): return try map(entries, node)
        case .has(nil, let name): return .bool(variables[name] != nil)
        case .has(.some(let base), let name):
            guard case .object(let members) = try value(base) else {
                throw error(node, "only objects have members")
            }
            return .bool(members[name] != nil)
        case .call(let function, let arguments):
            var values: [JSONValue] = []
            for argument in arguments { values.append(try value(argument)) }
            try spend(values.reduce(0) { $0 + Self.weight($1) } / 64, node)
            do { return try bounded(try function.result(values), node) } catch let fault
                as FunctionFault
            {
                throw error(node, "\(function.rawValue)(): \(fault.reason)")
            } catch let error as ExpressionError { throw error } catch {
                preconditionFailure("functions throw only FunctionFault")
            }
        }
    }

    private mutating func map(_ entries: [ExpressionNode.Entry], _ node: ExpressionNode)
        throws(ExpressionError) -> JSONValue
    {
        var members: [String: JSONValue] = [:]
        for entry in entries {
            guard case .string(let key) = try value(entry.key) else {
                throw error(entry.key, "a key must be a string")
            }
            guard key.isKey else {
                throw error(
                    entry.key, "a key may have at most \(JSONText.Limits.standardKeyBytes) bytes")
            }
            guard members[key] == nil else { throw error(entry.key, "a key appears twice") }
            members[key] = try value(entry.value)
        }
        return try bounded(.object(members), node)
    }

    /// Evaluates `&&` and `||` as in CEL: one deciding side is enough, whichever side it is and
    /// even if the other side has no value.
    private mutating func junction(_ left: ExpressionNode, _ right: ExpressionNode, decides: Bool)
        throws(ExpressionError) -> JSONValue
    {
        let first: Result<Bool, ExpressionError>
        do { first = .success(try truth(left)) } catch { first = .failure(error) }
        if case .success(decides) = first { return .bool(decides) }
        let second = try truth(right, unless: first)
        if second == decides { return .bool(decides) }
        return .bool(try first.get())
    }

    /// Evaluates the right side. If it fails and the left side failed, too, throws the left side's
    /// error.
    private mutating func truth(_ node: ExpressionNode, unless first: Result<Bool, ExpressionError>)
        throws(ExpressionError) -> Bool
    {
        do { return try truth(node) } catch {
            _ = try first.get()
            throw error
        }
    }

    private mutating func truth(_ node: ExpressionNode) throws(ExpressionError) -> Bool {
        let result = try value(node)
        guard case .bool(let value) = result else {
            throw error(node, "expected a Boolean, not \(result.kind)")
        }
        return value
    }

    private mutating func binary(
        _ operation: BinaryOperator, _ left: JSONValue, _ right: JSONValue, _ node: ExpressionNode
    ) throws(ExpressionError) -> JSONValue {
        switch operation {
        case .equal, .notEqual:
            try spend(Self.weight(left) / 64, node)
            return .bool(Self.areEqual(left, right) == (operation == .equal))
        case .less: return .bool(try isLess(left, right, node))
        case .greater: return .bool(try isLess(right, left, node))
        case .lessOrEqual: return .bool(!(try isLess(right, left, node)))
        case .greaterOrEqual: return .bool(!(try isLess(left, right, node)))
        case .isIn: return .bool(try contains(right, left, node))
        case .plus: return try sum(left, right, node)
        case .minus: return try finite(try number(left, node) - (try number(right, node)), node)
        case .times: return try finite(try number(left, node) * (try number(right, node)), node)
        case .divided:
            let divisor = try number(right, node)
            guard divisor != 0 else { throw error(node, "division by zero") }
            return try finite(try number(left, node) / divisor, node)
        case .remainder:
            let (dividend, divisor) = (try number(left, node), try number(right, node))
            guard dividend == dividend.rounded(), divisor == divisor.rounded() else {
                throw error(node, "“%” takes integers")
            }
            guard divisor != 0 else { throw error(node, "division by zero") }
            return .number(dividend.truncatingRemainder(dividingBy: divisor))
        }
    }

    private func sum(_ left: JSONValue, _ right: JSONValue, _ node: ExpressionNode)
        throws(ExpressionError) -> JSONValue
    {
        switch (left, right) {
        case (.number(let a), .number(let b)): return try finite(a + b, node)
        case (.string(let a), .string(let b)): return try bounded(.string(a + b), node)
        case (.array(let a), .array(let b)): return try bounded(.array(a + b), node)
        default:
            throw error(
                node, "“+” adds numbers, strings or lists, not \(left.kind) and \(right.kind)")
        }
    }

    private func isLess(_ left: JSONValue, _ right: JSONValue, _ node: ExpressionNode)
        throws(ExpressionError) -> Bool
    {
        switch (left, right) {
        case (.number(let a), .number(let b)): return a < b
        // CEL orders strings by code point; UTF-8 bytes have the same order.
        case (.string(let a), .string(let b)): return a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.bool(let a), .bool(let b)): return !a && b
        default: throw error(node, "\(left.kind) and \(right.kind) cannot be compared")
        }
    }

    private mutating func contains(
        _ container: JSONValue, _ value: JSONValue, _ node: ExpressionNode
    ) throws(ExpressionError) -> Bool {
        try spend(Self.weight(container) / 64, node)
        switch container {
        case .array(let values): return values.contains { Self.areEqual($0, value) }
        case .object(let members):
            guard case .string(let key) = value else { return false }
            return key.isKey && members[key] != nil
        default: throw error(node, "“in” takes a list or an object, not \(container.kind)")
        }
    }

    private func member(_ name: String, of base: JSONValue, _ node: ExpressionNode)
        throws(ExpressionError) -> JSONValue
    {
        guard case .object(let members) = base else {
            throw error(node, "\(base.kind) has no member “\(name)”")
        }
        guard name.isKey, let value = members[name] else {
            throw error(node, "unknown member “\(name)”")
        }
        return value
    }

    private func element(_ index: JSONValue, of base: JSONValue, _ node: ExpressionNode)
        throws(ExpressionError) -> JSONValue
    {
        switch (base, index) {
        case (.array(let values), .number(let index)):
            guard index == index.rounded(), index >= 0, index < Double(values.count) else {
                throw error(
                    node, "the index is out of range; the list has \(values.count) elements")
            }
            return values[Int(index)]
        case (.object, .string(let name)): return try member(name, of: base, node)
        default: throw error(node, "\(base.kind) cannot be indexed with \(index.kind)")
        }
    }

    private func number(_ value: JSONValue, _ node: ExpressionNode) throws(ExpressionError)
        -> Double
    {
        guard case .number(let number) = value else {
            throw error(node, "expected a number, not \(value.kind)")
        }
        return number
    }

    private func finite(_ value: Double, _ node: ExpressionNode) throws(ExpressionError)
        -> JSONValue
    {
        guard value.isFinite else { throw error(node, "the number is too large") }
        return .number(value)
    }

    /// Returns the result, or throws if it exceeds the limits.
    private func bounded(_ value: JSONValue, _ node: ExpressionNode) throws(ExpressionError)
        -> JSONValue
    {
        switch value {
        case .array(let values) where values.count > JourneyExpression.maxElements:
            throw error(node, "the list has more than \(JourneyExpression.maxElements) elements")
        case .number(let number) where !number.isFinite:
            throw error(node, "the number is too large")
        case .string(let text) where text.utf8.count <= JourneyExpression.maxTextBytes: return value
        default: break
        }
        guard Self.weight(value) <= JourneyExpression.maxTextBytes else {
            throw error(node, "the result has more than \(JourneyExpression.maxTextBytes) bytes")
        }
        return value
    }

    private mutating func spend(_ cost: Int, _ node: ExpressionNode) throws(ExpressionError) {
        steps += cost
        guard steps <= JourneyExpression.maxSteps else {
            throw error(node, "the evaluation takes more than \(JourneyExpression.maxSteps) steps")
        }
    }

    private func error(_ node: ExpressionNode, _ reason: String) -> ExpressionError {
        ExpressionError(column: node.column, reason: reason)
    }

    /// Compares strings by code point. Values of different types are never equal.
    static func areEqual(_ a: JSONValue, _ b: JSONValue) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
        case (.object(let a), .object(let b)):
            a.count == b.count
                && a.allSatisfy { key, value in b[key].map { areEqual(value, $0) } ?? false }
        default: a == b
        }
    }

    /// Returns the approximate number of bytes needed to write the value.
    static func weight(_ value: JSONValue) -> Int {
        switch value {
        case .null, .bool: 4
        case .number: 8
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + weight($1) + 1 }
        case .object(let members):
            members.reduce(2) { $0 + $1.key.utf8.count + weight($1.value) + 4 }
        }
    }
}

extension String {
    /// Whether a member can have this name. Expressions can compute names, and looking up a long
    /// name is expensive (``StreamSafeText``).
    fileprivate var isKey: Bool { utf8.count <= JSONText.Limits.standardKeyBytes }
}
