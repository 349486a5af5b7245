package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes with which users see and withdraw their consents, and remove their faces.
package struct OwnFaceRoutes {
    let store: Store
    let grants: GrantService
    let changes: AuthenticatorChanges
    let others: OtherConsents

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("me/consents") { request, _ in
            let user = try await grants.caller(of: request).account.id
            let consents = try await store.read { try $0.consentAnswers(of: user) }
            // The consent to store a face includes the one to search for duplicates.
            return JSONBody.response(
                Page(items: consents.filter { $0.purpose != .known(.faceSearch) }))
        }
        router.delete("me/consents/:app") { request, context in
            let caller = try await grants.caller(of: request), account = caller.account
            let app = try AppID(context.parameters.require("app"), field: "app"),
                now = changes.clock.now
            // Taking a permission back is as easy as giving it. Erasing a face, or the data of an
            // identity, is not.
            let isPermissionOnly = try await store.read { tables -> Bool in
                let consents = try tables.consents.all(of: account.id)
                let face =
                    try tables.face(of: account, in: app)
                    ?? tables.authenticators.find(.face, of: account, app: app)
                guard face == nil,
                    !consents.contains(where: { $0.app == app && $0.withdrawnAt == nil })
                else { return false }
                return try tables.permissions.scope(of: account.id, app: app) != nil
            }
            if !isPermissionOnly { try await changes.require(.remove, by: caller) }
            // Erases even a locked face: nobody may keep the template of a person who objects.
            let isDone = try await store.write(.always) { [others] tables -> Bool in
                let isTakenBack = try tables.withdrawPermission(
                    of: account.id, app: app, actor: "user", at: now)
                // Keep a consent that was given meanwhile.
                if isPermissionOnly { return isTakenBack }
                let ended = [
                    try tables.withdrawFaceConsent(of: account, app: app, actor: "user", at: now),
                    try others(account, app, "user", tables, now),
                ]
                return isTakenBack || ended.contains(true)
            }
            guard isDone else { throw Problem(.notFound, "You have not consented to this app.") }
            return Response(status: .noContent)
        }
        router.get("me/faces") { request, _ in
            let account = try await grants.caller(of: request).account
            let faces = try await store.read { tables in
                try tables.authenticators.all(of: account).filter { $0.type == .face }.compactMap {
                    face in
                    try face.app.map { app in
                        OwnFace(
                            id: face.id.text, appID: app.text,
                            appIDs: try FaceGroupID(space: app).map {
                                try tables.faceGroups.apps(sharing: $0, of: account.id).map(\.text)
                            },
                            createdAt: face.createdAt.milliseconds)
                    }
                }
            }
            return JSONBody.response(Page(items: faces))
        }
        router.delete("me/faces/:face") { request, context in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            guard let id = AuthenticatorID(try context.parameters.require("face")),
                try await remove(id, of: caller.account)
            else { throw Problem(.notFound, "You have no face with this ID.") }
            return Response(status: .noContent)
        }
    }

    /// - Returns: Whether the user had the face.
    private func remove(_ id: AuthenticatorID, of account: AccountRecord) async throws -> Bool {
        let now = changes.clock.now
        return try await store.write { tables in
            guard let face = try tables.authenticators.find(id, of: account), face.type == .face
            else { return false }
            // Removing and registering again would lift a lock.
            guard try !tables.locks.isHeld(id) else {
                throw Problem.authenticatorLocked("This face")
            }
            return try tables.removeAuthenticator(id, of: account, actor: "user", at: now)
        }
    }
}
