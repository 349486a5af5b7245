/// The lines of a machine-readable zone, and the fields in them.
///
/// The zone has valid characters and a known layout. Its check digits may be wrong and its dates
/// impossible; ``checkDigits`` and ``IdentityDocument/checks(now:)`` say so.
///
/// Zones are personal data, so they print as `‹mrz›`. Use ``lines`` to show one.
///
/// Source: ICAO Doc 9303 parts 3–7.
public struct MachineReadableZone: Sendable, Hashable {
    public let format: MRZFormat
    /// The characters of all lines.
    let characters: [[UInt8]]
    let layout: MRZLayout

    public static func == (a: Self, b: Self) -> Bool { a.characters == b.characters }
    public func hash(into hasher: inout Hasher) { hasher.combine(characters) }

    /// Reads lines. Spaces at their ends are ignored.
    /// - Throws: ``DocumentError`` `.zoneSize`, `.zoneCharacter`, or `.zoneType`.
    public init(lines: [some StringProtocol]) throws(DocumentError) {
        guard lines.count <= 3, lines.allSatisfy({ $0.utf8.count <= 64 }) else {
            throw DocumentError(
                .zoneSize, "a machine-readable zone has at most 3 lines of at most 44 characters")
        }
        let rows = lines.map { Array($0.utf8.trimmingSpaces) }
        for (line, row) in rows.enumerated() {
            for (column, byte) in row.enumerated() where MRZCheckDigit.value(of: byte) == nil {
                throw DocumentError(
                    .zoneCharacter,
                    "line \(line + 1), column \(column + 1): only 0–9, A–Z, and < are allowed")
            }
        }
        let length = rows.first?.count ?? 0
        guard rows.allSatisfy({ $0.count == length }) else {
            throw DocumentError(.zoneSize, "all lines of a machine-readable zone are equally long")
        }
        let format = try MRZFormat.of(lines: rows.count, length: length, start: rows.first ?? [])
        self.init(trusted: rows, format)
    }

    /// Reads text with one line per line; empty lines are ignored.
    /// - Throws: ``DocumentError``, see ``init(lines:)``.
    public init(_ text: some StringProtocol) throws(DocumentError) {
        guard text.utf8.count <= 256 else {
            throw DocumentError(.zoneSize, "a machine-readable zone has at most 90 characters")
        }
        let lines = text.utf8.split { $0 == 10 || $0 == 13 }.map {
            String(decoding: $0, as: UTF8.self)
        }
        try self.init(lines: lines.filter { $0.utf8.contains { $0 != 32 } })
    }

    /// - Precondition: The rows have the format's size and valid characters.
    package init(trusted rows: [[UInt8]], _ format: MRZFormat) {
        self.format = format
        characters = rows
        layout = Self.layout(of: rows, format)
    }

    /// A number that is too long for its field continues in the optional data up to the first
    /// filler, and its check digit comes last. A filler is in the digit's usual place.
    private static func layout(of rows: [[UInt8]], _ format: MRZFormat) -> MRZLayout {
        let filler = UInt8(ascii: "<"), line: Int, digit: Int, optional: Range<Int>
        switch format {
        case .td1: (line, digit, optional) = (0, 14, 15..<30)
        case .td2: (line, digit, optional) = (1, 9, 28..<35)
        default: return MRZLayout(format)
        }
        let tail = rows[line][optional].prefix { $0 != filler }
        guard rows[line][digit] == filler, rows[line][digit - 1] != filler, tail.count >= 2,
            let last = tail.last, decimal([last]) != nil
        else { return MRZLayout(format) }
        let layouts = [false, true].map {
            MRZLayout(format, continued: tail.count - 1, countingFiller: $0)
        }
        return layouts.first { isRight($0.checkDigits[0], rows) } ?? layouts[0]
    }

    /// The lines, as printed.
    public var lines: [String] { characters.map { String(decoding: $0, as: UTF8.self) } }

    private func bytes(_ span: MRZSpan) -> ArraySlice<UInt8> { characters[span.line][span.columns] }

    private func text(_ spans: [MRZSpan]) -> String {
        var bytes = spans.flatMap { Array(self.bytes($0)) }
        while bytes.last == UInt8(ascii: "<") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MachineReadableZone {
    /// One or two characters, such as `P`, `ID`, or `V`.
    public var documentCode: String { text([MRZSpan(0, 0..<2)]) }

    /// The state or organization that issued the document.
    public var issuer: IssuerCode { code(layout.issuer) }

    /// The holder's nationality. French identity cards do not state it.
    public var nationality: IssuerCode? { layout.nationality.map(code) }

    /// The document's number, without trailing fillers.
    public var number: String { text(layout.number) }

    /// `nil` when the field is not a date.
    public var birth: MRZDate? { MRZDate(bytes(layout.birth)) }

    /// `nil` when the field is not a date, or the format has none.
    public var expiry: MRZDate? { layout.expiry.flatMap { MRZDate(bytes($0)) } }

    /// Whether the format has a date of expiry.
    public var hasExpiry: Bool { layout.expiry != nil }

    /// `nil` for a character that is not allowed.
    public var sex: Sex? {
        switch bytes(layout.sex).first {
        case UInt8(ascii: "F"): .female
        case UInt8(ascii: "M"): .male
        case UInt8(ascii: "X"), UInt8(ascii: "<"): .unspecified
        default: nil
        }
    }

    /// The optional data, one text per field, without trailing fillers.
    public var optionalData: [String] { layout.optional.map { text([$0]) } }

    public var name: MRZName {
        layout.names.count == 2
            ? MRZName(primary: bytes(layout.names[0]), secondary: bytes(layout.names[1]))
            : MRZName(bytes(layout.names[0]))
    }

    /// The check digits in the order of the standard: number, birth, expiry, optional data,
    /// composite, as far as the format has them.
    public var checkDigits: [MRZCheckDigit] {
        layout.checkDigits.map { digit in
            let isEmpty =
                digit.mayBeEmpty
                && characters[digit.line][digit.column] == UInt8(ascii: "<")
                && digit.covers.allSatisfy { bytes($0).allSatisfy { $0 == UInt8(ascii: "<") } }
            return MRZCheckDigit(
                field: digit.field, isRight: isEmpty || Self.isRight(digit, characters),
                isEmpty: isEmpty)
        }
    }

    /// Whether every check digit is right.
    public var hasRightCheckDigits: Bool { checkDigits.allSatisfy(\.isRight) }

    private static func isRight(_ digit: MRZLayout.CheckDigit, _ rows: [[UInt8]]) -> Bool {
        guard let printed = decimal([rows[digit.line][digit.column]]) else { return false }
        return MRZCheckDigit.of(digit.covers.flatMap { rows[$0.line][$0.columns] }) == printed
    }

    private func code(_ span: MRZSpan) -> IssuerCode {
        IssuerCode(String(decoding: bytes(span), as: UTF8.self))
    }
}

extension MachineReadableZone: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "‹mrz›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Collection<UInt8> {
    /// Without leading and trailing spaces, tabs, and line breaks.
    var trimmingSpaces: [UInt8] {
        let space: Set<UInt8> = [9, 10, 13, 32]
        var bytes = Array(drop { space.contains($0) })
        while let last = bytes.last, space.contains(last) { bytes.removeLast() }
        return bytes
    }
}
