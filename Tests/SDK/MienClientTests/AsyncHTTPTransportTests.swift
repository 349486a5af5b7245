import MienClient
import NIOCore
import NIOPosix
import Testing

private final class Answer: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let text: String, closes: Bool
    init(_ text: String, _ closes: Bool) { (self.text, self.closes) = (text, closes) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel, closes = closes
        guard !text.isEmpty || closes else { return }
        channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in
            if closes { channel.close(promise: nil) }
        }
    }
}

/// Answers every connection with the same bytes, whatever the request.
private func withServer<T>(
    _ answer: String, closes: Bool = true, _ body: (_ url: String) async throws -> T
) async throws -> T {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .childChannelInitializer { channel in channel.pipeline.addHandler(Answer(answer, closes)) }
        .bind(host: "127.0.0.1", port: 0).get()
    do {
        let result = try await body("http://127.0.0.1:\(server.localAddress!.port!)/v1/x")
        try await server.close()
        return result
    } catch {
        try? await server.close()
        throw error
    }
}

@Suite("The transport")
struct AsyncHTTPTransportTests {
    private let transport = AsyncHTTPTransport()

    private func send(_ url: String, timeout: Duration = .seconds(5)) async throws
        -> HTTPTransportResponse
    {
        try await transport.send(
            HTTPTransportRequest(method: .get, url: url, timeout: timeout, maxAnswerBytes: 1000))
    }

    private func code(_ url: String, timeout: Duration = .seconds(5)) async -> HTTPTransportError
        .Code?
    {
        do {
            _ = try await send(url, timeout: timeout)
            return nil
        } catch { return (error as? HTTPTransportError)?.code }
    }

    @Test("a response is returned with its status, headers, and body")
    func answer() async throws {
        let response = try await withServer(
            "HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nhi"
        ) { try await send($0) }
        #expect(response.status == 429)
        #expect(response.headers["retry-after"] == "7")
        #expect(response.body == Array("hi".utf8))
    }

    @Test("redirects are returned as responses")
    func redirect() async throws {
        let response = try await withServer(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        ) { try await send($0) }
        #expect(response.status == 302)
    }

    @Test("a body that is too large is not read, with or without a Content-Length")
    func tooLarge() async throws {
        let body = String(repeating: "x", count: 1001)
        let told = try await withServer("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + body) {
            await code($0)
        }
        let untold = try await withServer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body) {
            await code($0)
        }
        let exact = try await withServer(
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + body.dropLast()
        ) { await code($0) }
        #expect(told == .answerTooLarge && untold == .answerTooLarge && exact == nil)
    }

    @Test("no server, no response, and half a response are reported as different errors")
    func faults() async throws {
        let gone = try await withServer("") { $0 }
        #expect(await code(gone) == .unreachable)
        #expect(try await withServer("") { await code($0) } == .interrupted)
        #expect(
            try await withServer("", closes: false) { await code($0, timeout: .milliseconds(200)) }
                == .timedOut)
        #expect(
            try await withServer("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", closes: false)
            { await code($0, timeout: .milliseconds(300)) }
                == .timedOut)
    }

    @Test("canceling the task ends the request")
    func cancelled() async throws {
        try await withServer("", closes: false) { url in
            let task = Task { try await send(url) }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
