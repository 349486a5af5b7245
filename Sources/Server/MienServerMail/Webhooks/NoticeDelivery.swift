package import Logging
package import MienCore
package import MienServerCore
internal import ServiceLifecycle

/// Stored news for apps, and how one of them is sent.
package protocol NoticeQueue: Sendable {
    associatedtype Notice: Sendable

    /// The name of the notices in the log, such as `logout notices`.
    var name: String { get }

    /// Returns the notices whose delivery is due, the longest waiting first.
    func due(at now: Instant, atMost count: Int) async throws -> [Notice]
    /// Returns notices that wait for another try although they were queued before `time`.
    func outdated(queuedBefore time: Instant, at now: Instant, atMost count: Int) async throws
        -> [Notice]
    /// The number of deliveries of a notice that failed.
    func failures(of notice: Notice) -> Int
    /// Sends a notice once.
    ///
    /// - Returns: `nil` if the app no longer wants it.
    func send(_ notice: Notice, within limit: Duration) async throws -> WebhookCaller.PostResult?
    func postpone(_ notice: Notice, until next: Instant) async throws
    /// Removes a notice.
    ///
    /// - Parameter end: `nil` if the app no longer wants it.
    func finish(_ notice: Notice, _ end: NoticeEnd?) async throws
}

/// How a notice ended.
package enum NoticeEnd: Sendable, Hashable {
    case delivered
    /// - Parameter reason: Such as `unreachable`, `not_allowed`, or `status 404`.
    case dropped(String)
}

/// Delivers stored notices under the rules of webhooks, a few at a time, and repeats deliveries that
/// failed with growing pauses.
package struct NoticeDelivery<Queue: NoticeQueue>: Service {
    private let queue: Queue
    private let clock: ServerClock
    private let logger: Logger

    package init(_ queue: Queue, clock: ServerClock, logger: Logger) {
        (self.queue, self.clock, self.logger) = (queue, clock, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    // Wait only when nothing is due.
                    if try await deliver() == NoticeSchedule.batch { continue }
                } catch {
                    logger.error(
                        "\(queue.name) could not be read; retrying",
                        metadata: ["error.type": "\(type(of: error))"])
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Delivers the notices that are due, a few at a time, so that an app that does not respond
    /// delays only itself.
    ///
    /// - Returns: ``NoticeSchedule/batch`` if there may be more.
    private func deliver() async throws -> Int {
        let now = clock.now, batch = NoticeSchedule.batch
        let due = try await queue.due(at: now, atMost: batch)
        let outdated = try await queue.outdated(
            queuedBefore: now - NoticeSchedule.maxAge, at: now, atMost: batch)
        for notice in outdated { try await queue.finish(notice, .dropped("unreachable")) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for notice in due { tasks.addTask { try await deliver(notice) } }
            try await tasks.waitForAll()
        }
        return max(due.count, outdated.count)
    }

    private func deliver(_ notice: Queue.Notice) async throws {
        guard let result = try await queue.send(notice, within: NoticeSchedule.timeout) else {
            return try await queue.finish(notice, nil)
        }
        switch NoticeSchedule.step(after: result, failures: queue.failures(of: notice)) {
        case .end(let end): try await queue.finish(notice, end)
        case .retry(let pause):
            try await queue.postpone(notice, until: clock.now + pause)
        }
    }
}

/// When notices are sent, and when they are given up.
package enum NoticeSchedule {
    /// The pauses after each failed delivery. Then the notice is dropped.
    package static let pauses: [Duration] = [
        .seconds(10), .seconds(60), .seconds(600), .seconds(3600), .seconds(6 * 3600),
        .seconds(12 * 3600),
    ]
    /// A notice that still waits for a try after this time is dropped. Of an app with many notices,
    /// only some are tried each time, so most have tries left.
    package static let maxAge = Duration.seconds(20 * 3600)
    package static let batch = 8, timeout = Duration.seconds(5)

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
