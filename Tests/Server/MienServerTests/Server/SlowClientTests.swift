import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

/// Slow clients, with a limit of three seconds: delays of a busy machine stay below it.
@Suite("Abuse: slow clients, many connections", .enabled(if: Installed.isThere, Installed.reason))
struct SlowClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "trickling heads and bodies and silent connections are cut off while others are served")
    func trickle() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_REQUEST_SECONDS": "3"]) {
            server in
            let head =
                "POST /v1/journeys/password-login/start HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (start, drop) in [
                    ("", ""), (head, " "), ("GET /healthz HTTP/1.1\r\nx-a: ", "a"),
                    ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n"),
                ] {
                    tasks.addTask {
                        let connection = try await RawConnection.open(server.address),
                            begun = ContinuousClock.now
                        if !start.isEmpty { try await connection.send(start) }
                        // One byte at a time, for much longer than allowed.
                        for _ in 0..<300 {
                            try? await Task.sleep(for: .milliseconds(100))
                            guard !drop.isEmpty else { break }
                            do { try await connection.send(drop) } catch { break }
                        }
                        try await connection.closed()
                        #expect(
                            ContinuousClock.now - begun < .seconds(25),
                            "cut off before the trickle ended"
                        )
                    }
                }
                tasks.addTask {
                    for _ in 0..<10 {
                        let connection = try await RawConnection.open(server.address)
                        #expect(try await connection.request("GET", "/healthz").status == 200)
                        try await Task.sleep(for: .milliseconds(300))
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test("a client that does not read responses is cut off, and other requests are served")
    func deaf() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_REQUEST_SECONDS": "3"]) {
            server in
            let deaf = try DeafClient(server.address)
            // Each request has 10 KB and each response 90 KB, so the system's buffers for a
            // connection fill up soon.
            let request =
                "GET /openapi.json HTTP/1.1\r\nhost: a\r\nx-a: \(String(repeating: "a", count: 10_000))\r\n\r\n"
            let cut = try await Task.detached { try deaf.sendUntilClosed(request, max: 20_000) }
                .value
            #expect(cut, "the server stopped reading requests")
            let connection = try await RawConnection.open(server.address)
            #expect(try await connection.request("GET", "/healthz").status == 200)
        }
    }

    @Test("connections beyond the limit wait, and are served when others close")
    func connections() async throws {
        let limit = 8
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_CONNECTIONS": "\(limit)"]) {
            server in
            // The test server's own client holds connections, too.
            var held: [RawConnection] = []
            for _ in 0..<limit * 8 { held.append(try await RawConnection.open(server.address)) }
            for connection in held {
                try await connection.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
            }
            let connections = held
            let served = try await withThrowingTaskGroup(of: Int?.self) { tasks in
                for (number, connection) in connections.enumerated() {
                    tasks.addTask {
                        guard let answer = try await connection.answer() else { return nil }
                        #expect(answer.status == 200)
                        try await connection.close()
                        return number
                    }
                }
                var served: Set<Int> = []
                for try await number in tasks { if let number { served.insert(number) } }
                return served
            }
            #expect(served.count == connections.count, "all were served, one after another")
        }
    }

    @Test(
        "connections per address are limited; further ones get an error, and are served when others close"
    )
    func ofOneAddress() async throws {
        let limit = 6
        try await TestServer.run(
            in: scratch, settings: ["MIEN_LIMIT_CONNECTIONS_PER_ADDRESS": "\(limit)"]
        ) { server in
            var held: [RawConnection] = [], refused = 0
            // The test server's own client holds connections, too.
            for _ in 0..<limit * 3 {
                let connection = try await RawConnection.open(server.address)
                // A refused connection gets its error before it sends a request, and may be closed
                // by then.
                try? await connection.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
                let answer = try #require(try await connection.answer())
                if answer.status == 200 {
                    held.append(connection)
                } else {
                    refused += 1
                    #expect(
                        try answer.status == 429
                            && answer.json["detail"]?.stringValue?.contains("\(limit) connections")
                                == true
                    )
                    try await connection.closed()
                }
            }
            #expect((1...limit).contains(held.count) && refused == limit * 3 - held.count)
            for connection in held { try await connection.close() }
            let status = try await Patience.see {
                let connection = try await RawConnection.open(server.address)
                try? await connection.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
                let status = try await connection.answer()?.status ?? 0
                try await connection.close()
                return status
            } until: {
                $0 != 429
            }
            #expect(status == 200)
        }
    }

    @Test(
        "while the maximum number of connections is held, others get no response; afterward they do"
    )
    func waiting() async throws {
        let limit = 4
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_CONNECTIONS": "\(limit)"]) {
            server in
            var served: [RawConnection] = [], waiting: [RawConnection] = []
            for _ in 0..<limit * 20 {
                let connection = try await RawConnection.open(server.address)
                try await connection.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
                waiting.append(connection)
            }
            try await Task.sleep(for: .seconds(1))
            for connection in waiting where connection.hasReceived { served.append(connection) }
            waiting.removeAll { $0.hasReceived }
            // The server accepts in batches, so it may be a few more than the limit.
            #expect(
                served.count <= limit + 16 && waiting.count >= limit * 20 - limit - 16,
                "\(served.count) at once")
            for connection in served { try await connection.close() }
            for connection in waiting {
                #expect(try await connection.answer()?.status == 200)
                try await connection.close()
            }
        }
    }
}

/// A client that sends requests and never reads.
private final class DeafClient: Sendable {
    private let descriptor: Int32

    init(_ address: String) throws {
        let url = try #require(URLComponents(string: address)), port = try #require(url.port)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = in_port_t(port).bigEndian
        socketAddress.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        // A send that blocks for half a minute has failed.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: Whether the server closed the connection before it had received all requests.
    func sendUntilClosed(_ request: String, max: Int) throws -> Bool {
        let bytes = Array(request.utf8)
        for _ in 0..<max {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return errno == ECONNRESET || errno == EPIPE }
                rest = rest.dropFirst(sent)
            }
        }
        return false
    }
}
