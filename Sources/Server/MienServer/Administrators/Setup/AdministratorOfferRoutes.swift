package import Hummingbird
internal import MienAPI
internal import MienCore

/// The routes with which owners invite administrators and renew their sign-in methods.
package struct AdministratorOfferRoutes {
    let signIns: AdministratorSignIns
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("administrators/invitations") { _, _ in
            JSONBody.response(Page(items: try await signIns.offers.invitations()))
        }
        router.post("administrators/invitations") { request, context in
            let owner = try owner(context)
            let wanted = try await body.read(
                AdministratorRequest.self, AdministratorRequest.CodingKeys.self, from: request)
            return JSONBody.response(
                try await signIns.offers.invite(wanted.name, as: wanted.role, by: owner),
                status: .created)
        }
        router.delete("administrators/invitations/:invitation") { _, context in
            guard let owner = context.administrator else { throw Problem(.invalidCredentials) }
            let id = try AdministratorOfferID(
                context.parameters.require("invitation"), field: "invitation")
            try await signIns.offers.revoke(id, by: owner)
            return Response(status: .noContent)
        }
        router.get("administrators/setup-codes") { _, _ in
            JSONBody.response(Page(items: try await signIns.offers.setupCodes()))
        }
        router.post("administrators/:administrator/setup-code") { request, context in
            let owner = try owner(context)
            let keepsCredential = try request.flag("keep_credential")
            return JSONBody.response(
                try await signIns.offers.makeSetupCode(
                    for: Self.administrator(context), keepsCredential: keepsCredential, by: owner),
                status: .created)
        }
        router.delete("administrators/:administrator/setup-code") { _, context in
            guard let owner = context.administrator else { throw Problem(.invalidCredentials) }
            try await signIns.offers.revokeSetupCode(of: Self.administrator(context), by: owner)
            return Response(status: .noContent)
        }
    }

    private static func administrator(_ context: MienRequestContext) throws -> AdminID {
        try AdminID(context.parameters.require("administrator"), field: "administrator")
    }

    private func owner(_ context: MienRequestContext) throws -> AdminID {
        guard let owner = context.administrator else { throw Problem(.invalidCredentials) }
        return owner
    }
}
