package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Routes for users to manage their own device keys, with an app's access token.
package struct DeviceKeyRoutes {
    let grants: GrantService
    let keys: DeviceKeyService
    let changes: AuthenticatorChanges
    let body: JSONBody
    /// The setting `identity.biometric.list_enabled`.
    let listsKeys: Bool

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("me/biometrics") { request, _ in
            let caller = try await grants.caller(of: request)
            guard listsKeys else {
                throw Problem(
                    .notPermitted,
                    "This server does not list device keys. The setting identity.biometric.list_enabled enables the list."
                )
            }
            return try await JSONBody.response(
                Page(items: keys.list(of: caller.account, app: caller.app)))
        }
        router.patch("me/biometrics/:key") { request, context in
            let caller = try await grants.caller(of: request),
                id = try context.parameters.require("key")
            let name = try await body.read(
                KeyNameRequest.self, KeyNameRequest.CodingKeys.self, from: request
            ).name
            try Problem.requireLine(name, "name", max: 64)
            guard try await keys.rename(id, to: name, of: caller.account, app: caller.app) else {
                throw Self.notFound
            }
            return Response(status: .noContent)
        }
        router.delete("me/biometrics/:key") { request, context in
            let caller = try await grants.caller(of: request),
                id = try context.parameters.require("key")
            try await changes.require(.remove, by: caller)
            do {
                guard
                    try await keys.delete(
                        id, of: caller.account.id, app: caller.app, actor: "user") > 0
                else {
                    throw Self.notFound
                }
            } catch is DeviceKeyService.Refusal { throw Problem.authenticatorLocked("This key") }
            return Response(status: .noContent)
        }
    }

    private static let notFound = Problem(.notFound, "You have no key with this ID in this app.")
}

/// `PATCH /v1/me/biometrics/{key}`
struct KeyNameRequest: Codable, Sendable {
    let name: String

    enum CodingKeys: String, CodingKey, CaseIterable { case name }
}
