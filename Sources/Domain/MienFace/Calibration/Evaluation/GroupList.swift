/// The groups that people belong to, as comma-separated values: one row for each person, and one
/// column for each way to group people.
///
///     person,age,skin_type
///     Abel_Pacheco,40-59,III
///     Abdel_Madi,20-39,
///
/// A person is named like their folder of photos. An empty field leaves the person out of that
/// column's groups. Fields may be quoted (RFC 4180), but have no line breaks. If the first line has
/// a tab and no comma, tabs separate the fields.
public struct GroupList: Sendable, Equatable {
    /// One way to group people.
    public struct Column: Sendable, Equatable {
        public let name: String
        /// In the order in which the rows first name them.
        public let groups: [String]
        /// For each person with a group: its index in ``groups``.
        public let group: [String: Int]
    }

    public static let columnRange = 1...8
    public static let groupRange = 2...20
    /// The maximum length of a field, in bytes.
    public static let maxFieldBytes = 200

    public let columns: [Column]
    /// In order.
    public let people: [String]

    /// - Throws: ``GroupListError``, which names the line.
    public init(_ text: String) throws(GroupListError) {
        var rows: [(line: Int, fields: [String])] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let first = lines.first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let separator: Unicode.Scalar = first.contains("\t") && !first.contains(",") ? "\t" : ","
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            rows.append((index + 1, try Self.fields(line, separator, line: index + 1)))
        }
        guard let header = rows.first, header.fields.first == "person",
            Self.columnRange.contains(header.fields.count - 1),
            Set(header.fields).count == header.fields.count, !header.fields.contains("")
        else { throw .header(line: rows.first?.line ?? 1) }
        let names = header.fields.dropFirst()
        var lineOf: [String: Int] = [:], people: [String] = []
        var groups = names.map { _ in [String]() }, members = names.map { _ in [String: Int]() }
        for row in rows.dropFirst() {
            guard row.fields.count == header.fields.count else {
                throw .columns(
                    line: row.line, expected: header.fields.count, got: row.fields.count)
            }
            let person = row.fields[0]
            guard !person.isEmpty else { throw .noPerson(line: row.line) }
            if let first = lineOf[person] { throw .samePerson(line: row.line, first: first) }
            lineOf[person] = row.line
            people.append(person)
            for (column, label) in row.fields.dropFirst().enumerated() where !label.isEmpty {
                let known = groups[column].firstIndex(of: label)
                if known == nil {
                    guard groups[column].count < Self.groupRange.upperBound else {
                        throw .tooManyGroups(line: row.line, column: header.fields[column + 1])
                    }
                    groups[column].append(label)
                }
                members[column][person] = known ?? groups[column].count - 1
            }
        }
        for (column, name) in names.enumerated() where groups[column].count < 2 {
            throw .tooFewGroups(column: name)
        }
        self.people = people
        columns = names.enumerated().map {
            Column(name: $1, groups: groups[$0], group: members[$0])
        }
    }

    /// Splits a line at its separators, removes surrounding spaces, and unquotes.
    private static func fields(
        _ line: Substring, _ separator: Unicode.Scalar, line number: Int
    ) throws(GroupListError) -> [String] {
        var fields: [String] = [], field = "", isQuoted = false, wasQuoted = false
        var rest = line.unicodeScalars
        func finished() throws(GroupListError) -> String {
            let text = wasQuoted ? field : trimmed(field)
            guard text.utf8.count <= maxFieldBytes else { throw .field(line: number) }
            return text
        }
        while let next = rest.popFirst() {
            switch next {
            case "\"" where isQuoted && rest.first == "\"":
                rest.removeFirst()
                field.unicodeScalars.append(next)
            case "\"" where isQuoted: isQuoted = false
            case "\"" where !wasQuoted && trimmed(field).isEmpty:
                (isQuoted, wasQuoted, field) = (true, true, "")
            case "\"": throw .quote(line: number)
            case separator where !isQuoted:
                fields.append(try finished())
                (field, wasQuoted) = ("", false)
            case " " where wasQuoted && !isQuoted, "\t" where wasQuoted && !isQuoted: break
            default:
                guard !wasQuoted || isQuoted else { throw .quote(line: number) }
                field.unicodeScalars.append(next)
            }
        }
        guard !isQuoted else { throw .quote(line: number) }
        fields.append(try finished())
        return fields
    }

    private static func trimmed(_ text: String) -> String {
        let end = text.reversed().drop(while: \.isWhitespace)
        return String(end.reversed().drop(while: \.isWhitespace))
    }
}

/// The reason that text is not a valid list of groups. Lines are counted from 1.
public enum GroupListError: Error, Equatable, Sendable {
    /// The first line is not `person` and the names of 1...8 other columns.
    case header(line: Int)
    /// A row does not have as many fields as the header.
    case columns(line: Int, expected: Int, got: Int)
    /// A row's first field is empty.
    case noPerson(line: Int)
    /// A person has two rows.
    case samePerson(line: Int, first: Int)
    /// A quotation mark is not at the start or end of a field, or is missing.
    case quote(line: Int)
    /// A field has more than 200 bytes.
    case field(line: Int)
    /// A column has more than 20 groups.
    case tooManyGroups(line: Int, column: String)
    /// A column has fewer than two groups.
    case tooFewGroups(column: String)
}

extension GroupListError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let line):
            "line \(line) must be a header: person, and 1 to 8 other column names, all different, such as “person,age”"
        case .columns(let line, let expected, let got):
            "line \(line) has \(got) fields, but the header has \(expected); leave a field empty if the group is unknown, and quote fields with commas"
        case .noPerson(let line):
            "line \(line) names no person; write the name of a folder of photos in the first column"
        case .samePerson(let line, let first):
            "line \(line) names the person of line \(first) again; give each person one line"
        case .quote(let line):
            "line \(line) has a quotation mark out of place; quote whole fields, and write a mark inside as two"
        case .field(let line):
            "line \(line) has a field of more than \(GroupList.maxFieldBytes) bytes; use shorter names"
        case .tooManyGroups(let line, let column):
            "line \(line) begins group \(GroupList.groupRange.upperBound + 1) of column \(column); merge groups, since at most \(GroupList.groupRange.upperBound) are compared"
        case .tooFewGroups(let column):
            "column \(column) has fewer than two groups; add people of another group, or remove the column"
        }
    }
}
