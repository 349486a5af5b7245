internal import Hummingbird
internal import Logging
internal import MienCore
internal import NIOCore

/// The context of a request to the server.
struct MienRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The origin of the request: the other end of the connection, or what ``ClientMiddleware``
    /// found.
    var client: ClientAddress
    /// The connection.
    let channel: any Channel
    /// The administrator whose credential the request has, once it is checked.
    var administrator: AdminID?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        client = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) } ?? .unknown
    }
}
