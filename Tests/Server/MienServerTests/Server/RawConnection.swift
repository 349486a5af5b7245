import Foundation
import MienAPI
import MienCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// A raw HTTP response.
struct RawAnswer: Sendable {
    let status: Int
    /// Header fields with lowercase names.
    let headers: [String: String]
    let body: [UInt8]

    var json: JSONValue {
        get throws { try JSONText.parse(body, limits: .init(maxBytes: 1 << 20, maxDepth: 32)) }
    }

    /// Checks the response against RFC 9457 and the headers that every response must have.
    @discardableResult
    func expect(
        _ code: ProblemCode, _ what: String = "", at location: SourceLocation = #_sourceLocation
    ) throws -> Problem {
        #expect(
            headers["content-type"] == "application/problem+json", "\(what): \(status)",
            sourceLocation: location)
        #expect(headers["x-request-id"]?.isEmpty == false, sourceLocation: location)
        #expect(
            headers["x-content-type-options"] == "nosniff"
                && headers["cache-control"] == "no-store", sourceLocation: location)
        let problem = try JSONDecoder().decode(Problem.self, from: Data(body))
        #expect(
            problem.code == code && problem.status == status && status == code.status,
            "\(what): \(problem)", sourceLocation: location)
        #expect(
            problem.type == "https://mien.dev/problems/\(code.rawValue)" && !problem.detail.isEmpty,
            sourceLocation: location)
        return problem
    }
}

/// A connection that sends exactly the given bytes, valid HTTP or not, and returns responses as
/// they arrive.
final class RawConnection: Sendable {
    /// The server sent nothing for a minute and kept the connection open.
    struct Silence: Error {}
    /// The server closed the connection instead of responding.
    struct HungUp: Error {}
    /// The server's bytes are not an HTTP response.
    struct Unreadable: Error {}

    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var error: (any Error)?
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())
    private let channel = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - address: `http://host:port`, or `https://` with `tls`.
    ///   - source: the address to connect from, e.g. `127.0.0.2`; by default, the system's choice.
    static func open(_ address: String, tls: NIOSSLContext? = nil, from source: String? = nil)
        async throws -> RawConnection
    {
        let url = try #require(URLComponents(string: address)), host = try #require(url.host),
            port = try #require(url.port)
        let connection = RawConnection()
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        if let source {
            bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0))
        }
        let channel =
            try await bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(Receiver(connection))
                }
            }
            .connect(host: host, port: port).get()
        connection.channel.withLock { $0 = channel }
        return connection
    }

    deinit { channel.withLock { $0 }?.close(promise: nil) }

    func close() async throws { try? await channel.withLock { $0 }?.close() }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        guard let channel = channel.withLock({ $0 }) else { return }
        try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
    }

    /// Sends a complete request.
    func request(
        _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: [UInt8] = []
    ) async throws -> RawAnswer {
        var text = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { text += "content-length: \(body.count)\r\n" }
        try await send(Array((text + "\r\n").utf8) + body)
        guard let answer = try await answer(to: method) else { throw HungUp() }
        return answer
    }

    func post(_ path: String, _ json: String, _ headers: [String: String] = [:]) async throws
        -> RawAnswer
    {
        try await request(
            "POST", path, ["content-type": "application/json"].merging(headers) { $1 },
            Array(json.utf8))
    }

    /// Returns the next response; `nil` if the server has closed the connection.
    func answer(to method: String = "GET") async throws -> RawAnswer? {
        while true {
            let (found, seen) = try state.withLock { state in
                (try Self.parse(&state.bytes, hasBody: method != "HEAD"), state.bytes.count)
            }
            if let found { return found }
            if try isClosed() { return nil }
            await more(than: seen)
        }
    }

    var hasReceived: Bool { state.withLock { !$0.bytes.isEmpty } }

    /// Waits until the server has closed the connection.
    func closed() async throws {
        while true {
            let seen = state.withLock { $0.bytes.count }
            if try isClosed() { return }
            await more(than: seen)
        }
    }

    private func isClosed() throws -> Bool {
        try state.withLock { state in
            if let error = state.error { throw error }
            return state.isClosed
        }
    }

    private func more(than before: Int) async {
        let loop = channel.withLock { $0 }!.eventLoop
        let patience = loop.scheduleTask(in: .seconds(60)) { [weak self] in
            self?.resume { $0.error = Silence() }
        }
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state -> Bool in
                guard state.bytes.count == before, !state.isClosed, state.error == nil else {
                    return true
                }
                state.waiting = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
        patience.cancel()
    }

    private func resume(_ change: (inout State) -> Void) {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }?.resume()
    }

    private static func parse(_ bytes: inout [UInt8], hasBody: Bool) throws -> RawAnswer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(
            separatedBy: "\r\n")
        let first = lines[0].split(separator: " ")
        guard first.count >= 2, first[0] == "HTTP/1.1", let status = Int(first[1]) else {
            throw Unreadable()
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Unreadable() }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
                .trimmingCharacters(in: .whitespaces)
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        guard bytes.count >= end.upperBound + length else { return nil }
        let body = Array(bytes[end.upperBound..<(end.upperBound + length)])
        bytes.removeFirst(end.upperBound + length)
        return RawAnswer(status: status, headers: headers, body: body)
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let connection: RawConnection

        init(_ connection: RawConnection) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            connection.resume { $0.bytes.append(contentsOf: buffer.readableBytesView) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            connection.resume { $0.isClosed = true }
            context.fireChannelInactive()
        }

        /// A reset by the server and a failed handshake arrive as errors.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            connection.resume {
                if error is NIOSSLError { $0.error = error } else { $0.isClosed = true }
            }
            context.close(promise: nil)
        }
    }
}
