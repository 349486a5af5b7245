internal import MienAPI
internal import MienCore
internal import MienStore

/// Resources as directories see them.
enum SCIMResource {
    /// The version of a resource, for `etag` and `if-match`.
    static func version(_ time: Instant) -> String { "W/\"\(time.milliseconds)\"" }

    static func user(_ record: SCIMUserRecord, groups: [SCIMGroupRecord], base: String) -> JSONValue
    {
        var members = record.content.use { $0 }
        var schemas: [JSONValue] = [.string(SCIMSchema.user.id)]
        if members[SCIMSchema.enterprise.id] != nil {
            schemas.append(.string(SCIMSchema.enterprise.id))
        }
        members["schemas"] = .array(schemas)
        members["id"] = .string(record.account.text)
        members["active"] = .bool(record.isActive)
        if !groups.isEmpty {
            members["groups"] = .array(
                groups.map {
                    [
                        "value": .string($0.id.text), "display": .string($0.name),
                        "$ref": .string("\(base)/Groups/\($0.id.text)"),
                    ]
                })
        }
        members["meta"] = meta(
            "User", "\(base)/Users/\(record.account.text)", record.createdAt, record.updatedAt)
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
        _ type: String, _ location: String, _ created: Instant, _ changed: Instant
    ) -> JSONValue {
        [
            "resourceType": .string(type), "location": .string(location),
            "created": .string(created.iso8601), "lastModified": .string(changed.iso8601),
            "version": .string(version(changed)),
        ]
    }
}
