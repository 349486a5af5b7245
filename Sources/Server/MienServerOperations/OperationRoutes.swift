package import Hummingbird
internal import MienCore
package import MienServerAccess
package import MienServerCore
package import MienStore
internal import NIOCore

/// Routes for health, metrics, signing keys, and the API description.
package struct OperationRoutes {
    let store: Store
    let registry: PrometheusRegistry
    let issuer: TokenIssuer

    package init(store: Store, registry: PrometheusRegistry, issuer: TokenIssuer) {
        (self.store, self.registry, self.issuer) = (store, registry, issuer)
    }

    /// Adds the routes for health, signing keys, and the API description.
    package func add(to router: Router<MienRequestContext>) {
        router.get("healthz") { _, _ in JSONBody.response(["status": "alive"]) }
        router.get("readyz") { _, _ in
            _ = try await store.read { try $0.admins.isEmpty() }
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
