internal import Foundation
package import Logging
package import MienCore
package import MienStore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle

/// Sends mail in the background, a few messages at a time. A client that requests a code does not
/// wait, and cannot tell whether one was sent.
///
/// An email is written into the outbox in the transaction that causes it. So none is lost when the
/// server dies, and none tells of a change that was undone.
///
/// Notices to account owners wait in a queue of their own, so that strangers who fill the queue of
/// codes cannot keep an owner from learning about a new authenticator.
package final class MailService: Service {
    package enum Queue: Sendable, CaseIterable {
        /// Emails that anybody can cause, such as codes and sign-ups.
        case codes
        /// Emails about changes to an account.
        case notices

        /// The maximum number of waiting emails, as far as a server knows: others may add some
        /// between two looks into the outbox. Beyond that, the newest is dropped.
        var maxWaiting: Int { self == .codes ? 1000 : 10_000 }

        /// The pauses after each failed delivery. Then the email is dropped. A code is soon useless.
        var pauses: [Duration] {
            switch self {
            case .codes: [.seconds(1), .seconds(4), .seconds(15)]
            case .notices:
                [.seconds(1), .seconds(4), .seconds(60), .seconds(600), .seconds(3600)]
                    + [.seconds(6 * 3600), .seconds(12 * 3600)]
            }
        }

        var kind: OutboxMessage.Kind { self == .codes ? .mail : .noticeMail }
    }

    private let store: Store
    private let relay: SMTPClient?
    private let outbox: URL
    private let sender: MailAddress
    private let senderName: String
    private let clock: ServerClock
    private let logger: Logger
    private let metrics: Metrics
    /// How many emails wait: as last counted, and those added since.
    private let waiting = Locked<[Queue: Int]>([:])

    /// - Throws: ``ConfigurationError``.
    package init(
        store: Store, configuration: ServerConfiguration, clock: ServerClock, logger: Logger,
        metrics: Metrics
    ) throws {
        relay = try configuration.relay.map(SMTPClient.init)
        (outbox, sender) = (configuration.mailOutbox, configuration.mailFrom)
        senderName = configuration.mailFromName
        (self.store, self.clock, self.logger, self.metrics) = (store, clock, logger, metrics)
    }

    /// Writes an email into the outbox, in the transaction that causes it.
    ///
    /// - Parameter account: The account that the email is about, if it is erased with it.
    package func post(
        _ mail: Mail, through queue: Queue = .codes, about account: UserID? = nil,
        in tables: Tables, at now: Instant
    ) throws {
        let message = Self.message(mail, queue, about: account, at: now)
        guard try hasRoom(queue, tables, adding: 1) else {
            metrics.count(.mails, ["result": "dropped"])
            logger.error("the mail queue is full; one email was dropped")
            return try tables.outbox.pretend(message)
        }
        try tables.outbox.insert(message)
    }

    /// Counts an email, or none, and returns whether the queue has room for another. The count is too high after transactions that were repeated or undone, so it
    /// is taken again before it keeps an email out.
    private func hasRoom(_ queue: Queue, _ tables: Tables, adding added: Int) throws -> Bool {
        let seems = waiting.withLock { waiting in
            defer { waiting[queue, default: 0] += added }
            return waiting[queue, default: 0] < queue.maxWaiting
        }
        if seems { return true }
        let count = try tables.outbox.count(queue.kind, atMost: queue.maxWaiting)
        note(waiting: count + added, queue)
        return count < queue.maxWaiting
    }

    /// Does the work of ``post(_:through:in:at:)`` for an email that must not be sent, so that
    /// nobody can tell from the time that it takes.
    package func pretend(_ mail: Mail, in tables: Tables, at now: Instant) throws {
        _ = try hasRoom(.codes, tables, adding: 0)
        try tables.outbox.pretend(Self.message(mail, .codes, about: nil, at: now))
    }

    private static func message(
        _ mail: Mail, _ queue: Queue, about account: UserID?, at now: Instant
    ) -> OutboxMessage {
        OutboxMessage(
            id: OutboxMessage.freshID(), kind: queue.kind, account: account,
            content: mail.content, createdAt: now)
    }

    /// Delivers until the server shuts down and the emails that are due have been delivered.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for queue in Queue.allCases {
                let delivery = OutboxDelivery(
                    MailSender(service: self, queue: queue), store: store, clock: clock,
                    logger: logger)
                tasks.addTask { try await delivery.run() }
            }
            try await tasks.waitForAll()
        }
    }

    fileprivate func note(waiting count: Int, _ queue: Queue) {
        waiting.withLock { $0[queue] = count }
    }

    fileprivate func count(_ result: String) { metrics.count(.mails, ["result": result]) }

    fileprivate func deliver(_ message: OutboxMessage, _ queue: Queue) async -> NoticeSchedule.Step
    {
        guard let mail = Mail(content: message.content) else { return .end(.dropped("damaged")) }
        do {
            if let relay {
                try await relay.send(mail, id: message.id)
            } else {
                try write(mail, id: message.id)
            }
            return .end(.delivered)
        } catch {
            let isPermanent = error is MailError || (error as? SMTPError)?.isPermanent == true
            let pause =
                message.failures < queue.pauses.count ? queue.pauses[message.failures] : nil
            let willRetry = pause != nil && !isPermanent
            logger.warning(
                "an email could not be delivered",
                metadata: ["mail.error": "\(Self.shown(error))", "mail.retry": "\(willRetry)"])
            guard let pause, willRetry else { return .end(.dropped("undeliverable")) }
            return .retry(after: pause)
        }
    }

    /// Whether a relay is set. Without one, emails become files.
    package var hasRelay: Bool { relay != nil }

    /// Sends a test to an address, now and once, whatever waits.
    ///
    /// - Returns: Why it failed, `nil` if the relay accepted it, and the lines of the conversation,
    ///   without secrets.
    package func test(to address: String) async -> (fault: String?, dialog: [String]) {
        guard let relay else { return ("mail.host is not set", []) }
        let mail = Mail(
            to: Sensitive(address), subject: "Test of mail",
            body: Sensitive(
                """
                An administrator of Mien tested whether this server can send mail. Nothing needs to be
                done.
                """))
        let secrets = Self.secrets(of: relay.relay), lines = Locked<[String]>([])
        do {
            try await relay.within(Self.testPatience).send(mail, id: OutboxMessage.freshID()) {
                let line = Self.shown($0, without: secrets)
                lines.withLock { $0.append(line) }
            }
            return (nil, lines.withLock { $0 })
        } catch {
            let fault = Self.shown(error)
            return (
                error is NIOConnectionError ? "the relay cannot be reached: \(fault)" : fault,
                lines.withLock { $0 }
            )
        }
    }

    /// Apps and commands wait 30 s for the answer to a test, which has connecting, the conversation,
    /// and the farewell.
    private static let testPatience = TimeAmount.seconds(13)
    private static let maxLine = 500

    /// The secrets of logins, as they may appear in what a relay replies.
    private static func secrets(of relay: MailRelay) -> [Sensitive<String>] {
        guard let login = relay.login else { return [] }
        let secrets = [try? login.secret.text(), login.unusedPassword].compactMap(\.self)
        // The mechanism PLAIN sends the name and the password as one text.
        let plain = secrets.map { secret in
            secret.use { Sensitive("\0\(login.user)\0\($0)") }
        }
        return (plain + secrets).flatMap { secret -> [Sensitive<String>] in
            secret.use { [Sensitive($0), Sensitive(Base64URL.standard(Array($0.utf8)))] }
        }
    }

    private static func shown(_ line: String, without secrets: [Sensitive<String>]) -> String {
        let shown = secrets.reduce(line) { line, secret in
            // A shorter secret would also match parts of ordinary words.
            secret.use { $0.utf8.count < 4 ? line : line.replacing($0, with: "‹hidden›") }
        }
        return String(shown.printable.prefix(maxLine))
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

    /// Writes one file per email, `<time>-<id>.eml`, atomically. A repeated delivery replaces it.
    private func write(_ mail: Mail, id: String) throws {
        try FileManager.default.createDirectory(
            at: outbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let name = "\(mail.date.milliseconds)-\(id)"
        let message = Data(
            mail.message(from: sender, named: senderName, to: try mail.recipient(), id: id))
        try? FileManager.default.removeItem(at: temporary(name))
        guard
            FileManager.default.createFile(
                atPath: temporary(name).path, contents: message,
                attributes: [.posixPermissions: 0o600])
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        let file = outbox.appending(path: "\(name).eml")
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: temporary(name), to: file)
    }

    private func temporary(_ name: String) -> URL { outbox.appending(path: ".\(name).tmp") }
}

/// Delivers the emails of one queue.
private struct MailSender: OutboxSender {
    let service: MailService
    let queue: MailService.Queue

    var name: String { "emails" }
    var kind: OutboxMessage.Kind { queue.kind }
    var maxUnderWay: Int { 4 }
    /// A relay has 30 s for a conversation.
    var claimTime: Duration { .seconds(120) }
    var maxAge: Duration { queue == .codes ? .seconds(600) : NoticeSchedule.maxAge }

    func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step? {
        await service.deliver(message, queue)
    }

    func noteEnd(_ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant) {
    }

    func count(_ end: NoticeEnd?, isPostponed: Bool) {
        guard !isPostponed, let end else { return }
        service.count(end == .delivered ? "sent" : "failed")
    }

    func note(waiting: Int) { service.note(waiting: waiting, queue) }
}

/// A time in the form used in mail headers, with whole milliseconds.
struct MailDate: Sendable, Hashable {
    let milliseconds: Int64

    static func now() -> MailDate {
        MailDate(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    var header: String {
        let header = DateFormatter()
        header.locale = Locale(identifier: "en_US_POSIX")
        header.timeZone = TimeZone(secondsFromGMT: 0)
        header.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        return header.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
