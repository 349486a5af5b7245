package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for users' consents.
package struct ConsentAdminRoutes {
    let store: Store
    let records: AdminRecords
    let clock: ServerClock
    let others: OtherConsents

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("users/:user/consents") { _, context in
            let account = try await records.user(context)
            let consents = try await store.read { try $0.consentAnswers(of: account.id) }
            return JSONBody.response(Page(items: consents))
        }
        router.delete("users/:user/consents/:app") { _, context in
            // Withdrawing consent erases what it covers in the same transaction.
            let account = try await records.user(context), now = clock.now, actor = context.actor
            let app = try AppID(context.parameters.require("app"), field: "app")
            let isDone = try await store.write(.always) { [others] tables in
                let ended = [
                    try tables.withdrawFaceConsent(of: account, app: app, actor: actor, at: now),
                    try others(account, app, actor, tables, now),
                    try tables.withdrawPermission(
                        of: account.id, app: app, actor: actor, at: now),
                ]
                return ended.contains(true)
            }
            guard isDone else {
                throw Problem(.notFound, "This user has not consented to that app.")
            }
            return Response(status: .noContent)
        }
    }
}
