internal import Foundation
internal import Hummingbird
internal import MienAPI
internal import MienCore

/// The route of the admin API that imports people from another product.
struct UserImportRoutes {
    let people: UserImport
    let pace: PasswordPace
    let budget: BodyBudget

    func add(to router: RouterGroup<MienRequestContext>) {
        router.post("users/import") { request, context in
            let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
            guard
                let format = type.flatMap({
                    PeopleRecords.Format(mediaType: $0.trimmingCharacters(in: .whitespaces))
                })
            else {
                throw Problem(
                    .unsupportedMediaType,
                    "Send content-type: application/jsonl for JSON lines, or text/csv.")
            }
            let options = UserImport.Options(
                updates: try request.flag("update"), isDryRun: try request.flag("dry_run"),
                app: try request.uri.queryParameters["otp_app"].map {
                    try AppID(String($0), field: "otp_app")
                })
            let share = budget.share()
            defer { withExtendedLifetime(share) {} }
            let bytes = try await JSONBody.collect(
                request, upTo: PeopleRecords.maxRequestBytes, share)
            let answer = try await people.import(bytes, format, options, by: context.actor)
            await pace.prepare()
            return JSONBody.response(answer)
        }
    }
}
