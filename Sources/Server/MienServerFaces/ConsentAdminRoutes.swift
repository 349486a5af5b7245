package import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
package import MienServerAccess
package import MienServerCore
package import MienStore

/// The routes of the admin API for users' consents to store their faces.
package struct ConsentAdminRoutes {
    let store: Store
    let records: AdminRecords
    let clock: ServerClock

    package init(store: Store, records: AdminRecords, clock: ServerClock) {
        (self.store, self.records, self.clock) = (store, records, clock)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("users/:user/consents") { _, context in
            let account = try await records.user(context)
            let consents = try await store.read { try $0.consents.all(of: account.id) }
            return JSONBody.response(Page(items: consents.map { ConsentAnswer($0) }))
        }
        router.delete("users/:user/consents/:app") { _, context in
            // Withdrawing consent erases the template in the same transaction.
            let account = try await records.user(context), now = clock.now, actor = context.actor
            let app = try AppID(context.parameters.require("app"), field: "app")
            let isDone = try await store.write { tables in
                try tables.withdrawFaceConsent(of: account, app: app, actor: actor, at: now)
            }
            guard isDone else {
                throw Problem(.notFound, "This user has not consented to that app.")
            }
            return Response(status: .noContent)
        }
    }
}
