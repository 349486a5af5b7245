internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, byte by byte for instance, or
/// to take an answer.
///
/// The idle time that Hummingbird watches begins anew with every part of a body, so that a byte now
/// and then would hold a connection for ever.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    /// When the request that is being read has to be whole.
    private var read: NIODeadline?
    /// When the client has to have taken some of what waits to be written.
    private var write: NIODeadline?
    /// One timer for many requests: it looks at the deadlines when it fires.
    private var timer: Scheduled<Void>?

    init(seconds: Int) { limit = .seconds(Int64(seconds)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            read = .now() + limit
            watch(context)
        case .body: break
        case .end: read = nil
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        write = context.channel.isWritable ? nil : .now() + limit
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil, let deadline = [read, write].compactMap({ $0 }).min() else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            if [read, write].contains(where: { $0.map { $0 <= .now() } ?? false }) {
                context.close(promise: nil)
            } else {
                watch(context)
            }
        }
    }
}
