internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The account recovery routes: recovery codes, and held recoveries.
struct RecoveryRoutes {
    let apps: AppCatalog
    let grants: GrantService
    let changes: AuthenticatorChanges
    let codes: RecoveryCodeService
    let recoveries: RecoveryService
    let body: JSONBody

    func add(to router: RouterGroup<MienRequestContext>) {
        router.get("me/recovery-codes") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(codes.status(of: caller.account))
        }
        router.post("me/recovery-codes") { request, _ in
            let caller = try await grants.caller(of: request)
            let standing = try await changes.require(.add, by: caller, reach: .account)
            return try await JSONBody.response(
                codes.make(for: caller.account, app: caller.app, standing), status: .created)
        }
        router.delete("me/recovery-codes") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            guard try await codes.delete(of: caller.account) else {
                throw Problem(.notFound, "You have no recovery codes.")
            }
            return Response(status: .noContent)
        }
        router.get("me/recovery") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(Page(items: recoveries.open(of: caller.account)))
        }
        router.delete("me/recovery") { request, _ in
            let caller = try await grants.caller(of: request)
            // Not `signedInAt`: that is rounded down to a second, so a sign-in right after the
            // request would appear to precede it.
            let count = try await recoveries.cancel(
                of: caller.account.id, since: caller.grant.family.createdAt, how: .canceledBySignIn)
            guard count > 0 else { throw Self.nothingToCancel }
            return Response(status: .noContent)
        }
        router.post("recovery/cancel") { request, _ in
            let wanted = try await body.read(
                CancelRecoveryRequest.self, CancelRecoveryRequest.CodingKeys.self, from: request)
            let app = try await apps.authenticated(id: wanted.clientID, secret: wanted.clientSecret)
            let count = try await recoveries.cancel(deviceToken: wanted.deviceToken, app: app.id)
            guard count > 0 else { throw Self.nothingToCancel }
            return Response(status: .noContent)
        }
    }

    /// The same for an unknown device and for one that is newer than the request.
    private static let nothingToCancel = Problem(
        .notFound, "There is no recovery that this sign-in or device can cancel.")
}
