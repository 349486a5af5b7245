package import Hummingbird
internal import MienAPI
internal import MienStore

/// The route of the admin API that gives a user an OTP token.
package struct OTPAdminRoutes {
    let tokens: OTPService
    let records: AdminRecords
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("users/:user/otp/:app/registrations") { request, context in
            let account = try await records.user(context), app = try await records.app(context)
            let wanted = try await body.read(
                OTPRegistrationRequest.self, OTPRegistrationRequest.CodingKeys.self, from: request)
            return try await OTPRoutes.offer(
                wanted, tokens, to: account.id, app: app.id, actor: context.actor, nil)
        }
    }
}
