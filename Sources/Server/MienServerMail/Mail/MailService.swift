internal import Foundation
package import Logging
internal import MienCore
package import MienServerCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// Sends mail in the background, a few messages at a time. A client that requests a code does not
/// wait, and cannot tell whether one was sent.
///
/// Notices to account owners wait in a queue of their own, so that strangers who fill the queue of
/// codes cannot keep an owner from learning about a new authenticator.
package final class MailService: Service {
    package enum Queue: Sendable, CaseIterable {
        /// Emails that anybody can cause, such as codes and sign-ups.
        case codes
        /// Emails about changes to an account.
        case notices

        /// The maximum number of waiting emails. Beyond that, the newest is dropped.
        var maxWaiting: Int { self == .codes ? 1000 : 10_000 }
    }

    /// The maximum number of concurrent deliveries of a queue. More than one, so that an email that
    /// the relay defers does not delay the others.
    private static let maxUnderWay = 4
    /// The pauses before the second and the third attempt.
    private static let pauses = [Duration.seconds(1), .seconds(4)]

    private let relay: SMTPClient?
    private let outbox: URL
    private let sender: MailAddress
    private let logger: Logger
    private let metrics: Metrics
    private let queues: [Queue: (mails: AsyncStream<Mail>, add: AsyncStream<Mail>.Continuation)]

    /// - Throws: ``ConfigurationError``.
    package init(configuration: ServerConfiguration, logger: Logger, metrics: Metrics) throws {
        relay = try configuration.relay.map(SMTPClient.init)
        (outbox, sender) = (configuration.mailOutbox, configuration.mailFrom)
        (self.logger, self.metrics) = (logger, metrics)
        queues = Dictionary(
            uniqueKeysWithValues: Queue.allCases.map { queue in
                let (mails, add) = AsyncStream.makeStream(
                    of: Mail.self, bufferingPolicy: .bufferingOldest(queue.maxWaiting))
                return (queue, (mails, add))
            })
    }

    package func send(_ mail: Mail, through queue: Queue = .codes) {
        if case .dropped? = queues[queue]?.add.yield(mail) {
            metrics.count(.mails, ["result": "dropped"])
            logger.error("the mail queue is full; one email was dropped")
        }
    }

    /// Runs until the server shuts down and the waiting emails have been delivered.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { tasks in
                for queue in queues.values {
                    tasks.addTask { await self.deliver(all: queue.mails) }
                }
            }
        } onGracefulShutdown: {
            for queue in self.queues.values { queue.add.finish() }
        }
    }

    private func deliver(all mails: AsyncStream<Mail>) async {
        await withTaskGroup(of: Void.self) { tasks in
            var underWay = 0
            for await mail in mails {
                if underWay == Self.maxUnderWay { await tasks.next() } else { underWay += 1 }
                tasks.addTask { await self.deliver(mail) }
            }
        }
    }

    private func deliver(_ mail: Mail) async {
        for pause in Self.pauses.map(Optional.some) + [nil] {
            do {
                if let relay { try await relay.send(mail) } else { try write(mail) }
                metrics.count(.mails, ["result": "sent"])
                return
            } catch {
                let isPermanent = error is MailError || (error as? SMTPError)?.isPermanent == true
                let willRetry = pause != nil && !isPermanent
                logger.warning(
                    "an email could not be delivered",
                    metadata: ["mail.error": "\(Self.shown(error))", "mail.retry": "\(willRetry)"])
                guard let pause, willRetry else { break }
                try? await Task.sleep(for: pause)
            }
        }
        metrics.count(.mails, ["result": "failed"])
    }

    /// Returns the description of errors that are known to contain no personal address, and only
    /// the type of any other error.
    private static func shown(_ error: any Error) -> String {
        switch error {
        case is SMTPError, is MailError, is NIOConnectionError, is IOError, is NIOSSLError,
            is NIOSSLExtraError, is ChannelError:
            "\(error)"
        default: "\(type(of: error))"
        }
    }

    /// Writes one file per email, `<time>-<random>.eml`, atomically.
    private func write(_ mail: Mail) throws {
        try FileManager.default.createDirectory(
            at: outbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let date = MailDate.now(), name = date.unique()
        let temporary = outbox.appending(path: ".\(name).tmp")
        let message = Data(try mail.message(from: sender, date: date.header, id: name))
        guard
            FileManager.default.createFile(
                atPath: temporary.path, contents: message, attributes: [.posixPermissions: 0o600])
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        try FileManager.default.moveItem(at: temporary, to: outbox.appending(path: "\(name).eml"))
    }
}

/// The current time in the forms used in mail headers and file names.
struct MailDate {
    let header: String
    private let milliseconds: Int64

    static func now() -> MailDate {
        let now = Date()
        let header = DateFormatter()
        header.locale = Locale(identifier: "en_US_POSIX")
        header.timeZone = TimeZone(secondsFromGMT: 0)
        header.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        return MailDate(
            header: header.string(from: now), milliseconds: Int64(now.timeIntervalSince1970 * 1000))
    }

    /// `<time>-<random>`
    func unique() -> String {
        var generator = SystemRandomNumberGenerator()
        return "\(milliseconds)-\(Base64URL.encode(generator.bytes(6)))"
    }
}
