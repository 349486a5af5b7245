package import Hummingbird

/// The admin portal at `/admin` of the listener `admin.listen`.
///
/// Its scripts call the documented admin API on the same origin, so the portal can do nothing that
/// the API cannot, and roles are enforced there.
package struct AdminPortal: Sendable {
    private let site = PortalSite(page: PortalFiles.page, files: PortalAssets.files)

    package func add(to router: Router<MienRequestContext>) {
        router.get("admin") { request, _ in site.page(to: request) }
        site.addFiles(to: router, at: "admin/assets")
        // The page itself says that an address does not exist.
        router.get("admin/**") { request, _ in site.page(to: request) }
    }
}
