internal import Hummingbird
internal import MienAPI
internal import MienCore

/// What a request asks of a list or a resource (RFC 7644 §3.4.2, §3.9).
struct SCIMQuery: Sendable {
    /// The most resources of one answer.
    static let maxCount = 200

    let filter: SCIMFilter?
    /// Counted from 1.
    let start: Int
    let count: Int
    let projection: SCIMProjection

    init(_ request: Request) throws(SCIMError) {
        let query = request.uri.queryParameters
        if let text = query["filter"] {
            filter = try SCIMFilter(String(text))
        } else {
            filter = nil
        }
        start = max(1, query["startIndex"].flatMap { Int($0) } ?? 1)
        count = min(Self.maxCount, max(0, query["count"].flatMap { Int($0) } ?? 100))
        projection = SCIMProjection(request)
    }

    func answer(_ resources: [JSONValue], total: Int) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": .number(Double(total)), "startIndex": .number(Double(start)),
            "itemsPerPage": .number(Double(resources.count)),
            "Resources": .array(resources.map(projection.of)),
        ]
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

    init(_ request: Request) {
        let query = request.uri.queryParameters
        func words(_ name: Substring) -> [String] {
            (query[name] ?? "").split(separator: ",").map {
                var word = $0.filter { $0 != " " }.lowercased()
                for schema in [SCIMSchema.user, .group] where word.hasPrefix(schema.id.lowercased())
                {
                    word = String(word.dropFirst(schema.id.count + 1))
                }
                return word
            }
        }
        let named = words("attributes")
        wanted = named.isEmpty ? nil : named
        unwanted = words("excludedAttributes")
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
