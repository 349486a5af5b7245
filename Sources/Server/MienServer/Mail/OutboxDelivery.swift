package import Logging
package import MienCore
package import MienStore
internal import ServiceLifecycle
internal import Synchronization

/// Sends the messages of one kind in the outbox.
package protocol OutboxSender: Sendable {
    /// The name of the messages in the log, such as `logout notices`.
    var name: String { get }
    var kind: OutboxMessage.Kind { get }
    /// The maximum number of deliveries at once. More than one, so that a receiver that does not
    /// respond delays only itself.
    var maxUnderWay: Int { get }
    /// The time for which a server keeps a message from the others. Longer than a delivery takes.
    var claimTime: Duration { get }
    /// Messages that still wait for a try after this time are dropped.
    var maxAge: Duration { get }

    /// Sends a message once.
    ///
    /// - Returns: `nil` if the receiver no longer wants it.
    func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step?
    /// Notes the end of a message in the transaction that removes it.
    ///
    /// - Parameter end: `nil` if the receiver no longer wants it.
    func noteEnd(_ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant)
        throws
    /// Counts a result: `postponed` or the end of a message.
    func count(_ end: NoticeEnd?, isPostponed: Bool)
    /// Learns how many messages wait.
    func note(waiting: Int)
}

/// How a message ended.
package enum NoticeEnd: Sendable, Hashable {
    case delivered
    /// - Parameter reason: Such as `unreachable`, `not_allowed`, or `status 404`.
    case dropped(String)
}

