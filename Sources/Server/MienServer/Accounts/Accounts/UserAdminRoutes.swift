package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for users.
package struct UserAdminRoutes {
    let store: Store
    let accounts: AccountService
    let records: AdminRecords
    let body: JSONBody

    let clock: ServerClock

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("users") { request, _ in
            let query = request.uri.queryParameters
            if let name = query["identifier"] {
                let text = String(name)
                let found = try await store.read { try $0.accounts.find(identifier: text) }
                return JSONBody.response(Page(items: found.map { [Self.answer($0)] } ?? []))
            }
            let page = try AdminPage<UserKind>(request), group = query["group"].map { String($0) }
            let records = try await page.read(from: store) {
                try $0.accounts.page(after: $1, count: $2, in: group)
            }
            return JSONBody.response(page.answer(records, id: \.id, Self.answer))
        }
        router.post("users") { request, context in
            let wanted = try await body.read(
                UserRequest.self, UserRequest.CodingKeys.self, from: request)
            if wanted.state != nil {
                throw Problem(
                    .invalidRequest,
                    errors: [
                        .init(
                            field: "state",
                            message: "cannot be set because a new user is always active")
                    ])
            }
            var profile = AccountProfile(
                externalID: wanted.externalID, username: wanted.username,
                attributes: wanted.attributes ?? [:])
            profile.setEmail(wanted.email, isVerified: wanted.emailVerified ?? true)
            let id = try await accounts.create(
                profile, password: wanted.password.map { Sensitive($0) },
                isTest: wanted.isTest ?? false, actor: context.actor, app: nil,
                for: .administrator(context))
            return JSONBody.response(Self.answer(try await records.user(id)), status: .created)
        }
        router.get("users/:user") { _, context in
            JSONBody.response(Self.answer(try await records.user(context)))
        }
        router.patch("users/:user") { request, context in
            let account = try await records.user(context)
            let change = try await body.read(
                UserRequest.self, UserRequest.CodingKeys.self, from: request)
            guard change.isTest ?? account.isTest == account.isTest else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "is_test", message: "can be set for a new user only")])
            }
            return JSONBody.response(
                Self.answer(
                    try await accounts.update(
                        account.id, change, actor: context.actor, for: .administrator(context))))
        }
        router.post("users/:user/compromised") { _, context in
            let account = try await records.user(context)
            try await accounts.markCompromised(account.id, actor: context.actor)
            return Response(status: .noContent)
        }
        addSignIns(to: router)
        addGroups(to: router)
        router.get("users/:user/erasure") { _, context in
            let id = try await records.user(context).id
            let counts = try await store.read { try $0.export.counts(of: id) }
            return JSONBody.response(
                ErasurePreviewAnswer(
                    erased: counts.filter { !AccountExport.kept.contains($0.key) },
                    kept: counts.filter { AccountExport.kept.contains($0.key) }))
        }
        router.delete("users/:user") { _, context in
            try await accounts.delete(records.user(context).id, actor: context.actor)
            return Response(status: .noContent)
        }
    }

    private static func answer(_ record: AccountRecord) -> UserAnswer {
        let profile = record.profile.use { $0 }
        return UserAnswer(
            id: record.id.text, externalID: profile.externalID, username: profile.username,
            email: profile.email ?? profile.claimedEmail,
            emailVerified: profile.email != nil ? true : profile.claimedEmail != nil ? false : nil,
            state: .known(record.state),
            attributes: profile.attributes, createdAt: record.createdAt.milliseconds,
            isTest: record.isTest ? true : nil)
    }
}
