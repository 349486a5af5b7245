internal import Hummingbird
internal import HummingbirdCore
internal import MienAPI
internal import MienCore

/// A question about resources (RFC 7644 §3.4.2, §3.9).
struct SCIMQuery: Sendable {
    /// The most resources of one answer.
    static let maxCount = 200

    let filter: SCIMFilter?
    /// Counted from 1.
    let start: Int
    let count: Int
    let projection: SCIMProjection

    init(_ request: Request) throws(SCIMError) {
        let uri = request.formURI, query = uri.queryParameters
        func number(_ name: Substring) throws(SCIMError) -> Int? {
            guard let text = query[name] else { return nil }
            guard let number = Int(text) else { throw Self.notNumber(String(name)) }
            return number
        }
        try self.init(
            filter: query["filter"].map { String($0) }, start: number("startIndex"),
            count: number("count"), SCIMProjection(request))
    }

    /// - Parameter body: That of a request to `/.search` (RFC 7644 §3.4.3).
    init(_ body: JSONValue) throws(SCIMError) {
        let schema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"
        guard body["schemas"]?.arrayValue?.contains(.string(schema)) == true else {
            throw SCIMError(400, .invalidSyntax, "A search needs the schema \(schema).")
        }
        func number(_ name: String) throws(SCIMError) -> Int? {
            guard let value = body[name], value != .null else { return nil }
            guard let number = value.numberValue.flatMap({ Int(exactly: $0) }) else {
                throw Self.notNumber(name)
            }
            return number
        }
        func words(_ name: String) -> [String] {
            body[name]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
        try self.init(
            filter: body["filter"]?.stringValue, start: number("startIndex"),
            count: number("count"),
            SCIMProjection(wanted: words("attributes"), unwanted: words("excludedAttributes")))
    }

    private init(filter: String?, start: Int?, count: Int?, _ projection: SCIMProjection)
        throws(SCIMError)
    {
        self.filter = try filter.map { text throws(SCIMError) in try SCIMFilter(text) }
        self.start = max(1, start ?? 1)
        self.count = min(Self.maxCount, max(0, count ?? 100))
        self.projection = projection
    }

    private static func notNumber(_ name: String) -> SCIMError {
        SCIMError(400, .invalidValue, "\(name) must be an integer.")
    }

    /// Whether a list of versions, such as `if-match` has, contains one.
    static func lists(_ versions: String, _ version: String) -> Bool {
        versions.split(separator: ",").contains {
            let one = $0.filter { $0 != " " }
            return one == "*" || one == version
        }
    }

    /// Returns the answer with the parts of resources that are asked for.
    func answer(_ resources: [JSONValue], total: Int) -> JSONValue {
        list(resources.map(projection.of), total: total)
    }

    func list(_ resources: [JSONValue], total: Int) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": .number(Double(total)), "startIndex": .number(Double(start)),
            "itemsPerPage": .number(Double(resources.count)), "Resources": .array(resources),
        ]
    }

    /// The same question about another part of a list.
    func part(from start: Int, count: Int) -> SCIMQuery {
        SCIMQuery(filter: filter, start: start, count: count, projection: projection)
    }

    private init(filter: SCIMFilter?, start: Int, count: Int, projection: SCIMProjection) {
        (self.filter, self.start, self.count) = (filter, start, count)
        self.projection = projection
    }

    /// The part of a list that is asked for.
    func page<Item>(of items: [Item]) -> ArraySlice<Item> {
        items.dropFirst(start - 1).prefix(count)
    }
}

/// The attributes that a request asks for.
struct SCIMProjection: Sendable {
    private let wanted: [String]?
    private let unwanted: [String]

    /// The most attributes that a request names.
    private static let maxWords = 64

    init(_ request: Request) {
        let uri = request.formURI, query = uri.queryParameters
        func words(_ name: Substring) -> [String] {
            (query[name] ?? "").split(separator: ",").map { String($0) }
        }
        self.init(wanted: words("attributes"), unwanted: words("excludedAttributes"))
    }

    init(wanted: [String], unwanted: [String]) {
        self.wanted = wanted.isEmpty ? nil : wanted.prefix(Self.maxWords).map(Self.word)
        self.unwanted = unwanted.prefix(Self.maxWords).map(Self.word)
    }

    /// The name of an attribute without its schema, except that of an extension.
    private static func word(_ text: String) -> String {
        let word = text.filter { $0 != " " }.lowercased()
        for schema in [SCIMSchema.user, .group] where word.hasPrefix("\(schema.id.lowercased()):") {
            return String(word.dropFirst(schema.id.count + 1))
        }
        return word
    }

    func excludes(_ name: String) -> Bool {
        let word = name.lowercased()
        if let wanted { return !wanted.contains { $0 == word || $0.hasPrefix("\(word).") } }
        return unwanted.contains(word)
    }

    func of(_ resource: JSONValue) -> JSONValue {
        guard var members = resource.objectValue else { return resource }
        for (name, value) in members where !["schemas", "id"].contains(name) {
            let word = name.lowercased()
            if let wanted {
                guard !wanted.contains(word) else { continue }
                let subs = wanted.compactMap { part(of: $0, under: word) }
                members[name] = subs.isEmpty ? nil : keep(subs, of: value)
            } else if unwanted.contains(word) {
                members[name] = nil
            } else {
                let subs = unwanted.compactMap { part(of: $0, under: word) }
                if !subs.isEmpty { members[name] = drop(subs, of: value) }
            }
        }
        return .object(members)
    }

    private func part(of word: String, under name: String) -> String? {
        guard word.hasPrefix(name), word.count > name.count + 1 else { return nil }
        let rest = word.dropFirst(name.count)
        return rest.first == "." || rest.first == ":" ? String(rest.dropFirst()) : nil
    }

    private func keep(_ subs: [String], of value: JSONValue) -> JSONValue? {
        if let values = value.arrayValue { return .array(values.compactMap { keep(subs, of: $0) }) }
        guard let members = value.objectValue else { return nil }
        return .object(members.filter { subs.contains($0.key.lowercased()) })
    }

    private func drop(_ subs: [String], of value: JSONValue) -> JSONValue {
        if let values = value.arrayValue { return .array(values.map { drop(subs, of: $0) }) }
        guard let members = value.objectValue else { return value }
        return .object(members.filter { !subs.contains($0.key.lowercased()) })
    }
}

extension Request {
    /// The address with `+` read as a space, as clients write it that encode a query like a form.
    fileprivate var formURI: URI {
        URI("\(uri.path)?\((uri.query ?? "").replacing("+", with: "%20"))")
    }
}

/// How much text one search compares, so that no filter keeps a processor.
struct SCIMSearchBudget {
    private var bytes = 32 << 20

    /// - Throws: ``SCIMError`` `.tooMany` when the search has looked at enough.
    mutating func take(_ resource: JSONValue, _ filter: SCIMFilter) throws(SCIMError) {
        bytes -= JSONText.write(resource).utf8.count * filter.comparisons
        guard bytes > 0 else {
            throw SCIMError(
                400, .tooMany,
                "The filter looks at too much text; filter by userName, externalId, or id with eq.")
        }
    }
}
