internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import NIOCore

/// The route at which servers ask each other to search their memory. For the listener of the cluster
/// only: it asks for no credential besides the certificate of a server.
package struct GalleryRoutes: Sendable {
    /// The path of the route.
    package static let path = "/v1/galleries/search"
    package static let contentType = "application/octet-stream"

    let worker: GalleryWorker
    let budget: BodyBudget

    /// - Parameter router: The group `v1` of the cluster's routes.
    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("galleries/search") { request, _ in
            let share = budget.share()
            let bytes = try await JSONBody.collect(
                request, upTo: GalleryMessage.maxBytes, share)
            guard let (query, parts) = GalleryMessage.query(bytes) else {
                throw Problem(.invalidRequest, "The body is no search of a gallery.")
            }
            let answer = try await worker.search(query, in: parts, loading: .behind)
            return Response(
                status: .ok, headers: [.contentType: Self.contentType, .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(bytes: GalleryMessage.bytes(of: answer))))
        }
    }
}
