internal import MienCore

/// Reads a reference registry from CSV (RFC 4180), in pieces of any size.
///
///     id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud
///     7,Ada,Lovelock,12 Saint James Street,Atlanta,GA,30318,US,1985-12-10,,
///
/// The first row names the columns, in any order. `city`, `state`, `deceased`, and `fraud` are
/// optional. Fields may be quoted. Memory is bounded by one row.
///
/// Reads what spreadsheets, PowerShell, and databases write: commas, semicolons, tabs, or bars
/// between fields, whichever the first row has most; UTF-8, or UTF-16 with a byte-order mark; a line
/// `sep=;` or `#TYPE …` before the first row; rows of empty fields; and `\\N` or `NULL` for an optional
/// value that is missing.
///
/// Other encodings are not guessed: a name that is read wrongly would decide about its person. A file
/// is read as Windows-1252 only where that is stated, and rejected if it is UTF-8 after all.
public struct RegistryFile: Sendable {
    /// The maximum length of a row in bytes.
    public static let maxRowBytes = 8 * 1024

    public enum Encoding: Sendable {
        /// UTF-8, or UTF-16 with a byte-order mark.
        case unicode
        case windows1252
    }

    enum Column: String, CaseIterable {
        case id
        case firstName = "first_name"
        case lastName = "last_name"
        case address, city, state
        case postalCode = "postal_code"
        case country
        case dateOfBirth = "date_of_birth"
        case deceased, fraud

        var isRequired: Bool {
            switch self {
            case .city, .state, .deceased, .fraud: false
            default: true
            }
        }
    }

    private static let separators = [UInt8](",;\t|".utf8)

    private enum Place { case start, plain, quoted, quoteInQuoted }

    /// The columns in the file's order; empty before the first row.
    private var columns: [Column] = []
    /// The position of each in ``columns``.
    private var positions: [Column: Int] = [:]
    private let encoding: Encoding
    private var unicode = RegistryEncoding()
    /// The letters that were read as Windows-1252.
    public private(set) var letters = RegistryLetters()
    /// The byte between two fields; `nil` until the first row is known.
    private var separator: UInt8?
    /// The bytes of the first row that were read before ``separator`` was known.
    private var opening: [UInt8] = []
    private var place = Place.start
    private var field: [UInt8] = []
    private var fields: [[UInt8]] = []
    private var rowBytes = 0
    private var isAfterReturn = false
    /// The line on which the current row begins, and the current one, counted from 1.
    private var rowLine = 1, line = 1
    private var isFirstRow = true

    public init(_ encoding: Encoding = .unicode) { self.encoding = encoding }

    /// Reads more of the file.
    ///
    /// - Returns: the rows that are complete.
    /// - Throws: ``RegistryFileError``. The reader must not be used after it.
    public mutating func read(_ bytes: some Sequence<UInt8>) throws(RegistryFileError)
        -> [RegistryRow]
    {
        try readASCII(encoding == .unicode ? unicode.decode(Array(bytes)) : Array(bytes))
    }

    /// Ends the file.
    ///
    /// - Returns: the last row if no line break follows it.
    public mutating func finish() throws(RegistryFileError) -> RegistryRow? {
        _ = try readASCII(unicode.finish())
        if separator == nil, !opening.isEmpty { _ = try endOpening() }
        guard place != .quoted else { throw error("a quoted field does not end") }
        let row = fields.isEmpty && place == .start ? nil : try endRow()
        guard !columns.isEmpty else { throw error("the file is empty") }
        return row
    }

    /// - Parameter bytes: In an encoding that contains ASCII.
    private mutating func readASCII(_ bytes: [UInt8]) throws(RegistryFileError) -> [RegistryRow] {
        var rows: [RegistryRow] = []
        var rest = bytes[...]
        while separator == nil, let first = rest.popFirst() {
            opening.append(first)
            let isBreak = first == UInt8(ascii: "\n") || first == UInt8(ascii: "\r")
            if isBreak || opening.count > Self.maxRowBytes { rows += try endOpening() }
        }
        while let first = rest.first {
            if let end = plainRowEnd(in: rest) {
                if let row = try plainRow(rest[rest.startIndex..<end]) { rows.append(row) }
                rest = rest[end...].dropFirst()
            } else {
                if let row = try read(first) { rows.append(row) }
                rest = rest.dropFirst()
            }
        }
        return rows
    }

