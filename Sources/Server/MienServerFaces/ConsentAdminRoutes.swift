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
            return JSONBody.response(Page(items: consents.map(Self.answer)))
        }
        router.delete("users/:user/consents/:app") { _, context in
            // Withdrawing consent erases the template in the same transaction.
            let account = try await records.user(context), now = clock.now, actor = context.actor
            let app = try AppID(context.parameters.require("app"), field: "app")
            try await store.write { tables in
                let count = try tables.consents.withdraw(
                    of: account.id, app: app, purpose: FaceConsent.purpose, at: now)
                let face = try tables.authenticators.find(.face, of: account, app: app)
                if let face {
                    _ = try tables.removeAuthenticator(face, at: now)
                }
                guard count > 0 || face != nil else {
                    throw Problem(.notFound, "This user has not consented to that app.")
                }
                try tables.audit.append(
                    AuditEvent(
                        "consent.withdrawn", actor: actor, account: account.id, app: app,
                        detail: ["face_erased": .bool(face != nil)]), at: now
                )
            }
            return Response(status: .noContent)
        }
    }

    private static func answer(_ record: ConsentRecord) -> ConsentAnswer {
        ConsentAnswer(
            appID: record.app.text, purpose: .init(rawValue: record.purpose),
            textVersion: record.textVersion,
            givenAt: record.givenAt.milliseconds,
            withdrawnAt: record.withdrawnAt?.milliseconds)
    }
}
