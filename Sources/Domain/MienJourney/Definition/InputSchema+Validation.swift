import MienCore

/// A problem with a field that a client sent: the field and the allowed values, never the value
/// itself.
public struct FieldProblem: Sendable, Hashable, Codable {
    public let field: String
    public let message: String

    public init(field: String, message: String) { (self.field, self.message) = (field, message) }
}

/// Client input that matches the schema.
struct ValidInput: Equatable {
    /// Values for variables.
    var plain: [String: JSONValue] = [:]
    var sensitive: [String: Sensitive<String>] = [:]
}

extension InputSchema {
    /// - Returns: the valid input, or every problem with it.
    func validate(_ data: JSONValue) -> Result<ValidInput, InvalidInput> {
        let members: [String: JSONValue]
        switch data {
        case .null: members = [:]
        case .object(let object): members = object
        case .bool, .number, .string, .array:
            return .failure(
                InvalidInput([
                    FieldProblem(field: "", message: "expected an object, not \(data.kind)")
                ]))
        }
        let names = fields.map(\.name)
        var problems = members.keys.filter { !names.contains($0) }.sorted().prefix(10).map { name in
            // Repeat only well-formed names; anything else could be arbitrary text.
            let shown = StepID.isName(name) ? name : "…"
            return FieldProblem(
                field: shown,
                message: names.isEmpty
                    ? "no data is allowed"
                    : "unknown field; the fields are \(names.joined(separator: ", "))")
        }
        var input = ValidInput()
        for field in fields {
            guard let value = members[field.name].map(field.read), value != .null else {
                if field.isRequired {
                    problems.append(
                        FieldProblem(field: field.name, message: "required but missing"))
                }
                continue
            }
            if let message = field.problem(with: value) {
                problems.append(FieldProblem(field: field.name, message: message))
            } else if field.isSensitive, case .string(let text) = value {
                input.sensitive[field.name] = Sensitive(text)
            } else {
                input.plain[field.name] = value
            }
        }
        return problems.isEmpty ? .success(input) : .failure(InvalidInput(Array(problems)))
    }
}

struct InvalidInput: Error, Equatable {
    let problems: [FieldProblem]

    init(_ problems: [FieldProblem]) { self.problems = problems }
}

extension InputSchema.Field {
    /// Returns a code without what people and keyboards add, so that apps may pass on what was typed.
    fileprivate func read(_ value: JSONValue) -> JSONValue {
        guard format == .code, case .string(let text) = value else { return value }
        return .string(TypedCode.normal(text))
    }

    fileprivate func problem(with value: JSONValue) -> String? {
        switch (kind, value) {
        case (.number, .number), (.boolean, .bool): return nil
        case (.string, .string(let text)):
            guard (minLength...maxLength).contains(text.unicodeScalars.count) else {
                return minLength == 0
                    ? "expected at most \(maxLength) characters"
                    : "expected \(minLength) to \(maxLength) characters"
            }
            return text.isEmpty ? nil : format.flatMap { $0.problem(with: text) }
        case (.string, _): return "expected a string"
        case (.number, _): return "expected a number"
        case (.boolean, _): return "expected true or false"
        }
    }
}

extension InputSchema.Field.Format {
    fileprivate func problem(with text: String) -> String? {
        switch self {
        case .password: nil
        case .username:
            text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
                ? "no control characters are allowed" : nil
        case .email: Self.isEmail(text) ? nil : "expected an email address"
        case .phone:
            Self.isPhone(text)
                ? nil
                : "expected a phone number: an optional “+” and 6 to 15 digits, with optional spaces, dashes and parentheses"
        case .date: Self.isDate(text) ? nil : "expected a date: YYYY-MM-DD"
        case .code:
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : "expected digits only"
        }
    }

    /// Checks the form of an address: one `@` with text before it and a domain after it. Only a
    /// message sent to the address shows whether it exists.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.count <= 254
            && !text.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7f
                    || "<>()[],;:\\\"".unicodeScalars.contains($0)
            }
    }

    private static func isPhone(_ text: String) -> Bool {
        let digits = text.utf8.filter { (0x30...0x39).contains($0) }.count
        return (6...15).contains(digits)
            && text.utf8.enumerated().allSatisfy { index, byte in
                (0x30...0x39).contains(byte) || index == 0 && byte == UInt8(ascii: "+")
                    || index > 0 && "- ()".utf8.contains(byte)
            }
    }

    private static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2],
            parts.joined().allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        guard (1...12).contains(numbers[1]) else { return false }
        let isLeap = numbers[0] % 4 == 0 && (numbers[0] % 100 != 0 || numbers[0] % 400 == 0)
        return (1...[31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][numbers[1] - 1])
            .contains(numbers[2])
    }
}
