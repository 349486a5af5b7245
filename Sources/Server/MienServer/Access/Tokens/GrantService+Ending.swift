internal import MienAPI
package import MienCore
internal import MienStore

extension GrantService {
    /// Ends a sign-in for its app. A sign-in that has ended or is unknown is not an error.
    package func end(_ id: GrantID, of account: UserID, app: AppID) async throws {
        let now = clock.now
        try await store.write { tables in
            guard let grant = try tables.grants.find(id), grant.account == account,
                grant.app == app, try tables.grants.revoke(id, of: account, at: now)
            else { return }
            try tables.audit.append(
                AuditEvent(
                    "tokens.revoked", actor: "app", account: account, app: app,
                    detail: ["grant": .string(id.text)]), at: now)
        }
    }
}
