internal import HTTPTypes
internal import Logging
internal import MienAPI
internal import MienCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Responds to malformed HTTP with a problem document and closes the connection, because the data
/// that follows cannot be parsed reliably.
final class MalformedRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The number of received requests without a complete response.
    private var open = 0
    /// Whether a request has not been received completely.
    private var isReading = false
    private var hasFailed = false
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let fault = HeadFault(head) { return errorCaught(context: context, error: fault) }
            (open, isReading) = (open + 1, true)
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasFailed else { return }
        guard error is HTTPParserError || error is HTTP1TypeConversionError || error is HeadFault
        else { return context.fireErrorCaught(error) }
        hasFailed = true
        // The reader of the body gets the error and responds. The connection closes after that.
        guard open == 0 else { return context.fireErrorCaught(error) }
        // The request already has its response and must not get another.
        guard !isReading else { return ConnectionEnd.linger(context) }
        let (head, body) = ProblemMiddleware.closing(Self.problem(error), logger)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        ConnectionEnd.linger(context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        open -= 1
        context.write(data, promise: promise)
        if hasFailed, open == 0 { ConnectionEnd.linger(context) }
    }

    static func problem(_ error: any Error) -> Problem {
        if let fault = error as? HeadFault { return Problem(.invalidRequest, fault.rawValue) }
        return Problem(
            .invalidRequest,
            error as? HTTPParserError == .headerOverflow
                ? "The headers of a request may have at most \(RequestLimits.headerBytes) bytes in \(RequestLimits.headers) fields."
                : "The request is not valid HTTP/1.1.")
    }
}

/// A fault in a request's head that later components should not have to handle.
enum HeadFault: String, Error {
    case path =
        "The address of a request may contain only printable ASCII. Percent-encode other characters."
    case field = "A header field has too many combining marks in a row."

    /// RFC 3986 allows only ASCII in an address. Header fields may contain UTF-8, because proxies
    /// send names in it, such as those of cities.
    init?(_ head: HTTPRequest) {
        if let path = head.path, !path.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            self = .path
        } else if !head.headerFields.allSatisfy({ $0.value.isStreamSafe })
            || head.authority?.isStreamSafe == false
        {
            self = .field
        } else {
            return nil
        }
    }
}

/// The limits of the head of a request.
enum RequestLimits {
    static let headerBytes = 16 * 1024
    static let headers = 100
}
