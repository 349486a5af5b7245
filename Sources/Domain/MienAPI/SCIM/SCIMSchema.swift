public import MienCore

/// The attributes of a kind of resource.
public struct SCIMSchema: Sendable, Hashable {
    public let id: String
    public let name: String
    public let description: String
    public let attributes: [SCIMAttribute]

    /// The maximum size of a resource in bytes, without the members of a group.
    static let maxBytes = 16 * 1024

    public static let user = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User",
        description: "A person whom an organization's directory manages.",
        attributes: [
            .init(
                "userName", "The name of the person in the directory.", required: true,
                unique: true),
            .init(
                "name",
                .complex([
                    .init("formatted", "The full name."), .init("familyName", "The family name."),
                    .init("givenName", "The given name."), .init("middleName", "Middle names."),
                    .init("honorificPrefix", "Titles before the name."),
                    .init("honorificSuffix", "Suffixes after the name."),
                ]), "The parts of the person's name."),
            .init("displayName", "The name that is shown."),
            .init("title", "The person's position."),
            .init("preferredLanguage", "The language in which pages are shown."),
            .init("locale", "The person's locale."),
            .init("timezone", "The person's time zone."),
            .init("active", .boolean, "Whether the person may sign in."),
            .init("emails", .complex(Self.labeled), "Addresses of mail.", many: true),
            .init("phoneNumbers", .complex(Self.labeled), "Telephone numbers.", many: true),
            .init(
                "groups",
                .complex([
                    .init("value", "The group's ID.", caseExact: true, mutability: .readOnly),
                    .init("display", "The group's name.", mutability: .readOnly),
                ]), "The groups of which the person is a member.", many: true,
                mutability: .readOnly),
        ])

    public static let enterprise = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", name: "EnterpriseUser",
        description: "The person's place in the organization.",
        attributes: [
            .init("employeeNumber", "The number of the person in the organization."),
            .init("costCenter", "The cost center."), .init("organization", "The organization."),
            .init("division", "The division."), .init("department", "The department."),
        ])

    public static let group = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group",
        description: "A role that members of the organization have.",
        attributes: [
            .init(
                "displayName", "The name of the group, of which the role is made.",
                required: true, unique: true),
            .init(
                "members",
                .complex([
                    .init(
                        "value", "The ID of a person.", caseExact: true, mutability: .immutable),
                    .init("type", "User: groups have no groups in them.", canonical: ["User"]),
                    .init("$ref", .reference, "The address of the person.", mutability: .immutable),
                ]), "The people who have the role.", many: true),
        ])

    public static let all = [user, enterprise, group]

    private static let labeled: [SCIMAttribute] = [
        .init("value", "The value."), .init("type", "Such as work or home."),
        .init("display", "A form to show."),
        .init("primary", .boolean, "Whether it is the preferred one."),
    ]

    /// An ID that the directory has for the resource.
    static let externalID = SCIMAttribute(
        "externalId", "The directory's own ID.", caseExact: true)

    /// Returns what a client may write of a resource, in the spelling of the schema.
    ///
    /// Attributes that the schema does not have, and those that are read only, are left out, as RFC
    /// 7644 §3.3 allows.
    public func clean(_ value: JSONValue, maxMembers: Int = 0) throws(SCIMError) -> [String:
        JSONValue]
    {
        guard let members = value.objectValue else {
            throw SCIMError(400, .invalidSyntax, "The resource must be a JSON object.")
        }
        let limit = max(SCIMAttribute.maxValues, maxMembers)
        var clean = try SCIMAttribute.clean(
            members, attributes + [Self.externalID], maxValues: limit)
        if self == .user, let extra = Self.member(Self.enterprise.id, of: members) {
            guard let extra = extra.objectValue else {
                throw SCIMError(400, .invalidSyntax, "The extension must be a JSON object.")
            }
            let part = try SCIMAttribute.clean(extra, Self.enterprise.attributes)
            if !part.isEmpty { clean[Self.enterprise.id] = .object(part) }
        }
        for attribute in attributes where attribute.isRequired && clean[attribute.name] == nil {
            throw .value("\(attribute.name) is missing.")
        }
        var rest = clean
        rest["members"] = nil
        guard JSONText.write(.object(rest)).utf8.count <= Self.maxBytes else {
            throw .value("A resource may have at most \(Self.maxBytes) bytes.")
        }
        return clean
    }

    /// Returns the member with a name in any case.
    static func member(_ name: String, of members: [String: JSONValue]) -> JSONValue? {
        if let value = members[name] { return value }
        let word = name.lowercased()
        return members.first { $0.key.lowercased() == word }?.value
    }

    /// The description that `/Schemas` gives.
    public func json(base: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .string(id),
            "name": .string(name), "description": .string(description),
            "attributes": .array(attributes.map(\.json)),
            "meta": [
                "resourceType": "Schema", "location": .string("\(base)/Schemas/\(id)"),
            ],
        ]
    }
}