    /// Reads the first lines: chooses the separator by the first row, and skips what programs write
    /// before it.
    private mutating func endOpening() throws(RegistryFileError) -> [RegistryRow] {
        var bytes = opening
        opening = []
        let text = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let words = String(decoding: text, as: UTF8.self)
        if words.lowercased().hasPrefix("sep="), text.count == 5, let last = text.last {
            separator = last
            bytes.removeFirst(5)
        } else if words.hasPrefix("#TYPE") || words.isEmpty {
            // A blank line keeps the numbers of lines right.
            bytes.removeFirst(text.count)
        } else {
            separator = Self.separators.max { a, b in count(a, in: text) < count(b, in: text) }
            if count(separator ?? 0, in: text) == 0 { separator = UInt8(ascii: ",") }
        }
        var rows: [RegistryRow] = []
        for byte in bytes { if let row = try read(byte) { rows.append(row) } }
        return rows
    }

    private func count(_ byte: UInt8, in text: ArraySlice<UInt8>) -> Int {
        text.count { $0 == byte }
    }

    // MARK: Rows without quotes

    /// Returns the index of the line feed that ends the row, if the row begins here, contains
    /// neither quotes nor other line breaks, and is not too long. Almost all rows are such.
    private func plainRowEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        guard place == .start, fields.isEmpty, rowBytes == 0, !isAfterReturn else { return nil }
        for index in bytes.indices.prefix(Self.maxRowBytes) {
            switch bytes[index] {
            case UInt8(ascii: "\n"): return index
            case UInt8(ascii: "\""): return nil
            case UInt8(ascii: "\r"):
                guard index + 1 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "\n") else {
                    return nil
                }
            default: continue
            }
        }
        return nil
    }

    /// Reads a whole row, which gives the same result as reading its bytes one by one.
    ///
    /// - Parameter bytes: Those before the line feed.
    private mutating func plainRow(_ bytes: ArraySlice<UInt8>) throws(RegistryFileError)
        -> RegistryRow?
    {
        line += 1
        defer { startRow() }
        let row = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        guard !row.isEmpty else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(Column.allCases.count)
        var start = row.startIndex
        while true {
            let end = row[start...].firstIndex { $0 == separator } ?? row.endIndex
            texts.append(try text(row[start..<end], column: texts.count))
            guard end < row.endIndex else { break }
            start = end + 1
        }
        return try self.row(of: texts)
    }

    private func text(_ bytes: ArraySlice<UInt8>, column: Int) throws(RegistryFileError) -> String {
        // ASCII is UTF-8, and needs no copy to see it.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        let utf8 = String(validUTF8: Array(bytes))
        switch encoding {
        case .unicode:
            guard let utf8 else {
                throw error(
                    "column \(column + 1) is not UTF-8; save the file as CSV UTF-8",
                    isOfEncoding: true)
            }
            return utf8
        case .windows1252:
            // A name in Windows-1252 has no letters that are UTF-8 as well.
            guard utf8 == nil else {
                throw error("column \(column + 1) is UTF-8, not Windows-1252")
            }
            guard let text = Windows1252.text(bytes) else {
                throw error("column \(column + 1) has a byte that Windows-1252 does not have")
            }
            return text
        }
    }

    // MARK: Any rows

    private mutating func read(_ byte: UInt8) throws(RegistryFileError) -> RegistryRow? {
        let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        defer { isAfterReturn = byte == UInt8(ascii: "\r") }
        if byte == UInt8(ascii: "\n"), isAfterReturn, place != .quoted { return nil }
        if isBreak, !(byte == UInt8(ascii: "\n") && isAfterReturn) { line += 1 }
        rowBytes += 1
        guard rowBytes <= Self.maxRowBytes else {
            throw error("a row has more than \(Self.maxRowBytes) bytes")
        }
        if place == .quoted {
            if byte == UInt8(ascii: "\"") { place = .quoteInQuoted } else { field.append(byte) }
            return nil
        }
        switch byte {
        case UInt8(ascii: "\""):
            switch place {
            case .start: place = .quoted
            case .quoteInQuoted:
                field.append(byte)
                place = .quoted
            default: throw error("a quotation mark inside a field that does not begin with one")
            }
        case separator: endField()
        case _ where isBreak:
            // A blank line is no row.
            if fields.isEmpty, place == .start {
                startRow()
                return nil
            }
            return try endRow()
        default:
            guard place != .quoteInQuoted else {
                throw error("only a separator or a line break may follow a quoted field")
            }
            place = .plain
            field.append(byte)
        }
        return nil
    }

    private mutating func endField() {
        fields.append(field)
        field = []
        place = .start
    }

    private mutating func startRow() {
        (rowBytes, rowLine) = (0, line)
    }

    private mutating func endRow() throws(RegistryFileError) -> RegistryRow? {
        endField()
        defer {
            fields = []
            startRow()
        }
        var texts: [String] = []
        for (index, bytes) in fields.enumerated() {
            texts.append(try text(bytes[...], column: index))
        }
        return try row(of: texts)
    }

    /// Reads the fields of a row; the first row names the columns.
    private mutating func row(of texts: [String]) throws(RegistryFileError) -> RegistryRow? {
        // Spreadsheets write rows and columns that once had content.
        if texts.allSatisfy(\.isEmpty) { return nil }
        var texts = texts
        while texts.count > max(columns.count, 1), texts.last?.isEmpty == true {
            texts.removeLast()
        }
        if isFirstRow {
            isFirstRow = false
            columns = try header(texts)
            for (index, column) in columns.enumerated() { positions[column] = index }
            return nil
        }
        guard texts.count == columns.count else {
            throw error("\(texts.count) fields, but the first row names \(columns.count) columns")
        }
        if encoding == .windows1252 { letters.note(texts) }
        return try row(texts)
    }

    private func header(_ names: [String]) throws(RegistryFileError) -> [Column] {
        var columns: [Column] = []
        let known = Column.allCases.map(\.rawValue)
        for (index, name) in names.enumerated() {
            let plain = name.lowercased().split { $0.isWhitespace || $0 == "-" }.joined(
                separator: "_")
            guard let column = Column(rawValue: plain) else {
                throw error(
                    "column \(index + 1) has an unknown name\(Suggestion.text(for: plain, among: known)) (allowed: \(known.joined(separator: ", ")))"
                )
            }
            guard !columns.contains(column) else {
                throw error("column “\(column.rawValue)” occurs twice")
            }
            columns.append(column)
        }
        if let missing = Column.allCases.first(where: { $0.isRequired && !columns.contains($0) }) {
            throw error("column “\(missing.rawValue)” is missing")
        }
        return columns
    }

    private func row(_ texts: [String]) throws(RegistryFileError) -> RegistryRow {
        func text(_ column: Column) -> String? {
            positions[column].map { texts[$0] }
        }
        func optional(_ column: Column) -> String? {
            text(column).map { ["\\N", "NULL"].contains($0) ? "" : $0 }
        }
        let id = text(.id) ?? ""
        guard (1...RegistryRow.maxIDBytes).contains(id.utf8.count) else {
            throw error("id must have 1 to \(RegistryRow.maxIDBytes) bytes")
        }
        var marks: Set<SourceAnswer.Mark> = []
        if try flag(optional(.deceased), .deceased) { marks.insert(.deceased) }
        if try flag(optional(.fraud), .fraud) { marks.insert(.fraud) }
        return RegistryRow(
            id: id,
            input: PersonalDataInput(
                firstName: text(.firstName) ?? "", lastName: text(.lastName) ?? "",
                address: text(.address) ?? "", city: optional(.city), state: optional(.state),
                postalCode: text(.postalCode) ?? "", country: text(.country) ?? "",
                dateOfBirth: Self.day(text(.dateOfBirth) ?? "")), marks: marks, line: rowLine)
    }

    /// Drops the midnight that databases add to a date.
    private static func day(_ text: String) -> String {
        let rest = text.dropFirst(10)
        return !rest.isEmpty && (rest.hasPrefix(" ") || rest.hasPrefix("T"))
            && rest.dropFirst().allSatisfy { "0:.Z+".contains($0) } ? String(text.prefix(10)) : text
    }

    private func flag(_ text: String?, _ column: Column) throws(RegistryFileError) -> Bool {
        guard let text, !text.isEmpty else { return false }
        switch text.lowercased() {
        case "0", "false", "no", "f", "n", "falsch", "nein", "faux", "falso": return false
        case "1", "true", "yes", "t", "y", "wahr", "ja", "vrai", "verdadero", "vero": return true
        default: throw error("\(column.rawValue) must be true, false, or empty")
        }
    }

    private func error(_ reason: String, isOfEncoding: Bool = false) -> RegistryFileError {
        RegistryFileError(line: rowLine, reason: reason, isOfEncoding: isOfEncoding)
    }
}

/// The first error of a registry file. Repeats nothing of its rows.
public struct RegistryFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line on which the row begins, counted from 1.
    public let line: Int
    public let reason: String
    /// Whether the file may be one of another encoding.
    public let isOfEncoding: Bool

    public init(line: Int, reason: String, isOfEncoding: Bool = false) {
        (self.line, self.reason, self.isOfEncoding) = (line, reason, isOfEncoding)
    }

    public var description: String { "line \(line): \(reason)" }
}
