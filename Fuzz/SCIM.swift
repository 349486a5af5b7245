import MienAPI
import MienCore

/// Reads any text as a filter of SCIM, and any JSON as a resource and as a change of one.
///
/// Must hold: the result is an error, or a filter that can be asked about any resource; a resource
/// within its limits, which is the same when it is cleaned again, also after a change.
func fuzzSCIM(_ bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self), let filter = try? SCIMFilter(text) {
        _ = (filter.matches(person), filter.required("id"), filter.mentions("members"))
        _ = filter.matches(.object([:]), isExact: true)
    }
    guard let value = try? JSONText.parse(bytes, limits: .init(maxBytes: 1 << 20, maxDepth: 12))
    else { return }
    for schema in [SCIMSchema.user, .group] {
        let start: [String: JSONValue]
        if let content = try? schema.clean(value, maxMembers: 100) {
            precondition(same(content, schema))
            start = content
        } else {
            start = person.objectValue ?? [:]
        }
        guard let patch = try? SCIMPatch(value),
            let changed = try? patch.applied(to: start, of: schema),
            let content = try? schema.clean(.object(changed), maxMembers: 100)
        else { continue }
        precondition(same(content, schema))
    }
}

private func same(_ content: [String: JSONValue], _ schema: SCIMSchema) -> Bool {
    (try? schema.clean(.object(content), maxMembers: 100)) == content
}

private let person: JSONValue = [
    "id": "usr_1", "userName": "ada", "displayName": "Ada", "active": true,
    "name": ["familyName": "Lovelace"], "meta": ["created": "2026-01-01T00:00:00Z"],
    "emails": [["value": "ada@example.org", "type": "work", "primary": true], ["type": "home"]],
    "members": [["value": "usr_1"], ["value": "usr_2", "type": "User"]],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": ["department": "R&D"],
]
