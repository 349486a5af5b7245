import Logging
import MienCore
import MienStore
import MienTesting
import ServiceLifecycle
import Testing

@testable import MienServer

@Suite("Delivery from the outbox", .timeLimit(.minutes(10)))
struct OutboxDeliveryTests {
    /// A receiver: the messages that it got, and how it answers.
    private final class Receiver: OutboxSender {
        let name = "test messages", kind = OutboxMessage.Kind.identity
        let maxUnderWay = 3, claimTime = Duration.seconds(60), maxAge = Duration.seconds(3600)
        let got = Locked<[String]>([])
        let ends = Locked<[String: NoticeEnd?]>([:])
        let answer: @Sendable (OutboxMessage) async -> NoticeSchedule.Step?

        init(_ answer: @escaping @Sendable (OutboxMessage) async -> NoticeSchedule.Step?) {
            self.answer = answer
        }

        func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step? {
            got.withLock { $0.append(message.id) }
            return await answer(message)
        }
        func noteEnd(
            _ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant
        ) throws { ends.withLock { $0[message.id] = .some(end) } }
        func count(_ end: NoticeEnd?, isPostponed: Bool) {}
        func note(waiting: Int) {}
    }

    private static func fill(_ servers: TwoServers, _ count: Int) async throws {
        let now = servers.clock.now
        try await servers.a.write { tables in
            for number in 0..<count {
                try tables.outbox.insert(
                    OutboxMessage(
                        id: "dlv_\(number)", kind: .identity, app: number % 2 == 0 ? .shop : .bank,
                        content: Sensitive([1]), createdAt: now))
            }
        }
    }

    /// Runs deliveries of both servers until `body` returns.
    private static func running(
        _ servers: TwoServers, _ first: Receiver, _ second: Receiver,
        _ body: () async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let tasks = [(servers.a, first), (servers.b, second)].map { store, receiver in
            let delivery = OutboxDelivery(
                receiver, store: store, clock: servers.clock, logger: logger)
            return Task { try await delivery.run() }
        }
        try await body()
        for task in tasks {
            task.cancel()
            try await task.value
        }
    }

    @Test("while no server dies, two deliver each message once")
    func once() async throws {
        let servers = try await TwoServers()
        try await Self.fill(servers, 100)
        let (first, second) = (
            Receiver { _ in .end(.delivered) }, Receiver { _ in .end(.delivered) }
        )
        try await Self.running(servers, first, second) {
            try Task.checkCancellation()
            #expect(
                try await comesToHold {
                    try await servers.a.read { try $0.outbox.count(.identity) } == 0
                })
        }
        let got = first.got.withLock { $0 } + second.got.withLock { $0 }
        #expect(got.count == 100 && Set(got).count == 100)
        #expect(first.ends.withLock { $0.count } + second.ends.withLock { $0.count } == 100)
    }

    @Test("what a dead server had claimed is delivered by the other, after the claim has ended")
    func death() async throws {
        let servers = try await TwoServers()
        try await Self.fill(servers, 1)
        let now = servers.clock.now
        // The first server claims the message and dies.
        let lost = try await servers.a.write {
            try $0.outbox.claim(.identity, at: now, until: now + .seconds(60), atMost: 9)
        }
        #expect(lost.count == 1)
        let receiver = Receiver { _ in .end(.delivered) }
        try await Self.running(servers, receiver, Receiver { _ in .end(.delivered) }) {
            try await Task.sleep(for: .milliseconds(500))
            #expect(receiver.got.withLock { $0.isEmpty })
            servers.pass(.seconds(60))
            #expect(
                try await comesToHold {
                    try await servers.a.read { try $0.outbox.count(.identity) } == 0
                })
        }
    }

    @Test("a server that stops gives its claims back, and the other delivers at once")
    func stop() async throws {
        let servers = try await TwoServers()
        try await Self.fill(servers, 1)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let hanging = Receiver { _ in
            try? await Task.sleep(for: .seconds(3600))
            return .retry(after: .seconds(10))
        }
        let delivery = OutboxDelivery(
            hanging, store: servers.a, clock: servers.clock, logger: logger)
        let task = Task { try await delivery.run() }
        #expect(try await comesToHold { hanging.got.withLock { !$0.isEmpty } })
        task.cancel()
        try await task.value
        let receiver = Receiver { _ in .end(.delivered) }
        try await Self.running(servers, Receiver { _ in .end(.delivered) }, receiver) {
            try Task.checkCancellation()
            #expect(
                try await comesToHold {
                    try await servers.a.read { try $0.outbox.count(.identity) } == 0
                })
        }
    }

    @Test(
        "a server that stops does not wait for its next look into the outbox",
        .timeLimit(.minutes(1)))
    func stopAtRest() async throws {
        let servers = try await TwoServers()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let delivery = OutboxDelivery(
            Receiver { _ in .end(.delivered) }, store: servers.a, clock: servers.clock,
            logger: logger)
        let isStopping = Locked(false)
        let (rests, resting) = AsyncStream<Void>.makeStream()
        let (stops, stopping) = AsyncStream<Void>.makeStream()
        let task = Task {
            await delivery.deliver(
                resting: {
                    resting.finish()
                    try? await Task.sleep(for: .seconds(3600))
                }, noticing: { for await _ in stops {} }, until: { isStopping.withLock { $0 } })
        }
        for await _ in rests {}
        isStopping.withLock { $0 = true }
        stopping.finish()
        await task.value
    }

    @Test("the text of a delivery is its type, not what it holds")
    func text() async throws {
        let servers = try await TwoServers()
        let delivery = OutboxDelivery(
            Receiver { _ in .end(.delivered) }, store: servers.a, clock: servers.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect("\(delivery)".hasPrefix("OutboxDelivery<") && !"\(delivery)".contains("store"))
    }

    @Test("a failed delivery is repeated after a pause, and what waited for too long is dropped")
    func repeats() async throws {
        let servers = try await TwoServers()
        try await Self.fill(servers, 1)
        let receiver = Receiver { message in
            message.failures < 2 ? .retry(after: .seconds(10)) : .end(.dropped("status 404"))
        }
        try await Self.running(servers, receiver, receiver) {
            for tries in 1...3 {
                #expect(try await comesToHold { receiver.got.withLock { $0.count } == tries })
                try await Task.sleep(for: .milliseconds(300))
                #expect(receiver.got.withLock { $0.count } == tries, "waits")
                servers.pass(.seconds(10))
            }
            #expect(
                try await comesToHold {
                    receiver.ends.withLock { $0["dlv_0"] } == .some(.some(.dropped("status 404")))
                })
        }
        // Another one is postponed, and too old before its next try.
        try await Self.fill(servers, 1)
        let failing = Receiver { _ in .retry(after: .seconds(7200)) }
        try await Self.running(servers, failing, failing) {
            try Task.checkCancellation()
            #expect(try await comesToHold { failing.got.withLock { $0.count } == 1 })
            servers.pass(.seconds(3601))
            #expect(
                try await comesToHold {
                    failing.ends.withLock { $0["dlv_0"] } == .some(.some(.dropped("unreachable")))
                })
        }
    }
}
