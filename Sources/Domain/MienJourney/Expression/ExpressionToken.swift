/// A word of an expression, and where it stands, in characters from 1.
struct ExpressionToken: Equatable {
    enum Kind: Equatable {
        case name(String), text(String), number(Double), symbol(String), end
    }

    let kind: Kind
    let place: Int

    /// As messages show it.
    var shown: String {
        switch kind {
        case .name(let name): "“\(name)”"
        case .text: "a text"
        case .number: "a number"
        case .symbol(let symbol): "“\(symbol)”"
        case .end: "the end"
        }
    }
}

/// Cuts an expression into words.
struct ExpressionLexer {
    private let characters: [Character]
    private var place = 0

    init(_ source: String) { characters = Array(source) }

    static func tokens(of source: String) throws(ExpressionError) -> [ExpressionToken] {
        var lexer = Self(source), tokens: [ExpressionToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(ExpressionError) -> ExpressionToken {
        while let character = current, character.isWhitespace { place += 1 }
        let start = place + 1
        guard let character = current else { return ExpressionToken(kind: .end, place: start) }
        let kind: ExpressionToken.Kind
        if character == "\"" || character == "'" {
            kind = .text(try text(isRaw: false))
        } else if character == "r" || character == "R", let quote = peek(1),
            quote == "\"" || quote == "'"
        {
            place += 1
            kind = .text(try text(isRaw: true))
        } else if isNameStart(character) {
            kind = .name(take(while: isNamePart))
        } else if character.isASCIIDigit || character == "." && (peek(1)?.isASCIIDigit ?? false) {
            kind = .number(try number())
        } else {
            kind = .symbol(try symbol())
        }
        return ExpressionToken(kind: kind, place: start)
    }

    private mutating func symbol() throws(ExpressionError) -> String {
        let start = place + 1
        let symbols = [
            "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":",
            "(", ")", "[", "]", "{", "}", ",", ".", "@",
        ]
        guard let symbol = symbols.first(where: { characters[place...].starts(with: Array($0)) })
        else {
            let hint =
                switch characters[place] {
                case "=": "; to compare, write “==”"
                case "&": "; write “&&”"
                case "|": "; write “||”"
                case "“", "”", "‘", "’": "; texts stand in \"…\" or '…'"
                default: ""
                }
            throw ExpressionError(
                place: start, reason: "“\(characters[place])” means nothing here\(hint)")
        }
        place += symbol.count
        return symbol
    }

    private mutating func number() throws(ExpressionError) -> Double {
        let start = place
        if current == "0", peek(1) == "x" || peek(1) == "X" {
            place += 2
            let digits = take { $0.isASCII && $0.isHexDigit }
            guard let value = UInt32(digits, radix: 16) else {
                throw ExpressionError(
                    place: start + 1, reason: "“0x” takes 1 to 8 hexadecimal digits")
            }
            return Double(value)
        }
        _ = take { $0.isASCIIDigit }
        if current == ".", peek(1)?.isASCIIDigit ?? false {
            place += 1
            _ = take { $0.isASCIIDigit }
        }
        if current == "e" || current == "E" {
            place += 1
            if current == "+" || current == "-" { place += 1 }
            _ = take { $0.isASCIIDigit }
        }
        guard let value = Double(String(characters[start..<place])), value.isFinite,
            current.map({ !isNameStart($0) }) ?? true
        else {
            throw ExpressionError(place: start + 1, reason: "no number is written like this")
        }
        return value
    }

    private mutating func text(isRaw: Bool) throws(ExpressionError) -> String {
        let start = place + 1, quote = characters[place]
        var text = ""
        place += 1
        while let character = current, character != quote {
            guard !character.isNewline else { break }
            place += 1
            if character == "\\", !isRaw {
                text.unicodeScalars.append(try escape())
            } else {
                text.append(character)
            }
        }
        guard current == quote else {
            throw ExpressionError(place: start, reason: "the text that begins here has no end")
        }
        place += 1
        return text
    }

    private mutating func escape() throws(ExpressionError) -> Unicode.Scalar {
        let start = place
        guard let character = current else {
            throw ExpressionError(place: start, reason: "the text ends within an escape")
        }
        place += 1
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
                place: start,
                reason:
                    "no such escape; there are \\n \\r \\t \\\\ \\' \\\" \\xHH \\uHHHH \\UHHHHHHHH")
        }
    }

    private mutating func scalar(digits: Int, _ start: Int) throws(ExpressionError)
        -> Unicode.Scalar
    {
        let end = place + digits
        guard end <= characters.count,
            characters[place..<end].allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let code = UInt32(String(characters[place..<end]), radix: 16),
            let scalar = Unicode.Scalar(code)
        else {
            throw ExpressionError(
                place: start,
                reason: "the escape takes \(digits) hexadecimal digits that name a character")
        }
        place = end
        return scalar
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = place
        while let character = current, condition(character) { place += 1 }
        return String(characters[start..<place])
    }

    private func isNameStart(_ character: Character) -> Bool {
        character == "_" || character.isASCII && character.isLetter
    }
    private func isNamePart(_ character: Character) -> Bool {
        isNameStart(character) || character.isASCIIDigit
    }
    private var current: Character? { peek(0) }
    private func peek(_ offset: Int) -> Character? {
        place + offset < characters.count ? characters[place + offset] : nil
    }
}

extension Character {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
