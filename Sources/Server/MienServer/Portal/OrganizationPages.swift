package import Hummingbird

/// The pages at `/organization` of the public listener, for administrators of organizations and for
/// people who were invited.
///
/// They share the modules of the admin portal, and call the documented routes below
/// `/organization/api` only.
package struct OrganizationPages: Sendable {
    private let site = PortalSite(
        page: PortalFiles.organizationPage, files: PortalAssets.organization)
    private let isSignedIn: @Sendable (Request) async throws -> Bool
    private let signIn:
        @Sendable (Request, MienRequestContext, _ back: String) async throws -> Response

    /// - Parameters:
    ///   - isSignedIn: Whether the browser of a request has a session.
    ///   - signIn: Begins a sign-in that leads back to an address of this server.
    package init(
        isSignedIn: @escaping @Sendable (Request) async throws -> Bool,
        signIn:
            @escaping @Sendable (Request, MienRequestContext, _ back: String) async throws ->
            Response
    ) { (self.isSignedIn, self.signIn) = (isSignedIn, signIn) }

    package func add(to router: Router<MienRequestContext>) {
        site.addFiles(to: router, at: "organization/assets")
        for path in [
            "organization", "organization/:organization",
            "organization/:organization/members/:user",
        ] {
            router.get(RouterPath(path)) { request, context in
                guard try await isSignedIn(request) else {
                    return try await signIn(request, context, request.uri.path)
                }
                return site.page(to: request)
            }
        }
        // For a change that needs a recent sign-in.
        router.get("organization/sign-in") { request, context in
            let back = request.uri.queryParameters["back"].map { String($0) } ?? Self.home
            return try await signIn(request, context, Self.isOwn(back) ? back : Self.home)
        }
    }

    private static let home = "/organization"

    /// Whether an address is one of these pages.
    private static func isOwn(_ path: String) -> Bool {
        (path == home || path.hasPrefix(home + "/")) && !path.contains("..")
            && !path.hasPrefix(home + "/api") && !path.hasPrefix(home + "/sign-in")
    }
}
