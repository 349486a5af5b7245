internal import MienAPI
internal import MienCore

/// The description of the service (RFC 7643 §5 and §6).
enum SCIMDescription {
    static func service(base: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": ["supported": true],
            "bulk": ["supported": false, "maxOperations": 0, "maxPayloadSize": 0],
            "filter": ["supported": true, "maxResults": .number(Double(SCIMQuery.maxCount))],
            "changePassword": ["supported": false], "sort": ["supported": false],
            "etag": ["supported": true],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "Token of an organization",
                    "description": "A token that an administrator of the server created.",
                    "primary": true,
                ]
            ],
            "meta": [
                "resourceType": "ServiceProviderConfig",
                "location": .string("\(base)/ServiceProviderConfig"),
            ],
        ]
    }

    static func resourceTypes(base: String) -> [JSONValue] {
        [
            type(
                "User", "/Users", SCIMSchema.user, base,
                extensions: [["schema": .string(SCIMSchema.enterprise.id), "required": false]]),
            type("Group", "/Groups", SCIMSchema.group, base, extensions: []),
        ]
    }

    private static func type(
        _ name: String, _ endpoint: String, _ schema: SCIMSchema, _ base: String,
        extensions: [JSONValue]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], "id": .string(name),
            "name": .string(name), "endpoint": .string(endpoint), "schema": .string(schema.id),
            "description": .string(schema.description),
            "meta": [
                "resourceType": "ResourceType",
                "location": .string("\(base)/ResourceTypes/\(name)"),
            ],
        ]
        if !extensions.isEmpty { members["schemaExtensions"] = .array(extensions) }
        return .object(members)
    }
}
