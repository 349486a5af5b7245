import MienCore

/// The reason a function has no value for its arguments.
struct FunctionFault: Error {
    let reason: String
}

extension ExpressionFunction {
    /// - Parameter arguments: the receiver or only argument, then as many arguments as
    ///   ``arguments`` allows.
    func result(_ arguments: [JSONValue]) throws(FunctionFault) -> JSONValue {
        switch self {
        case .size: .number(Double(try size(arguments[0])))
        case .startsWith:
            .bool(try text(arguments[0]).utf8.starts(with: try text(arguments[1]).utf8))
        case .endsWith:
            .bool(
                try text(arguments[0]).utf8.reversed().starts(
                    with: try text(arguments[1]).utf8.reversed()))
        case .contains:
            .bool(
                Self.offsets(
                    of: Array(try text(arguments[1]).utf8), in: Array(try text(arguments[0]).utf8),
                    limit: 1
                ).count == 1)
        case .lowerAscii:
            .string(Self.mapASCII(try text(arguments[0])) { (65...90).contains($0) ? $0 + 32 : $0 })
        case .upperAscii:
            .string(
                Self.mapASCII(try text(arguments[0])) { (97...122).contains($0) ? $0 - 32 : $0 })
        case .trim: .string(Self.trimmed(try text(arguments[0])))
        case .split: .array(try split(arguments))
        case .substring: .string(try substring(arguments))
        case .replace: .string(try replace(arguments))
        case .int: .number(try int(arguments[0]))
        case .double: .number(try double(arguments[0]))
        case .string: .string(try string(arguments[0]))
        case .bool: .bool(try bool(arguments[0]))
        }
    }

    private func size(_ value: JSONValue) throws(FunctionFault) -> Int {
        switch value {
        case .string(let text): return text.unicodeScalars.count
        case .array(let values): return values.count
        case .object(let members): return members.count
        case .null, .bool, .number: throw FunctionFault(reason: "\(value.kind) has no size")
        }
    }

    private func split(_ arguments: [JSONValue]) throws(FunctionFault) -> [JSONValue] {
        let (text, separator) = (
            Array(try text(arguments[0]).utf8), Array(try text(arguments[1]).utf8)
        )
        let limit = arguments.count > 2 ? try whole(arguments[2]) : -1
        if limit == 0 { return [] }
        guard !separator.isEmpty else { throw FunctionFault(reason: "the separator is empty") }
        // Finding one offset too many is enough to reject the result for its length.
        let most =
            limit > 0
            ? min(limit - 1, JourneyExpression.maxElements) : JourneyExpression.maxElements
        var parts: [JSONValue] = [], start = 0
        for offset in Self.offsets(of: separator, in: text, limit: most) {
            parts.append(.string(String(decoding: text[start..<offset], as: UTF8.self)))
            start = offset + separator.count
        }
        return parts + [.string(String(decoding: text[start...], as: UTF8.self))]
    }

    private func substring(_ arguments: [JSONValue]) throws(FunctionFault) -> String {
        let scalars = Array(try text(arguments[0]).unicodeScalars)
        let start = try whole(arguments[1]),
            end = arguments.count > 2 ? try whole(arguments[2]) : scalars.count
        guard 0 <= start, start <= end, end <= scalars.count else {
            throw FunctionFault(reason: "the range \(start) to \(end) is outside the string")
        }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[start..<end])
        return String(part)
    }

    private func replace(_ arguments: [JSONValue]) throws(FunctionFault) -> String {
        let (text, old, new) = (
            Array(try text(arguments[0]).utf8), Array(try text(arguments[1]).utf8),
            Array(try text(arguments[2]).utf8)
        )
        guard !old.isEmpty else { throw FunctionFault(reason: "the string to replace is empty") }
        let limit = arguments.count > 3 ? try whole(arguments[3]) : -1
        let offsets = Self.offsets(of: old, in: text, limit: limit < 0 ? .max : limit)
        let length = text.count + offsets.count * (new.count - old.count)
        guard length <= JourneyExpression.maxTextBytes else {
            throw FunctionFault(
                reason: "the result has more than \(JourneyExpression.maxTextBytes) bytes")
        }
        var result: [UInt8] = [], start = 0
        for offset in offsets {
            result += text[start..<offset] + new
            start = offset + old.count
        }
        return String(decoding: result + text[start...], as: UTF8.self)
    }

    private func int(_ value: JSONValue) throws(FunctionFault) -> Double {
        switch value {
        case .number(let number): return number.rounded(.towardZero)
        case .string(let text):
            guard let number = Int64(text), abs(Double(number)) <= 9_007_199_254_740_991 else {
                throw FunctionFault(reason: "the string is not an integer")
            }
            return Double(number)
        case .null, .bool, .array, .object:
            throw FunctionFault(reason: "\(value.kind) cannot be converted to a number")
        }
    }

    private func double(_ value: JSONValue) throws(FunctionFault) -> Double {
        switch value {
        case .number(let number): return number
        case .string(let text):
            // Double() alone would also accept “nan”, “inf”, and hexadecimal.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
                let number = Double(text), number.isFinite
            else {
                throw FunctionFault(reason: "the string is not a number")
            }
            return number
        case .null, .bool, .array, .object:
            throw FunctionFault(reason: "\(value.kind) cannot be converted to a number")
        }
    }

    private func string(_ value: JSONValue) throws(FunctionFault) -> String {
        switch value {
        case .string(let text): return text
        case .number(let number): return JSONText.number(number)
        case .bool(let value): return value ? "true" : "false"
        case .null, .array, .object:
            throw FunctionFault(reason: "\(value.kind) cannot be converted to a string")
        }
    }

    private func bool(_ value: JSONValue) throws(FunctionFault) -> Bool {
        switch value {
        case .bool(let value): return value
        case .string("true"), .string("True"), .string("TRUE"), .string("t"), .string("1"):
            return true
        case .string("false"), .string("False"), .string("FALSE"), .string("f"), .string("0"):
            return false
        case .string: throw FunctionFault(reason: "the string is neither “true” nor “false”")
        case .null, .number, .array, .object:
            throw FunctionFault(reason: "\(value.kind) cannot be converted to a Boolean")
        }
    }

    private func text(_ value: JSONValue) throws(FunctionFault) -> String {
        guard case .string(let text) = value else {
            throw FunctionFault(reason: "expected a string, not \(value.kind)")
        }
        return text
    }

    private func whole(_ value: JSONValue) throws(FunctionFault) -> Int {
        guard case .number(let number) = value, let whole = Int(exactly: number) else {
            throw FunctionFault(reason: "expected an integer")
        }
        return whole
    }

    /// Returns the offsets of non-overlapping occurrences of `part` in `text`, from the left, at
    /// most `limit`. `part` is empty only for `contains`.
    private static func offsets(of part: [UInt8], in text: [UInt8], limit: Int) -> [Int] {
        guard !part.isEmpty else { return limit > 0 ? [0] : [] }
        var offsets: [Int] = [], offset = 0
        while offsets.count < limit, offset + part.count <= text.count {
            if text[offset] == part[0], text[offset..<offset + part.count].elementsEqual(part) {
                offsets.append(offset)
                offset += part.count
            } else {
                offset += 1
            }
        }
        return offsets
    }

    private static func mapASCII(_ text: String, _ change: (UInt8) -> UInt8) -> String {
        String(decoding: text.utf8.map(change), as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
