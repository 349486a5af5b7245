package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for groups of apps that share faces.
package struct FaceGroupRoutes {
    let groups: FaceGroups
    let store: Store
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("face-groups") { request, _ in
            let page = try AdminPage<FaceGroupKind>(request)
            let found = try await page.read(from: store) { tables, last, count in
                try tables.faceGroups.page(after: last, count: count).map {
                    ($0, try tables.faceGroups.people(sharing: $0.id))
                }
            }
            return JSONBody.response(
                page.answer(found, id: { $0.0.id }) { Self.answer($0.0, people: $0.1) })
        }
        router.post("face-groups") { request, context in
            let group = try await groups.create(content(request), actor: context.actor)
            return JSONBody.response(try await answer(group), status: .created)
        }
        router.get("face-groups/:facegroup") { _, context in
            let id = try Self.id(context)
            guard let group = try await store.read({ try $0.faceGroups.find(id) }) else {
                throw FaceGroups.noGroup
            }
            return JSONBody.response(try await answer(group))
        }
        router.put("face-groups/:facegroup") { request, context in
            let group = try await groups.change(
                Self.id(context), to: content(request), actor: context.actor)
            return JSONBody.response(try await answer(group))
        }
        router.delete("face-groups/:facegroup") { _, context in
            try await groups.delete(Self.id(context), actor: context.actor)
            return Response(status: .noContent)
        }
    }

    private func content(_ request: Request) async throws -> FaceGroups.Content {
        try FaceGroups.Content(
            await body.read(
                FaceGroupRequest.self, FaceGroupRequest.CodingKeys.self, from: request))
    }

    private static func id(_ context: MienRequestContext) throws -> FaceGroupID {
        try FaceGroupID(context.parameters.require("facegroup"), field: "facegroup")
    }

    private func answer(_ group: FaceGroupRecord) async throws -> FaceGroupAnswer {
        let people = try await store.read { try $0.faceGroups.people(sharing: group.id) }
        return Self.answer(group, people: people)
    }

    private static func answer(_ group: FaceGroupRecord, people: Int) -> FaceGroupAnswer {
        FaceGroupAnswer(
            id: group.id.text, name: group.name, appIDs: group.apps.keys.sorted().map(\.text),
            maxAge: Int(group.maxAge.components.seconds), version: group.version, people: people,
            createdAt: group.createdAt.milliseconds)
    }
}
