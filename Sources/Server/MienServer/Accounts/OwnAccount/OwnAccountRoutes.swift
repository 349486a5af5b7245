package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes with which users see, download, and delete their data, end their sign-ins, and manage
/// their devices.
package struct OwnAccountRoutes {
    let grants: GrantService
    let changes: AuthenticatorChanges
    let own: OwnAccountService
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        addSignIns(to: router)
        addDevices(to: router)
        router.get("me/data") { request, _ in
            let caller = try await grants.caller(of: request)
            // A stolen token must not be enough to take everything along.
            try await changes.require(.remove, by: caller)
            return JSONBody.response(JSONValue.object(try await own.data(of: caller.account)))
        }
        router.get("me/activity") { request, _ in
            let caller = try await grants.caller(of: request)
            try await changes.require(.remove, by: caller)
            return try await JSONBody.response(
                own.activity(of: caller.account.id, after: Self.number(request)))
        }
        router.delete("me") { request, _ in
            let caller = try await grants.caller(of: request)
            // As strong as adding an authenticator: nothing can undo it.
            let standing = try await changes.require(.add, by: caller, reach: .account)
            try await own.delete(caller.account, app: caller.app, by: standing)
            return Response(status: .noContent)
        }
    }

    private func addSignIns(to router: RouterGroup<MienRequestContext>) {
        router.get("me/sign-ins") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(Page(items: own.signIns(of: caller)))
        }
        router.delete("me/sign-ins") { request, _ in
            let caller = try await grants.caller(of: request)
            try await own.endOtherSignIns(of: caller)
            return Response(status: .noContent)
        }
        router.delete("me/sign-ins/:signin") { request, context in
            let caller = try await grants.caller(of: request)
            guard let id = GrantID(try context.parameters.require("signin")),
                try await own.endSignIn(id, by: caller)
            else { throw Problem(.notFound, "You have no sign-in with this ID.") }
            return Response(status: .noContent)
        }
    }

    private func addDevices(to router: RouterGroup<MienRequestContext>) {
        router.get("me/devices") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(Page(items: own.devices(of: caller.account)))
        }
        router.patch("me/devices/:device") { request, context in
            let caller = try await grants.caller(of: request)
            let name = try await body.read(
                DeviceNameRequest.self, DeviceNameRequest.CodingKeys.self, from: request
            ).name
            try Problem.requireLine(name, "name", max: 64)
            guard let id = DeviceID(try context.parameters.require("device")),
                try await own.rename(id, to: Sensitive(name), of: caller.account)
            else { throw Self.noDevice }
            return Response(status: .noContent)
        }
        router.delete("me/devices/:device") { request, context in
            let caller = try await grants.caller(of: request)
            // A device can cancel recoveries, and protects from strangers' guesses.
            try await changes.require(.remove, by: caller)
            guard let id = DeviceID(try context.parameters.require("device")),
                try await own.removeDevice(id, by: caller)
            else { throw Self.noDevice }
            return Response(status: .noContent)
        }
    }

    private static let noDevice = Problem(.notFound, "You have no device with this ID.")

    /// The number of the last entry that the client has.
    private static func number(_ request: Request) throws -> Int {
        guard let text = request.uri.queryParameters["after"] else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: "after", message: "must be the number of an entry")])
        }
        return number
    }
}

/// `PATCH /v1/me/devices/{device}`
private struct DeviceNameRequest: Codable, Sendable {
    let name: String

    enum CodingKeys: String, CodingKey, CaseIterable { case name }
}
