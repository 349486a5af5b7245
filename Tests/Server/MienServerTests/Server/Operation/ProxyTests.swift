import Foundation
import MienCore
import MienTesting
import Testing

/// A real server behind proxies and balancers.
@Suite("Proxies and probes", .enabled(if: Installed.isThere, Installed.reason))
struct ProxyTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let start = "/v1/journeys/password-login/start"
    private static let body = #"{"client_id": "default_application"}"#

    @Test(
        "clients of a proxy that notes ports and brackets are told apart; what cannot be read is logged"
    )
    func forwarded() async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_TRUST_PROXY": "true", "MIEN_LIMIT_STARTS_PER_MINUTE": "5"])
        let connection = try await RawConnection.open(server.address)
        func statuses(_ address: (Int) -> String) async throws -> [Int] {
            var statuses: [Int] = []
            for i in 0..<10 {
                statuses.append(
                    try await connection.post(
                        Self.start, Self.body, ["x-forwarded-for": address(i)]
                    ).status)
            }
            return statuses
        }
        let all = Array(repeating: 200, count: 10)
        #expect(try await statuses { "198.51.100.\($0)" } == all)
        #expect(try await statuses { "203.0.113.\($0):\(50_000 + $0)" } == all)
        #expect(
            try await statuses { "[2001:db8:\(String($0, radix: 16))::1]:\(50_000 + $0)" } == all)
        #expect(try await statuses { "192.0.2.1, \"[2001:db8:1\($0)::1]\"" } == all)
        #expect(try server.err.contains("x-forwarded-for") == false)
        // One client, whatever it claims to be.
        let claimed = try await statuses { "192.0.2.\($0), 192.0.2.77:8\($0)" }
        #expect(claimed.prefix(5).allSatisfy { $0 == 200 } && claimed.last == 429, "\(claimed)")
        let unread = try await statuses { "192.0.2.\($0), secret\($0)" }
        #expect(unread.last == 429)
        let log = try server.out + server.err
        #expect(log.components(separatedBy: "the last entry of x-forwarded-for").count == 2)
        #expect(!log.contains("secret"))
        #expect(await server.stop() == 0)
    }

    @Test("a client that expects 100 is asked for its body, or refused before it sends any")
    func expectation() async throws {
        let server = try await ServeProcess.start(in: scratch)
        func head(_ length: Int, _ more: String = "") -> String {
            "POST \(Self.start) HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: \(length)\r\n\(more)\r\n"
        }
        let connection = try await RawConnection.open(server.address)
        for expectation in ["100-continue", "100-Continue"] {
            try await connection.send(head(Self.body.utf8.count, "expect: \(expectation)\r\n"))
            #expect(try await connection.answer()?.status == 100)
            try await connection.send(Self.body)
            #expect(try await connection.answer()?.status == 200)
        }
        // A client that sends its body at once gets no 100.
        try await connection.send(
            head(Self.body.utf8.count, "expect: 100-continue\r\n") + Self.body)
        #expect(try await [100, 200].contains(connection.answer()?.status ?? 0))
        let refused = try await RawConnection.open(server.address)
        try await refused.send(head(90_000_000, "expect: 100-continue\r\n"))
        let answer = try #require(try await refused.answer())
        #expect(answer.status == 413 && answer.headers["connection"] == "close")
        try await refused.closed()
        // Other expectations are ignored.
        let other = try await RawConnection.open(server.address)
        try await other.send(head(Self.body.utf8.count, "expect: something\r\n") + Self.body)
        #expect(try await other.answer()?.status == 200)
        #expect(await server.stop() == 0)
    }

    @Test("a server below a path is refused at its start")
    func path() async throws {
        do {
            let server = try await ServeProcess.start(
                in: scratch, ["MIEN_PUBLIC_URL": "https://example.org/login"])
            Issue.record("it started")
            await server.stop()
        } catch let failed as ServeProcess.NotListening {
            #expect(failed.err.contains("public_url has a path, /login"), "\(failed.err)")
        }
    }

    @Test(
        "a full disk: not ready, and 503, until there is space again",
        .enabled(if: geteuid() == 0, "mounting a small disk needs root"))
    func fullDisk() async throws {
        let disk = scratch("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        guard
            try await Self.run(
                "mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", disk.path)
        else { return }
        let result = await Result { try await fill(disk) }
        _ = try await Self.run("umount", "-l", disk.path)
        try result.get()
    }

    private func fill(_ disk: URL) async throws {
        let server = try await ServeProcess.start(
            in: scratch, ["MIEN_DATA": disk.appending(path: "data").path])
        let connection = try await RawConnection.open(server.address)
        #expect(try await connection.request("GET", "/readyz").status == 200)
        let filler = disk.appending(path: "filler")
        _ = try await Self.run("dd", "if=/dev/zero", "of=\(filler.path)", "bs=4096")
        try await eventually {
            try await connection.request("GET", "/readyz").status == 503
        }
        #expect(try await connection.request("GET", "/healthz").status == 200)
        let begun = try await connection.post(Self.start, Self.body)
        try begun.expect(.unavailable)
        #expect(begun.headers["retry-after"] != nil)
        try FileManager.default.removeItem(at: filler)
        try await eventually {
            try await connection.request("GET", "/readyz").status == 200
        }
        #expect(try await connection.post(Self.start, Self.body).status == 200)
        #expect(await server.stop() == 0)
    }

    private static func run(_ command: String...) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        let (ends, ended) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        for await _ in ends {}
        return process.terminationStatus == 0
    }
}
