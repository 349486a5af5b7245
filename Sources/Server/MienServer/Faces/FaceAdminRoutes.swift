package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// The routes of the admin API for faces.
package struct FaceAdminRoutes {
    let migration: FaceMigration
    let duplicates: DuplicateReviews
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("faces/migration") { _, _ in
            JSONBody.response(try await migration.status())
        }
        router.get("faces/duplicates") { request, context in
            let page = try AdminPage<DuplicateCaseKind>(request)
            let cases = try await AdminPage<DuplicateCaseKind>.known {
                try await duplicates.queue(
                    for: Self.administrator(context), after: page.after,
                    atMost: AdminPage<DuplicateCaseKind>.size)
            }
            return JSONBody.response(
                page.answer(cases, id: \.duplicate.id) { DuplicateCaseAnswer($0) })
        }
        router.get("faces/duplicates/:case") { _, context in
            JSONBody.response(
                try await duplicates.detail(
                    of: Self.id(context), for: Self.administrator(context)))
        }
        router.post("faces/duplicates/:case/decision") { request, context in
            let wanted = try await body.read(
                DuplicateDecisionRequest.self, DuplicateDecisionRequest.CodingKeys.self,
                from: request)
            let final = try await duplicates.decide(
                Self.id(context), wanted.decision, by: Self.administrator(context))
            return JSONBody.response(DuplicateOutcomeAnswer(decision: final.map { .known($0) }))
        }
    }

    private static func id(_ context: MienRequestContext) throws -> DuplicateCaseID {
        try DuplicateCaseID(context.parameters.require("case"), field: "case")
    }

    /// `AdminOnly` has checked the credential.
    private static func administrator(_ context: MienRequestContext) throws -> AdminID {
        guard let administrator = context.administrator else { throw Problem(.invalidCredentials) }
        return administrator
    }
}
