package import Hummingbird
internal import MienAPI
internal import MienCore
package import MienStore
internal import NIOCore

/// Routes for health, metrics, signing keys, and the API description.
package struct OperationRoutes {
    let registry: PrometheusRegistry
    let issuer: TokenIssuer
    private let readiness: Readiness

    package init(
        store: Store, registry: PrometheusRegistry, issuer: TokenIssuer, clock: ServerClock
    ) {
        (self.registry, self.issuer) = (registry, issuer)
        readiness = Readiness(store: store, clock: clock)
    }

    /// Adds the routes for health, signing keys, and the API description.
    package func add(to router: Router<MienRequestContext>) {
        router.get("healthz") { _, _ in JSONBody.response(["status": "alive"]) }
        router.get("readyz") { _, _ in
            guard await readiness.isReady() else {
                return ProblemMiddleware.response(
                    Problem(.unavailable, "The server cannot read or write its database."),
                    retryAfter: .seconds(4))
            }
            return JSONBody.response(["status": "ready"])
        }
        router.get(".well-known/jwks.json") { _, _ in
            var response = JSONBody.response(issuer.keySet)
            response.headers[.cacheControl] = "public, max-age=300"
            return response
        }
        router.get("openapi.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: OpenAPIDocument.text)))
        }
    }

    /// Adds the metrics route. Counts such as mails sent distinguish accounts from invented names,
    /// so only the admin listener serves them.
    package func addMetrics(
        to router: Router<MienRequestContext>, gauges: ServerGauges
    ) {
        router.get("metrics") { _, _ in
            gauges.read()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: registry.text)))
        }
    }
}
