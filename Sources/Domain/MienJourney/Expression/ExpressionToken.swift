/// A token of an expression, with its start in characters from 1.
struct ExpressionToken: Equatable {
    enum Kind: Equatable {
        case name(String), text(String), number(Double), symbol(String), end
    }

    let kind: Kind
    let column: Int

    /// The token as error messages show it.
    var shown: String {
        switch kind {
        case .name(let name): "“\(name)”"
        case .text: "a string"
        case .number: "a number"
        case .symbol(let symbol): "“\(symbol)”"
        case .end: "the end"
        }
    }
}

/// Splits an expression into tokens.
struct ExpressionLexer {
    private let characters: [Character]
    private var index = 0

    init(_ source: String) { characters = Array(source) }

    static func tokens(of source: String) throws(ExpressionError) -> [ExpressionToken] {
        var lexer = Self(source), tokens: [ExpressionToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(ExpressionError) -> ExpressionToken {
        while let character = current, character.isWhitespace { index += 1 }
        let start = index + 1
        guard let character = current else { return ExpressionToken(kind: .end, column: start) }
        let kind: ExpressionToken.Kind
        if character == "\"" || character == "'" {
            kind = .text(try text(isRaw: false))
        } else if character == "r" || character == "R", let quote = peek(1),
            quote == "\"" || quote == "'"
        {
            index += 1
            kind = .text(try text(isRaw: true))
        } else if isNameStart(character) {
            kind = .name(take(while: isNamePart))
        } else if character.isASCIIDigit || character == "." && (peek(1)?.isASCIIDigit ?? false) {
            kind = .number(try number())
        } else {
            kind = .symbol(try symbol())
        }
        return ExpressionToken(kind: kind, column: start)
    }

    private mutating func symbol() throws(ExpressionError) -> String {
        let start = index + 1
        let symbols = [
            "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":",
            "(", ")", "[", "]", "{", "}", ",", ".", "@",
        ]
        guard let symbol = symbols.first(where: { characters[index...].starts(with: Array($0)) })
        else {
            let hint =
                switch characters[index] {
                case "=": "; to compare, write “==”"
                case "&": "; write “&&”"
                case "|": "; write “||”"
                case "“", "”", "‘", "’": "; write strings as \"…\" or '…'"
                default: ""
                }
            throw ExpressionError(
                column: start, reason: "“\(characters[index])” is unexpected here\(hint)")
        }
        index += symbol.count
        return symbol
    }

    private mutating func number() throws(ExpressionError) -> Double {
        let start = index
        if current == "0", peek(1) == "x" || peek(1) == "X" {
            index += 2
            let digits = take { $0.isASCII && $0.isHexDigit }
            guard let value = UInt32(digits, radix: 16) else {
                throw ExpressionError(
                    column: start + 1, reason: "“0x” takes 1 to 8 hexadecimal digits")
            }
            return Double(value)
        }
        _ = take { $0.isASCIIDigit }
        if current == ".", peek(1)?.isASCIIDigit ?? false {
            index += 1
            _ = take { $0.isASCIIDigit }
        }
        if current == "e" || current == "E" {
            index += 1
            if current == "+" || current == "-" { index += 1 }
            _ = take { $0.isASCIIDigit }
        }
        guard let value = Double(String(characters[start..<index])), value.isFinite,
            current.map({ !isNameStart($0) }) ?? true
        else {
            throw ExpressionError(column: start + 1, reason: "malformed number")
        }
        return value
    }

    private mutating func text(isRaw: Bool) throws(ExpressionError) -> String {
        let start = index + 1, quote = characters[index]
        var text = ""
        index += 1
        while let character = current, character != quote {
            guard !character.isNewline else { break }
            index += 1
            if character == "\\", !isRaw {
                text.unicodeScalars.append(try escape())
            } else {
                text.append(character)
            }
        }
        guard current == quote else {
            throw ExpressionError(
                column: start, reason: "the string that starts here is not closed")
        }
        index += 1
        return text
    }

    private mutating func escape() throws(ExpressionError) -> Unicode.Scalar {
        let start = index
        guard let character = current else {
            throw ExpressionError(column: start, reason: "the string ends within an escape")
        }
        index += 1
        switch character {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "\\", "'", "\"", "`", "?": return character.unicodeScalars.first ?? "?"
        case "x": return try scalar(digits: 2, start)
        case "u": return try scalar(digits: 4, start)
        case "U": return try scalar(digits: 8, start)
        default:
            throw ExpressionError(
                column: start,
                reason:
                    "unknown escape; the escapes are \\n \\r \\t \\\\ \\' \\\" \\xHH \\uHHHH \\UHHHHHHHH"
            )
        }
    }

    private mutating func scalar(digits: Int, _ start: Int) throws(ExpressionError)
        -> Unicode.Scalar
    {
        let end = index + digits
        guard end <= characters.count,
            characters[index..<end].allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let code = UInt32(String(characters[index..<end]), radix: 16),
            let scalar = Unicode.Scalar(code)
        else {
            throw ExpressionError(
                column: start,
                reason: "the escape needs \(digits) hexadecimal digits of a valid character")
        }
        index = end
        return scalar
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = index
        while let character = current, condition(character) { index += 1 }
        return String(characters[start..<index])
    }

    private func isNameStart(_ character: Character) -> Bool {
        character == "_" || character.isASCII && character.isLetter
    }
    private func isNamePart(_ character: Character) -> Bool {
        isNameStart(character) || character.isASCIIDigit
    }
    private var current: Character? { peek(0) }
    private func peek(_ offset: Int) -> Character? {
        index + offset < characters.count ? characters[index + offset] : nil
    }
}

extension Character {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
