import Foundation
import MienCore
import MienStore
import MienTesting
import MienVault
import Testing

@testable import MienServer

@Suite("The queue of emails", .timeLimit(.minutes(5)))
struct MailQueueTests {
    private struct Undone: Error {}

    @Test("emails of transactions that were undone keep no other email out, and a full queue does")
    func room() async throws {
        let scratch = try ScratchFolder()
        let store = try await Store(
            SQLiteDriver(path: scratch("mail.sqlite").path),
            keys: StoreKeys(MasterKey(bytes: Array(1...32))))
        let logs = LogLines(), registry = PrometheusRegistry()
        let service = try MailService(
            store: store,
            configuration: ServerConfiguration(environment: [:], home: scratch.url),
            clock: .system, logger: logs.logger, metrics: Metrics(registry))
        let mail = Mail(
            to: Sensitive("ada@example.org"), subject: "Your code", body: Sensitive("It is 1234"))
        let max = MailService.Queue.codes.maxWaiting
        func post(_ count: Int, undoing isUndone: Bool = false) async throws {
            try await store.write { tables in
                let now = ServerClock.system.now
                for _ in 0..<count { try service.post(mail, in: tables, at: now) }
                if isUndone { throw Undone() }
            }
        }
        func waiting() async throws -> Int { try await store.read { try $0.outbox.count(.mail) } }

        // As a transaction that PostgreSQL repeats does.
        await #expect(throws: Undone.self) { try await post(max, undoing: true) }
        try await post(1)
        #expect(try await waiting() == 1)
        try await post(max)
        #expect(try await waiting() == max)
        #expect(registry.text.contains("mien_mails_total{result=\"dropped\"} 1"))
        #expect(logs.text.contains("the mail queue is full") && !logs.text.contains("ada@"))
    }
}
