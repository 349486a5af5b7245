internal import HTTPTypes
internal import MienAPI
internal import MienCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Answers what is no HTTP with a problem document, and ends the connection: what follows on it
/// cannot be told apart any more.
final class MalformedRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Requests that came in and have no whole answer yet.
    private var open = 0
    /// Whether a request's end is still to come.
    private var isReading = false
    private var hasFailed = false

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
        // Whoever is reading the body hears of it, and answers; the connection ends after that.
        guard open == 0 else { return context.fireErrorCaught(error) }
        // It has its answer already, and may not get another.
        guard !isReading else { return ConnectionEnd.linger(context) }
        let problem = Self.problem(error), body = JSONBody.bytes(of: problem)
        let head = HTTPResponse(
            status: .init(code: problem.status),
            headerFields: [
                .contentType: "application/problem+json", .contentLength: String(body.count),
                .cacheControl: "no-store", .connection: "close",
                .contentTypeOptions: "nosniff", .requestID: RequestIdentity.made(),
            ])
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
                ? "the headers of a request are at most \(RequestLimits.headerBytes) bytes in \(RequestLimits.headers) fields here"
                : "this is not HTTP/1.1 as it is taken here")
    }
}

/// Text in a request's head that no component behind should have to handle.
enum HeadFault: String, Error {
    case path =
        "The address of a request holds printable ASCII only. Percent-encode other characters."
    case field = "A header field has too many combining marks in a row."

    /// RFC 3986 allows ASCII only in an address. In header fields proxies also send names in UTF-8,
    /// such as those of cities.
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

/// What the head of a request may hold.
enum RequestLimits {
    static let headerBytes = 16 * 1024
    static let headers = 100
}
