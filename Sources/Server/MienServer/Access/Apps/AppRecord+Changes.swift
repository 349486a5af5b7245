internal import Foundation
internal import MienAPI
package import MienCore
package import MienStore

extension AppRecord {
    /// The part that a change can replace, for the audit log. The secret is not part of it.
    package var auditedContent: [String: JSONValue] {
        get throws {
            [
                "name": .string(name), "first_party": .bool(isFirstParty),
                "settings": try JSONDecoder().decode(
                    JSONValue.self, from: JSONEncoder().encode(settings)),
            ]
        }
    }
}

extension Tables {
    /// Deletes an app with everything that is registered for it.
    ///
    /// - Returns: whether there was one.
    package func deleteApp(_ id: AppID, by actor: String, at now: Instant) throws -> Bool {
        try leaveFaceGroup(id, actor: actor, at: now)
        try authenticators.deleteAll(ofApp: id)
        try locks.deleteAll(ofApp: id)
        try runs.deleteAll(ofApp: id)
        // What names the app by its ID goes with it: another app may get the same ID.
        try captures.deleteAll(ofApp: id)
        try devices.deleteAll(ofApp: id)
        try consents.withdrawAll(ofApp: id, at: now)
        guard try apps.delete(id) else { return false }
        try audit.append(AuditEvent("app.deleted", actor: actor, app: id), at: now)
        return true
    }
}
