internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, for example byte by byte, or
/// to receive a response.
///
/// Hummingbird's idle timeout restarts with every part of a body, so an occasional byte would hold
/// a connection forever.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    /// The deadline for receiving the current request completely.
    private var read: NIODeadline?
    /// The deadline for the client to receive some of the pending output.
    private var write: NIODeadline?
    /// One timer serves many requests. It checks the deadlines when it fires.
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
