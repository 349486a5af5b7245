public import MienCore

/// A person as a file of an import describes them.
public struct ImportedPerson: Sendable, Hashable {
    public var externalID, username, email: String?
    /// Whether the file vouches for the address.
    public var isEmailVerified = false
    public var isSuspended: Bool?
    public var attributes: [String: JSONValue]?
    public var groups: GroupNames?
    /// A hash that another product made: see docs/import-people.md.
    public var passwordHash: Sensitive<String>?
    /// The `otpauth` URIs or base32 secrets of the person's authenticator apps.
    public var otp: [Sensitive<String>] = []
    /// The names that identify the person.
    public private(set) var names: [LoginName] = []

    /// The members of a line, and the columns of a row.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case externalID = "external_id", username, email, emailVerified = "email_verified", state,
            attributes, groups, passwordHash = "password_hash", otp

        static let words = allCases.map(\.rawValue).joined(separator: ", ")
    }

    /// The maximum number of authenticator apps of one person.
    public static let maxOTP = 5

    /// - Throws: ``ImportFault`` that names the first field that is wrong.
    public init(json bytes: [UInt8]) throws(ImportFault) {
        let value: JSONValue
        do throws(JSONTextError) {
            value = try JSONText.parse(
                bytes, limits: .init(maxBytes: PeopleRecords.maxBytes, maxDepth: 12))
        } catch {
            throw ImportFault(
                nil, "is not acceptable JSON: column \(error.column): \(error.reason)")
        }
        guard let members = value.objectValue else {
            throw ImportFault(nil, "must be a JSON object, not \(value.kind)")
        }
        var known: [Field: JSONValue] = [:]
        for (name, value) in members {
            guard let field = Field(rawValue: name) else {
                throw ImportFault(
                    nil, "has an unknown member\(Self.shown(name)); allowed are \(Field.words)")
            }
            known[field] = value
        }
        try self.init(known)
    }

    /// Short printable names appear in the message, so that a spelling mistake is seen; anything
    /// else may be a value in the wrong place.
    private static func shown(_ name: String) -> String {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 }
            ? ", “\(name)”" : ""
    }

    /// - Parameter header: The names of the columns.
    public init(_ row: CSVRow, header: ImportColumns) throws(ImportFault) {
        guard row.cells.count == header.columns.count else {
            throw ImportFault(
                nil,
                "has \(row.cells.count) cells, but the first row names \(header.columns.count) columns"
            )
        }
        var known: [Field: JSONValue] = [:], attributes: [String: JSONValue] = [:]
        for (column, cell) in zip(header.columns, row.cells) where !cell.isEmpty {
            switch column {
            case .attribute(let name): attributes[name] = .string(cell)
            case .field(.emailVerified):
                known[.emailVerified] =
                    switch cell.lowercased() {
                    case "true": true
                    case "false": false
                    default: .string(cell)
                    }
            case .field(.groups):
                known[.groups] = .array(
                    cell.split(separator: ",").map { .string(String($0)) })
            case .field(.otp):
                known[.otp] = .array(cell.split(separator: " ").map { .string(String($0)) })
            case .field(let field): known[field] = .string(cell)
            }
        }
        if !attributes.isEmpty { known[.attributes] = .object(attributes) }
        try self.init(known)
    }

    private init(_ known: [Field: JSONValue]) throws(ImportFault) {
        func text(_ field: Field) throws(ImportFault) -> String? {
            guard let value = known[field], value != .null else { return nil }
            guard let text = value.stringValue else {
                throw ImportFault(field.rawValue, "must be text")
            }
            return text.isEmpty ? nil : text
        }
        (externalID, username, email) = (
            try text(.externalID), try text(.username), try text(.email)
        )
        if email != nil {
            guard case .bool(let isVerified)? = known[.emailVerified] else {
                throw ImportFault(
                    Field.emailVerified.rawValue,
                    "must be true or false: whether the other product, or you, have verified that the address is the person's"
                )
            }
            isEmailVerified = isVerified
        }
        switch try text(.state) {
        case nil: break
        case "active": isSuspended = false
        case "suspended": isSuspended = true
        default: throw ImportFault(Field.state.rawValue, "must be active or suspended")
        }
        if let value = known[.attributes], value != .null {
            guard let members = value.objectValue else {
                throw ImportFault(Field.attributes.rawValue, "must be a JSON object")
            }
            attributes = members
        }
        groups = try Self.groups(known[.groups])
        passwordHash = try text(.passwordHash).map { Sensitive($0) }
        otp = try Self.words(known[.otp], .otp).map { Sensitive($0) }
        guard otp.count <= Self.maxOTP else {
            throw ImportFault(Field.otp.rawValue, "may have at most \(Self.maxOTP) secrets")
        }
        try check()
    }

    private static func groups(_ value: JSONValue?) throws(ImportFault) -> GroupNames? {
        guard let value, value != .null else { return nil }
        guard let names = GroupNames(try words(value, .groups)) else {
            throw ImportFault(
                Field.groups.rawValue,
                "must be at most \(GroupNames.maxCount) names of 1 to \(GroupNames.maxLength) printable ASCII characters without commas, quotes, and backslashes"
            )
        }
        return names
    }

    private static func words(_ value: JSONValue?, _ field: Field) throws(ImportFault) -> [String] {
        guard let value, value != .null else { return [] }
        if let word = value.stringValue { return word.isEmpty ? [] : [word] }
        let words = value.arrayValue?.compactMap(\.stringValue)
        guard let words, words.count == value.arrayValue?.count else {
            throw ImportFault(field.rawValue, "must be an array of texts")
        }
        return words
    }

    private mutating func check() throws(ImportFault) {
        if let externalID { names.append(try Self.name(externalID, .externalID)) }
        if let username { names.append(try Self.name(username, .username)) }
        if let email {
            let name = try Self.name(email, .email)
            if isEmailVerified { names.append(name) }
        }
        guard !names.isEmpty else {
            throw ImportFault(
                Field.username.rawValue,
                "is required unless there is an external ID or a verified email address")
        }
    }

    private static func name(_ text: String, _ kind: LoginName.Kind) throws(ImportFault)
        -> LoginName
    {
        do throws(LoginNameError) { return try LoginName(text, kind: kind) } catch {
            throw ImportFault(kind.rawValue, error.description)
        }
    }
}

/// The columns of a CSV file of people.
public struct ImportColumns: Sendable, Hashable {
    enum Column: Sendable, Hashable {
        case field(ImportedPerson.Field)
        case attribute(String)
    }

    let columns: [Column]

    /// - Parameter header: The first row. A column `attributes.plan` is the attribute `plan`.
    public init(_ header: CSVRow) throws(ImportFault) {
        var columns: [Column] = []
        for cell in header.cells {
            let prefix = "attributes."
            if cell.hasPrefix(prefix), cell.count > prefix.count {
                columns.append(.attribute(String(cell.dropFirst(prefix.count))))
            } else if let field = ImportedPerson.Field(rawValue: cell), field != .attributes {
                columns.append(.field(field))
            } else {
                throw ImportFault(
                    nil,
                    "must name the columns; allowed are \(ImportedPerson.Field.words.replacing("attributes", with: "attributes.NAME"))"
                )
            }
        }
        guard Set(columns).count == columns.count else {
            throw ImportFault(nil, "names a column twice")
        }
        self.columns = columns
    }
}
