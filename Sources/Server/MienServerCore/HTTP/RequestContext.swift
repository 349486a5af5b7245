package import Hummingbird
internal import Logging
package import MienCore
internal import NIOCore

/// The context of a request to the server.
package struct MienRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The origin of the request: the other end of the connection, or what ``ClientMiddleware``
    /// found.
    package var client: ClientAddress
    /// The connection.
    let channel: any Channel
    /// The administrator whose credential the request has, once it is checked.
    package var administrator: AdminID?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        client = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) } ?? .unknown
    }
}
