internal import HTTPTypes
package import Hummingbird

/// Tells browsers to keep every response to itself: nothing loads or frames it, no address leaks
/// from it, and the host stays on HTTPS.
///
/// A page that sets its own policy keeps it. Source: OWASP ASVS 5.0.0, V3.4.
package struct BrowserDefense: RouterMiddleware {
    let publicURL: @Sendable () -> String

    /// A year, in seconds.
    private static let strictTransport = "max-age=31536000; includeSubDomains"

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] =
                "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
        }
        if response.headers[.referrerPolicy] == nil {
            response.headers[.referrerPolicy] = "no-referrer"
        }
        if publicURL().hasPrefix("https://") {
            response.headers[.strictTransportSecurity] = Self.strictTransport
        }
        return response
    }
}

extension HTTPField.Name {
    static let referrerPolicy = Self("referrer-policy")!
}
