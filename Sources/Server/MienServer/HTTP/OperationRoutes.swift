internal import Hummingbird
internal import MienCore
internal import MienStore
internal import NIOCore

/// Health, metrics, keys, the description of the API.
struct OperationRoutes {
    let store: Store
    let metrics: Metrics
    let issuer: TokenIssuer

    /// Health, signing keys, and the API description.
    func add(to router: Router<MienRequestContext>) {
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

    /// Counts such as mails sent tell accounts from made-up names, so only the admin listener
    /// serves them.
    func addMetrics(to router: Router<MienRequestContext>) {
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.text)))
        }
    }
}
