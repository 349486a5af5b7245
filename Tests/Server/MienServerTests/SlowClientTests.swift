import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

/// Clients that take their time, with a limit of three seconds: a busy machine's own delays stay
/// under it.
@Suite("Abuse: slow clients, many connections", .enabled(if: Installed.isThere, Installed.reason))
struct SlowClientTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "a head or a body that trickles, a connection without a word: cut, while others are served")
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
                        // A byte now and then, for much longer than it may take.
                        for _ in 0..<300 {
                            try? await Task.sleep(for: .milliseconds(100))
                            guard !drop.isEmpty else { break }
                            do { try await connection.send(drop) } catch { break }
                        }
                        try await connection.closed()
                        #expect(
                            ContinuousClock.now - begun < .seconds(25), "not as long as it trickled"
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

    @Test("one that takes no answers is cut; asking goes on being served")
    func deaf() async throws {
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_REQUEST_SECONDS": "3"]) {
            server in
            let deaf = try DeafClient(server.address)
            // Each request is 10 KB and each answer 90: what the system keeps for a connection is
            // full soon.
            let request =
                "GET /openapi.json HTTP/1.1\r\nhost: a\r\nx-a: \(String(repeating: "a", count: 10_000))\r\n\r\n"
            let cut = try await Task.detached { try deaf.askUntilCut(request, most: 20_000) }.value
            #expect(cut, "the server did not take requests without end")
            let connection = try await RawConnection.open(server.address)
            #expect(try await connection.request("GET", "/healthz").status == 200)
        }
    }

    @Test("connections beyond the limit wait and are served when others go")
    func connections() async throws {
        let limit = 8
        try await TestServer.run(in: scratch, settings: ["MIEN_LIMIT_CONNECTIONS": "\(limit)"]) {
            server in
            // Those the test server's own client holds count, too.
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
        "one address has so many connections and no more: further ones are told, and served when others go"
    )
    func ofOneAddress() async throws {
        let limit = 6
        try await TestServer.run(
            in: scratch, settings: ["MIEN_LIMIT_CONNECTIONS_PER_ADDRESS": "\(limit)"]
        ) { server in
            var held: [RawConnection] = [], refused = 0
            // Those the test server's own client holds count, too.
            for _ in 0..<limit * 3 {
                let connection = try await RawConnection.open(server.address)
                // One that is refused is told before it asks, and may be closed by then.
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
            var status = 429
            for _ in 0..<100 where status == 429 {
                try await Task.sleep(for: .milliseconds(50))
                let connection = try await RawConnection.open(server.address)
                try? await connection.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
                status = try await connection.answer()?.status ?? 0
                try await connection.close()
            }
            #expect(status == 200)
        }
    }

    @Test("while as many connections as are allowed are held, others get no answer; then they do")
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
            // It accepts in batches, so it may be a few more than the limit.
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

/// Sends requests and never reads.
private final class DeafClient: Sendable {
    private let descriptor: Int32

    init(_ address: String) throws {
        let url = try #require(URLComponents(string: address)), port = try #require(url.port)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        // A send that has waited for half a minute has failed.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: whether the server ended the connection before it had all of them.
    func askUntilCut(_ request: String, most: Int) throws -> Bool {
        let bytes = Array(request.utf8)
        for _ in 0..<most {
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
