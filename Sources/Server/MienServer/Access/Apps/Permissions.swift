internal import MienAPI
package import MienCore
package import MienStore

extension Tables {
    /// Takes back what a user allowed an app of others to know, and ends the app's sign-ins, with the
    /// authorization codes that wait. The app is asked for again.
    ///
    /// - Parameter actor: The actor who withdraws it, for the audit log.
    /// - Returns: Whether there was a permission.
    package func withdrawPermission(
        of account: UserID, app: AppID, actor: String, at now: Instant
    ) throws -> Bool {
        guard let scope = try permissions.scope(of: account, app: app) else { return false }
        try permissions.delete(of: account, app: app)
        // A first-party app needs no permission, so its sign-ins do not rest on one.
        if try apps.party(of: app) != .first {
            _ = try grants.revokeAll(of: account, app: app, at: now)
            try authorizationCodes.deleteAll(of: account, for: app)
        }
        try audit.append(
            AuditEvent(
                "permission.withdrawn", actor: actor, account: account, app: app,
                detail: ["scope": .string(scope)]), at: now)
        return true
    }

    /// Takes back the permissions of apps in which the user has no sign-in left. An app of others
    /// whose last sign-in was ended is not let in again unasked.
    package func withdrawUnusedPermissions(
        of account: UserID, apps: [AppID], actor: String, at now: Instant
    ) throws {
        let used = Set(try grants.live(of: account, at: now).compactMap(\.app))
        for app in Set(apps).subtracting(used) {
            _ = try withdrawPermission(of: account, app: app, actor: actor, at: now)
        }
    }
}
