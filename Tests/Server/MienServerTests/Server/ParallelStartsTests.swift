import Foundation
import MienAPI
import MienCore
import MienTesting
import Synchronization
import Testing

/// 10,000 starts over 256 connections, against a separate process whose memory is measured.
@Suite("Abuse: 10,000 starts", .enabled(if: Installed.isThere, Installed.reason), .serialized)
struct ParallelStartsTests {
    private static let starts = 10_000
    private static let connections = 256

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private final class Count: Sendable {
        private let atomic = Atomic(0)
        var value: Int { atomic.load(ordering: .relaxed) }
        func next() -> Int { atomic.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    /// Calls `body` once for each number from 0, spread over all connections.
    private static func spread(
        _ count: Int, over address: String,
        _ body: @escaping @Sendable (Int, RawConnection) async throws -> Void
    ) async throws {
        let numbers = Count()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<connections {
                tasks.addTask {
                    let connection = try await RawConnection.open(address)
                    while true {
                        let number = numbers.next()
                        guard number < count else { return }
                        try await body(number, connection)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test("with sufficient limits, every start is accepted and can be continued, in bounded memory")
    func accepted() async throws {
        // The server may still see connections of the first round as open when those of the second
        // arrive.
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_LIMIT_STARTS_PER_MINUTE": "1000000",
                "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
                "MIEN_LIMIT_CONNECTIONS_PER_ADDRESS": "\(Self.connections * 4)",
            ])
        let admin = try server.admin(try #require(server.credential))
        try await PagesJourney.publish(by: admin)
        let before = try server.memory("VmHWM"),
            states = Mutex([String](repeating: "", count: Self.starts))
        try await Self.spread(Self.starts, over: server.address) { number, connection in
            let answer = try await PagesJourney.start(connection)
            #expect(answer.status == 200)
            let state = try #require(answer.json["state"]?.stringValue)
            states.withLock { $0[number] = state }
        }
        let tokens = states.withLock { $0 }, continued = Count()
        #expect(Set(tokens).count == Self.starts)
        try await Self.spread(Self.starts, over: server.address) { number, connection in
            let answer = try await PagesJourney.next(connection, tokens[number])
            if answer.status == 200, try answer.json["data"]?["text"] == "Page 2" {
                _ = continued.next()
            }
        }
        #expect(continued.value == Self.starts)
        let grown = try server.memory("VmHWM") - before
        #expect(grown < 200, "\(grown) MiB of growth at its peak")
        let connection = try await RawConnection.open(server.address)
        #expect(try await connection.request("GET", "/readyz").status == 200)
        #expect(try await admin.verifyAudit().isWhole)
        #expect(await server.stop() == 0)
    }

    @Test(
        "with default limits, accepted runs stay valid, and rejected clients are told when to retry"
    )
    func limited() async throws {
        let server = try await ServeProcess.start(in: scratch)
        try await PagesJourney.publish(by: server.admin(try #require(server.credential)))
        let before = try server.memory("VmHWM"), states = Mutex([String]()), refused = Count()
        let begun = ContinuousClock.now
        try await Self.spread(Self.starts, over: server.address) { _, connection in
            let answer = try await PagesJourney.start(connection)
            if answer.status == 429 {
                let wait = try #require(answer.headers["retry-after"].flatMap { Int($0) })
                #expect((1...60).contains(wait))
                try answer.expect(.tooManyRequests)
                _ = refused.next()
            } else {
                #expect(answer.status == 200)
                let state = try #require(answer.json["state"]?.stringValue)
                states.withLock { $0.append(state) }
            }
        }
        let tokens = states.withLock { $0 }, minutes = (ContinuousClock.now - begun) / .seconds(60)
        #expect(
            tokens.count >= 600 && Double(tokens.count) <= 601 + 600 * minutes,
            "600 at once, then 10 per second")
        #expect(tokens.count + refused.value == Self.starts)
        // An accepted run can continue. Requests have a separate limit, which the flood may have
        // used up for a moment.
        let connection = try await RawConnection.open(server.address)
        for token in tokens.shuffled().prefix(20) {
            var answer = try await PagesJourney.next(connection, token)
            while answer.status == 429 {
                try await Task.sleep(
                    for: .seconds(
                        try #require(answer.headers["retry-after"].flatMap { Double($0) })))
                answer = try await PagesJourney.next(connection, token)
            }
            #expect(answer.status == 200)
        }
        let grown = try server.memory("VmHWM") - before
        #expect(grown < 150, "\(grown) MiB of growth at its peak")
        #expect(await server.stop() == 0)
    }
}
