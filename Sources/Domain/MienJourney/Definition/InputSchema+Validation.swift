import MienCore

/// Something wrong with what a client sent: which field, and what is allowed. Never what was sent.
public struct FieldProblem: Sendable, Hashable, Codable {
    public let field: String
    public let message: String

    public init(field: String, message: String) { (self.field, self.message) = (field, message) }
}

/// What a client sent, found to be what the schema asks for.
struct ValidInput: Equatable {
    /// For variables.
    var plain: [String: JSONValue] = [:]
    var sensitive: [String: Sensitive<String>] = [:]
}

extension InputSchema {
    /// - Returns: what was sent, or every problem with it.
    func validate(_ data: JSONValue) -> Result<ValidInput, InvalidInput> {
        let members: [String: JSONValue]
        switch data {
        case .null: members = [:]
        case .object(let object): members = object
        case .bool, .number, .string, .array:
            return .failure(
                InvalidInput([
                    FieldProblem(field: "", message: "an object is expected, not \(data.kind)")
                ]))
        }
        let names = fields.map(\.name)
        var problems = members.keys.filter { !names.contains($0) }.sorted().prefix(10).map { name in
            // Only a name that could have been meant is repeated.
            let shown = StepID.isName(name) ? name : "…"
            return FieldProblem(
                field: shown,
                message: names.isEmpty
                    ? "no data is expected"
                    : "no such field; there are \(names.joined(separator: ", "))")
        }
        var input = ValidInput()
        for field in fields {
            guard let value = members[field.name], value != .null else {
                if field.isRequired {
                    problems.append(
                        FieldProblem(field: field.name, message: "it is required and missing"))
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
    fileprivate func problem(with value: JSONValue) -> String? {
        switch (kind, value) {
        case (.number, .number), (.boolean, .bool): return nil
        case (.string, .string(let text)):
            guard (minLength...maxLength).contains(text.unicodeScalars.count) else {
                return minLength == 0
                    ? "at most \(maxLength) characters are allowed"
                    : "\(minLength) to \(maxLength) characters are expected"
            }
            return text.isEmpty ? nil : format.flatMap { $0.problem(with: text) }
        case (.string, _): return "a text is expected"
        case (.number, _): return "a number is expected"
        case (.boolean, _): return "true or false is expected"
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
        case .email: Self.isEmail(text) ? nil : "an e-mail address is expected"
        case .phone:
            Self.isPhone(text)
                ? nil
                : "a telephone number is expected: “+” and 6 to 15 digits, with blanks and dashes if you like"
        case .date: Self.isDate(text) ? nil : "a date is expected: YYYY-MM-DD"
        case .code:
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : "digits are expected"
        }
    }

    /// One `@`, something before it, a name after it. Whether it exists only a message sent there
    /// can tell.
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
            && text.utf8.enumerated().allSatisfy { place, byte in
                (0x30...0x39).contains(byte) || place == 0 && byte == UInt8(ascii: "+")
                    || place > 0 && "- ()".utf8.contains(byte)
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
