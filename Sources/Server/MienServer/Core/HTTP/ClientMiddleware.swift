internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import MienCore
internal import Synchronization

/// Determines the origin of a request once, for the limits and queues behind it.
package struct ClientMiddleware: RouterMiddleware {
    let proxy: TrustedProxy?

    /// - Parameter isServer: Whether another server passes requests on, and not a proxy.
    package init(trustsProxy: Bool, isServer: Bool = false) {
        proxy = trustsProxy ? TrustedProxy(warns: !isServer) : nil
    }

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let noted = proxy?.client(of: request, context.logger) { context.client = noted }
        let origin = RequestOrigin(
            address: context.client.key, network: context.client.network,
            channel: context.channel, facts: context.facts)
        return try await RequestOrigin.$current.withValue(origin) { [context] in
            try await next(request, context)
        }
    }
}

/// A proxy in front of the server, which notes the address of its client.
final class TrustedProxy: Sendable {
    /// A fault counts all clients as one, so it must show; a line per request would fill the log.
    private static let silence = Duration.seconds(60)
    /// Probes of a balancer come from itself.
    private static let probes = ["/healthz", "/readyz"]

    private let warns: Bool
    private let quietUntil = Mutex<ContinuousClock.Instant?>(nil)

    init(warns: Bool) { self.warns = warns }

    /// Returns the last address in the header, which the trusted proxy added. Earlier addresses
    /// come from the client and are not trusted.
    ///
    /// - Returns: `nil` if the header is missing or its last entry is no address. The address of the
    ///   proxy then counts, and the log says so, at most once a minute.
    func client(of request: Request, _ logger: Logger) -> ClientAddress? {
        let text = request.headers[.forwardedFor] ?? ""
        let last = text.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
        if let found = ClientAddress(forwarded: last.trimmingCharacters(in: .whitespaces)) {
            return found
        }
        if warns, !text.isEmpty || !Self.probes.contains(request.uri.path) {
            warn(logger, !text.isEmpty)
        }
        return nil
    }

    private func warn(_ logger: Logger, _ isThere: Bool) {
        let isQuiet = quietUntil.withLock { until in
            let now = ContinuousClock.now
            if let until, now < until { return true }
            until = now + Self.silence
            return false
        }
        guard !isQuiet else { return }
        // Not what the header says: it may be an address, or anything that a client sent.
        logger.warning(
            isThere
                ? "the last entry of x-forwarded-for is not an address, so limits count this client as the proxy. Let the proxy write the client's address, such as 192.0.2.1, 192.0.2.1:50000, or [2001:db8::1]:50000, or set trust_proxy to false"
                : "a request has no x-forwarded-for, so limits count its client as the proxy. Let the proxy write the header, keep others from connecting directly, or set trust_proxy to false"
        )
    }
}