/// Delivers the messages of one kind, a few at a time, and repeats deliveries that failed with
/// growing pauses.
///
/// Any number of servers deliver from one outbox: each claims the messages that it sends. A claim
/// ends by itself, so that a dead server keeps no message from being delivered.
package struct OutboxDelivery<Sender: OutboxSender>: Service, NamedByType {
    /// The pause between two looks into the outbox while nothing is due.
    private static var pause: Duration { .milliseconds(200) }

    private let sender: Sender
    private let store: Store
    private let clock: ServerClock
    private let logger: Logger

    package init(_ sender: Sender, store: Store, clock: ServerClock, logger: Logger) {
        (self.sender, self.store, self.clock, self.logger) = (sender, store, clock, logger)
    }

    /// Runs until the server shuts down and the messages that are due have been delivered.
    package func run() async throws {
        if !store.isShared {
            // No other server delivers, so existing claims are those of an earlier process. Release
            // them.
            try? await store.write { [sender] in try $0.outbox.releaseAll(sender.kind) }
        }
        let isStopping = Atomic(false)
        await withGracefulShutdownHandler {
            await deliver(noticing: gracefulShutdown) { isStopping.load(ordering: .relaxed) }
        } onGracefulShutdown: {
            isStopping.store(true, ordering: .relaxed)
        }
    }

    private enum Event { case delivered, looked, stopping }

    /// Delivers what is due, until `isStopping` and nothing is due or under way.
    ///
    /// - Parameters:
    ///   - rest: Waits between two looks into the outbox.
    ///   - stop: Returns once `isStopping`, so that an end does not wait for a rest; `nil` if that is not
    ///     known before.
    package func deliver(
        resting rest: @escaping @Sendable () async -> Void = {
            try? await Task.sleep(for: Self.pause)
        },
        noticing stop: (@Sendable () async throws -> Void)? = nil,
        until isStopping: () -> Bool
    ) async {
        await withTaskGroup(of: Event.self) { tasks in
            var underWay = 0, isPausing = false
            if let stop {
                tasks.addTask {
                    try? await stop()
                    return .stopping
                }
            }
            while !Task.isCancelled {
                let free = sender.maxUnderWay - underWay
                let claimed = free > 0 ? await claim(atMost: free) : []
                for message in claimed {
                    underWay += 1
                    tasks.addTask {
                        await deliver(message)
                        return .delivered
                    }
                }
                if claimed.isEmpty, underWay == 0, isStopping() { break }
                if !isPausing {
                    isPausing = true
                    tasks.addTask {
                        await rest()
                        return .looked
                    }
                }
                switch await tasks.next() {
                case .delivered: underWay -= 1
                case .looked: isPausing = false
                case .stopping, nil: break
                }
            }
            tasks.cancelAll()
        }
    }

    /// Claims messages that are due, and drops those that have waited for too long.
    private func claim(atMost count: Int) async -> [OutboxMessage] {
        let now = clock.now, kind = sender.kind, until = now + sender.claimTime,
            oldest = now - sender.maxAge
        do {
            // Read first, because there is mostly no message to claim, and a write is expensive.
            let (isDue, waiting) = try await store.read { tables in
                (
                    try tables.outbox.isDue(kind, at: now)
                        || tables.outbox.isOutdated(kind, createdBefore: oldest, at: now),
                    try tables.outbox.count(kind)
                )
            }
            sender.note(waiting: waiting)
            guard isDue else { return [] }
            let (due, outdated) = try await store.write { tables in
                (
                    try tables.outbox.claim(kind, at: now, until: until, atMost: count),
                    try tables.outbox.claimOutdated(
                        kind, createdBefore: oldest, at: now, until: until, atMost: count)
                )
            }
            for message in outdated {
                // Those that are due do not wait if this fails: it is tried again after the claim.
                do { try await finish(message, .dropped("unreachable")) } catch {
                    logger.error(
                        "an outdated message of \(sender.name) could not be dropped; retrying",
                        metadata: ["error.type": "\(type(of: error))"])
                }
            }
            return due
        } catch {
            logger.error(
                "\(sender.name) could not be read; retrying",
                metadata: ["error.type": "\(type(of: error))"])
            return []
        }
    }

    private func deliver(_ message: OutboxMessage) async {
        do {
            let step = try await sender.send(message)
            if Task.isCancelled, step != .end(.delivered) {
                // The server stops. Another one, or the next start, sends it at once.
                return try await store.write { try $0.outbox.release(message) }
            }
            switch step {
            case nil: try await finish(message, nil)
            case .end(let end): try await finish(message, end)
            case .retry(let pause):
                let next = clock.now + pause
                sender.count(nil, isPostponed: true)
                try await store.write { _ = try $0.outbox.postpone(message, until: next) }
            }
        } catch {
            // The claim ends by itself, and the message is sent again.
            logger.error(
                "one of the \(sender.name) could not be sent; retrying",
                metadata: ["error.type": "\(type(of: error))"])
        }
    }

    private func finish(_ message: OutboxMessage, _ end: NoticeEnd?) async throws {
        let now = clock.now
        if let end { sender.count(end, isPostponed: false) }
        try await store.write { [sender] tables in
            guard try tables.outbox.remove(message) else { return }
            try sender.noteEnd(end, of: message, in: tables, at: now)
        }
    }
}

/// When messages to apps are sent, and when they are given up.
package enum NoticeSchedule {
    /// The pauses after each failed delivery. Then the notice is dropped.
    package static let pauses: [Duration] = [
        .seconds(10), .seconds(60), .seconds(600), .seconds(3600), .seconds(6 * 3600),
        .seconds(12 * 3600),
    ]
    /// A notice that still waits for a try after this time is dropped. Of an app with many notices,
    /// only some are tried each time, so most have tries left.
    package static let maxAge = Duration.seconds(20 * 3600)
    package static let maxUnderWay = 8, timeout = Duration.seconds(5),
        claimTime = Duration.seconds(60)

    package enum Step: Sendable, Hashable {
        case end(NoticeEnd)
        case retry(after: Duration)
    }

    /// - Parameter failures: The number of deliveries that failed before.
    package static func step(after result: WebhookCaller.PostResult, failures: Int) -> Step {
        switch result {
        case .answered(200..<300): return .end(.delivered)
        // The app understood the notice and refused it; sending it again changes nothing.
        case .answered(let status) where status < 500 && ![408, 425, 429].contains(status):
            return .end(.dropped("status \(status)"))
        case .notAllowed: return .end(.dropped("not_allowed"))
        case .answered, .failed:
            return failures < pauses.count
                ? .retry(after: pauses[failures]) : .end(.dropped("unreachable"))
        }
    }
}
