internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 §10.1.1): a client that asks waits with its body until
/// the server wants to read it, which is after it has checked the token and the length.
final class ExpectContinue: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Whether the client of the current request waits with its body.
    private var isWaited = false
    /// Whether the response is one to a client that still waits.
    private var isClosing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isWaited = Self.isExpected(head.headerFields)
        case .body, .end: isWaited = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isWaited && head.status.kind != .informational:
            // What follows on the connection could be the body or another request.
            (isWaited, isClosing) = (false, true)
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isClosing:
            isClosing = false
            context.write(data, promise: promise)
            ConnectionEnd.linger(context)
        default: context.write(data, promise: promise)
        }
    }

    private func ask(_ context: ChannelHandlerContext) {
        guard isWaited else { return }
        isWaited = false
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    /// Asks the client of a request for its body, if it waits with it.
    static func ask(for fields: HTTPFields) {
        guard isExpected(fields), let channel = RequestOrigin.current.channel else { return }
        channel.eventLoop.execute {
            guard
                let context = try? channel.pipeline.syncOperations.context(
                    handlerType: ExpectContinue.self)
            else { return }
            (context.handler as? ExpectContinue)?.ask(context)
        }
    }

    /// Other expectations are ignored, which the standard allows.
    private static func isExpected(_ fields: HTTPFields) -> Bool {
        fields[.expect]?.split(separator: ",").contains {
            $0.trimmingPrefix { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("100-continue")
        } ?? false
    }
}
