package import Hummingbird
internal import MienAPI

/// The routes of the admin API for the master keys: their use, rotation, and removal.
package struct MasterKeyRoutes {
    let rotation: MasterKeyRotation

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("master-keys") { _, _ in JSONBody.response(try await rotation.status()) }
        router.post("master-keys") { _, context in
            JSONBody.response(try await rotation.rotate(by: context.actor), status: .created)
        }
        router.delete("master-keys/:version") { _, context in
            let text = try context.parameters.require("version")
            guard let version = UInt32(text) else {
                throw Problem(
                    .invalidRequest,
                    errors: [.init(field: "version", message: "must be the version of a key")])
            }
            try await rotation.remove(version: version, by: context.actor)
            return Response(status: .noContent)
        }
    }
}
