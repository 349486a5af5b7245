internal import Crypto
internal import MienAPI
internal import MienCore
internal import MienStore

/// Resources as directories see them.
enum SCIMResource {
    /// The version of a resource, for `etag` and `if-match`.
    ///
    /// - Parameter groups: The groups of a person, which their resource lists.
    static func version(_ time: Instant, _ groups: [SCIMGroupRecord] = []) -> String {
        guard !groups.isEmpty else { return "W/\"\(time.milliseconds)\"" }
        let names = groups.map { "\($0.id.text) \($0.name)" }.joined(separator: "\n")
        let mark = Base64URL.encode(SHA256.hash(data: Array(names.utf8)).prefix(8))
        return "W/\"\(time.milliseconds)-\(mark)\""
    }

    static func user(_ record: SCIMUserRecord, groups: [SCIMGroupRecord], base: String) -> JSONValue
    {
        var members = record.shown
        var schemas: [JSONValue] = [.string(SCIMSchema.user.id)]
        if members[SCIMSchema.enterprise.id] != nil {
            schemas.append(.string(SCIMSchema.enterprise.id))
        }
        members["schemas"] = .array(schemas)
        members["id"] = .string(record.account.text)
        if !groups.isEmpty {
            members["groups"] = .array(
                groups.map {
                    ["value": .string($0.id.text), "display": .string($0.name)]
                })
        }
        members["meta"] = meta(
            "User", "\(base)/Users/\(record.account.text)", record.createdAt, record.updatedAt,
            groups)
        return .object(members)
    }

    static func group(_ record: SCIMGroupRecord, members: [UserID], base: String) -> JSONValue {
        var resource: [String: JSONValue] = [
            "schemas": [.string(SCIMSchema.group.id)], "id": .string(record.id.text),
            "displayName": .string(record.name),
            "meta": meta(
                "Group", "\(base)/Groups/\(record.id.text)", record.createdAt, record.updatedAt),
        ]
        resource["externalId"] = record.externalID.map { .string($0) }
        if !members.isEmpty {
            resource["members"] = .array(
                members.map {
                    [
                        "value": .string($0.text), "type": "User",
                        "$ref": .string("\(base)/Users/\($0.text)"),
                    ]
                })
        }
        return .object(resource)
    }

    private static func meta(
        _ type: String, _ location: String, _ created: Instant, _ changed: Instant,
        _ groups: [SCIMGroupRecord] = []
    ) -> JSONValue {
        [
            "resourceType": .string(type), "location": .string(location),
            "created": .string(created.iso8601), "lastModified": .string(changed.iso8601),
            "version": .string(version(changed, groups)),
        ]
    }
}

extension SCIMUserRecord {
    /// The resource as the directory wrote it, with `active` as it is. A directory that removed it
    /// lets the person sign in.
    var shown: [String: JSONValue] {
        var members = content.use { $0 }
        if members["active"] != nil || !isActive { members["active"] = .bool(isActive) }
        return members
    }
}
