internal import Foundation
internal import Logging
internal import MienCore
internal import ServiceLifecycle
internal import Synchronization

/// Sends mails in the background, one after another: whoever asks for a code does not wait, and cannot tell whether there was one to send.
final class MailService: Service {
    /// Mails that may wait; the newest is dropped when there are more.
    private static let mostWaiting = 1000
    private static let tries = 3

    private let relay: MailRelay?
    private let outbox: URL
    private let sender: String
    private let logger: Logger
    private let metrics: Metrics
    private let mails: AsyncStream<Mail>
    private let add: AsyncStream<Mail>.Continuation

    init(configuration: ServerConfiguration, logger: Logger, metrics: Metrics) {
        (relay, outbox, sender) = (configuration.relay, configuration.mailOutbox, configuration.mailFrom)
        (self.logger, self.metrics) = (logger, metrics)
        (mails, add) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    }

    func send(_ mail: Mail) {
        if case .dropped = add.yield(mail) {
            metrics.count("mien_mails_total", "result=\"dropped\"")
            logger.error("too many mails wait; one was dropped")
        }
    }

    /// Ends when the server shuts down, after the mails that wait.
    func run() async throws {
        await withGracefulShutdownHandler {
            for await mail in mails { await deliver(mail) }
        } onGracefulShutdown: {
            self.add.finish()
        }
    }

    private func deliver(_ mail: Mail) async {
        for attempt in 1...Self.tries {
            do {
                if let relay { try await SMTPClient(relay: relay).send(mail) } else { try write(mail) }
                metrics.count("mien_mails_total", "result=\"sent\"")
                return
            } catch {
                // What a relay says may repeat the address.
                logger.warning("a mail could not be delivered", metadata: ["mail.attempt": "\(attempt)", "mail.error": "\(type(of: error))"])
                if attempt < Self.tries { try? await Task.sleep(for: .seconds(attempt * attempt)) }
            }
        }
        metrics.count("mien_mails_total", "result=\"failed\"")
    }

    /// One file a mail, `<time>-<random>.eml`, whole or not at all.
    private func write(_ mail: Mail) throws {
        try FileManager.default.createDirectory(at: outbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let stamp = MailDate.now()
        var generator = SystemRandomNumberGenerator()
        let name = "\(stamp.file)-\(Base64URL.encode(generator.bytes(6)))"
        let temporary = outbox.appending(path: ".\(name).tmp")
        let message = Data(mail.message(from: sender, date: stamp.header, id: name))
        guard FileManager.default.createFile(atPath: temporary.path, contents: message, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteUnknown)
        }
        try FileManager.default.moveItem(at: temporary, to: outbox.appending(path: "\(name).eml"))
    }
}

/// Now, as mails and their files write it.
struct MailDate {
    let header: String
    let file: String

    static func now() -> MailDate {
        let now = Date()
        let header = DateFormatter()
        header.locale = Locale(identifier: "en_US_POSIX")
        header.timeZone = TimeZone(secondsFromGMT: 0)
        header.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        return MailDate(header: header.string(from: now), file: String(Int64(now.timeIntervalSince1970 * 1000)))
    }
}
