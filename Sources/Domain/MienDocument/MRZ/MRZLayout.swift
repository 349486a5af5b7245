/// Consecutive characters of one line of a machine-readable zone.
package struct MRZSpan: Sendable, Hashable {
    package let line: Int
    package let columns: Range<Int>

    package init(_ line: Int, _ columns: Range<Int>) { (self.line, self.columns) = (line, columns) }
}

/// The positions of the fields of a machine-readable zone, and what its check digits cover.
///
/// Source: ICAO Doc 9303 parts 4–7.
package struct MRZLayout: Sendable {
    package struct CheckDigit: Sendable {
        package let field: MRZCheckDigit.Field
        /// The fields in the order in which their characters are weighted.
        package let covers: [MRZSpan]
        package let line: Int
        package let column: Int
        /// Whether `<` may stand for a digit when everything that it covers is empty.
        package let mayBeEmpty: Bool
    }

    package let format: MRZFormat
    package let issuer: MRZSpan
    /// The parts of the document's number.
    package let number: [MRZSpan]
    package let nationality: MRZSpan?
    package let birth, sex: MRZSpan
    package let expiry: MRZSpan?
    package let optional: [MRZSpan]
    /// One span with both parts of the name, or one for each.
    package let names: [MRZSpan]
    package let checkDigits: [CheckDigit]

    /// - Parameters:
    ///   - continued: The number of characters by which the document's number continues in the
    ///     optional data, on TD1 and TD2.
    ///   - countingFiller: Whether the check digit of such a number also covers the filler at the
    ///     position where the digit otherwise is. The standard's example agrees with both.
    package init(_ format: MRZFormat, continued: Int = 0, countingFiller: Bool = false) {
        switch format {
        case .td1:
            self.init(
                td1: Self.number(
                    line: 0, start: 5, digit: 14, then: 15, continued, countingFiller))
        case .frenchCard: self.init(french: ())
        default:
            self.init(
                format,
                number: Self.number(
                    line: 1, start: 0, digit: 9, then: 28, continued, countingFiller))
        }
    }

    private struct Number {
        var parts: [MRZSpan]
        var check: CheckDigit
        /// The first column of the remaining optional data.
        var optionalStart: Int
    }

    private static func number(
        line: Int, start: Int, digit: Int, then optional: Int, _ continued: Int, _ filler: Bool
    ) -> Number {
        let head = MRZSpan(line, start..<digit)
        guard continued > 0 else {
            return Number(
                parts: [head],
                check: CheckDigit(
                    field: .number, covers: [head], line: line, column: digit, mayBeEmpty: false),
                optionalStart: optional)
        }
        let tail = MRZSpan(line, optional..<optional + continued)
        return Number(
            parts: [head, tail],
            check: CheckDigit(
                field: .number,
                covers: filler ? [head, MRZSpan(line, digit..<digit + 1), tail] : [head, tail],
                line: line, column: optional + continued, mayBeEmpty: false),
            optionalStart: optional + continued + 1)
    }

    private init(td1 number: Number) {
        format = .td1
        issuer = MRZSpan(0, 2..<5)
        self.number = number.parts
        nationality = MRZSpan(1, 15..<18)
        birth = MRZSpan(1, 0..<6)
        sex = MRZSpan(1, 7..<8)
        expiry = MRZSpan(1, 8..<14)
        optional = [MRZSpan(0, number.optionalStart..<30), MRZSpan(1, 18..<29)]
        names = [MRZSpan(2, 0..<30)]
        checkDigits = [
            number.check, Self.check(.birth, birth, 6, mayBeEmpty: true),
            Self.check(.expiry, MRZSpan(1, 8..<14), 14, mayBeEmpty: true),
            CheckDigit(
                field: .composite,
                covers: [
                    MRZSpan(0, 5..<30), MRZSpan(1, 0..<7), MRZSpan(1, 8..<15), MRZSpan(1, 18..<29),
                ], line: 1, column: 29, mayBeEmpty: false),
        ]
    }

    private init(_ format: MRZFormat, number: Number) {
        let length = format.lineLength, expirySpan = MRZSpan(1, 21..<27)
        self.format = format
        issuer = MRZSpan(0, 2..<5)
        self.number = number.parts
        nationality = MRZSpan(1, 10..<13)
        birth = MRZSpan(1, 13..<19)
        sex = MRZSpan(1, 20..<21)
        expiry = expirySpan
        names = [MRZSpan(0, 5..<length)]
        var checks = [
            number.check, Self.check(.birth, MRZSpan(1, 13..<19), 19, mayBeEmpty: true),
            Self.check(.expiry, expirySpan, 27, mayBeEmpty: true),
        ]
        let head = [MRZSpan(1, 0..<10), MRZSpan(1, 13..<20)]
        switch format {
        case .td3:
            let personal = MRZSpan(1, 28..<42)
            optional = [personal]
            checks.append(Self.check(.optional, personal, 42, mayBeEmpty: true))
            checks.append(
                CheckDigit(
                    field: .composite, covers: head + [MRZSpan(1, 21..<43)], line: 1, column: 43,
                    mayBeEmpty: false))
        case .td2:
            optional = [MRZSpan(1, number.optionalStart..<35)]
            checks.append(
                CheckDigit(
                    field: .composite, covers: head + [MRZSpan(1, 21..<35)], line: 1, column: 35,
                    mayBeEmpty: false))
        default: optional = [MRZSpan(1, number.optionalStart..<length)]
        }
        checkDigits = checks
    }

    private init(french: Void) {
        format = .frenchCard
        issuer = MRZSpan(0, 2..<5)
        let numberSpan = MRZSpan(1, 0..<12), birthSpan = MRZSpan(1, 27..<33)
        number = [numberSpan]
        nationality = nil
        birth = birthSpan
        sex = MRZSpan(1, 34..<35)
        expiry = nil
        optional = [MRZSpan(0, 30..<36)]
        names = [MRZSpan(0, 5..<30), MRZSpan(1, 13..<27)]
        checkDigits = [
            Self.check(.number, numberSpan, 12, mayBeEmpty: false),
            Self.check(.birth, birthSpan, 33, mayBeEmpty: false),
            CheckDigit(
                field: .composite, covers: [MRZSpan(0, 0..<36), MRZSpan(1, 0..<35)], line: 1,
                column: 35, mayBeEmpty: false),
        ]
    }

    private static func check(
        _ field: MRZCheckDigit.Field, _ span: MRZSpan, _ column: Int, mayBeEmpty: Bool
    ) -> CheckDigit {
        CheckDigit(
            field: field, covers: [span], line: span.line, column: column, mayBeEmpty: mayBeEmpty)
    }
}
