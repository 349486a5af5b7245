internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, for example byte by byte, or
/// to receive a response, and one that sends a large body too slowly.
///
/// Hummingbird's idle timeout restarts with every part of a body, so an occasional byte would hold
/// a connection forever.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A body that counts against the budget of all must grow by this many bytes a second, so that a
    /// client cannot hold memory with one that it never completes.
    static let bytesPerSecond = 4096
    /// The time over which the rate is measured. A phone that changes its network stays silent for
    /// some seconds.
    private static let pace = 10

    private let limit: TimeAmount
    private let window: Int
    /// The deadline for receiving the current request completely.
    private var read: NIODeadline?
    /// The deadline for the client to receive some of the pending output.
    private var write: NIODeadline?
    /// When the growth of the current body is judged next.
    private var growth: NIODeadline?
    /// The bytes of the body, and how many of them had arrived at the last judgment.
    private var received = 0, judged = 0
    /// Whether the server waits for the client.
    private var isAwaited = false
    /// One timer serves many requests. It checks the deadlines when it fires.
    private var timer: Scheduled<Void>?

    init(seconds: Int) {
        limit = .seconds(Int64(seconds))
        window = max(1, min(Self.pace, seconds / 3))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            read = .now() + limit
            (growth, received, judged) = (nil, 0, 0)
            watch(context)
        case .body(let part):
            received += part.readableBytes
            if growth == nil, received > BodyBudget.free {
                judged = received
                growth = .now() + .seconds(Int64(window))
                watch(context)
            }
        case .end: (read, growth) = (nil, nil)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        isAwaited = true
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isAwaited = false
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        write = context.channel.isWritable ? nil : .now() + limit
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func watch(_ context: ChannelHandlerContext) {
        guard let deadline = [read, write, growth].compactMap({ $0 }).min() else { return }
        if let timer {
            guard growth == deadline else { return }
            timer.cancel()
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            if [read, write].contains(where: { $0.map { $0 <= .now() } ?? false })
                || growth.map({ $0 <= .now() && isTooSlow() }) ?? false
            {
                context.close(promise: nil)
            } else {
                watch(context)
            }
        }
    }

    /// Judges the growth of the body since the last time.
    private func isTooSlow() -> Bool {
        // A server that did not read is not the client's fault.
        let isTooSlow = isAwaited && received - judged < window * Self.bytesPerSecond
        judged = received
        growth = .now() + .seconds(Int64(window))
        return isTooSlow
    }
}
