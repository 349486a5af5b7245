package import Hummingbird
internal import MienAPI
package import MienServerCore

/// The routes of the admin API for faces.
package struct FaceAdminRoutes {
    let migration: FaceMigration

    package init(migration: FaceMigration) { self.migration = migration }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("faces/migration") { _, _ in
            JSONBody.response(try await migration.status())
        }
    }
}
