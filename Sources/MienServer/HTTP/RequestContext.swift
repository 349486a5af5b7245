internal import Hummingbird
internal import Logging
internal import MienCore
internal import MienStore
internal import NIOCore

/// What the server knows of a request.
struct MienRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Where it comes from; "" when that is not known, as in tests without a network.
    let address: String
    /// Set by ``AdminOnly``.
    var admin: AdminRecord?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? ""
    }
}
