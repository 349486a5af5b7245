import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienIdentity
import MienKeys
import MienMedia
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// The end of what verification sessions keep.
@Suite("What verification sessions keep", .enabled(if: Installed.isThere, Installed.reason))
struct SessionRetentionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("sessions expire, and what was captured is erased after its days, with a dry run first")
    func retention() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            var settings = DecidedSessions.still
            settings["retention_days"] = 2
            let bank = try await RelyingParty(server, settings: settings)
            let (left, leaver) = try await bank.begin(["time_to_live": "5m"])
            try await leaver.consent()
            let (id, person) = try await bank.begin(["time_to_live": "1d"])
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            try await person.selfie()
            _ = try await person.send(.post, "/submit")
            #expect(try await person.judged().body["status"] == "complete")

            server.time.advance(.seconds(301))
            #expect(try await leaver.session().body["status"] == "expired")
            #expect(try await leaver.choose().code == "capture_closed")
            await server.server.sweep()
            let store = server.server.parts.store
            let ended = try await store.read {
                try $0.verificationSessions.find(#require(IdentityAttemptID(left)))
            }
            #expect(ended?.session.status == .expired && ended?.content == nil)

            func purge(dryRun: Bool) async throws -> VerificationPurgeAnswer {
                try await server.admin.purgeVerifications(dryRun: dryRun)
            }
            #expect(
                try await purge(dryRun: true)
                    == VerificationPurgeAnswer(
                        attempts: 0, sessions: 0, records: 0, dryRun: true))
            server.time.advance(.seconds(2 * 86_400))
            #expect(try await purge(dryRun: true).sessions == 1)
            let kept = try await store.read {
                try $0.verificationSessions.find(#require(IdentityAttemptID(id)))?.content
            }
            #expect(kept != nil, "a dry run erases nothing")
            #expect(try await purge(dryRun: false).sessions == 1)
            let images = try await store.read {
                try $0.verificationSessions.images(of: #require(IdentityAttemptID(id)))
            }
            #expect(images.count == 2 && images.allSatisfy { $0.content == nil })
            await server.server.sweep()
            #expect(
                try await store.read {
                    try $0.verificationSessions.find(#require(IdentityAttemptID(left))) == nil
                })
        }
    }

    @Test("a completed session is deleted after the days of its app, and not before its pictures")
    func records() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            func complete(_ app: String, _ settings: [String: JSONValue]) async throws
                -> String
            {
                let bank = try await RelyingParty(
                    server, app, settings: DecidedSessions.still.merging(settings) { $1 })
                let (id, person) = try await bank.begin(["required": ["selfie"]])
                try await person.consent()
                try await person.selfie()
                #expect(try await person.send(.post, "/submit").status == 200)
                #expect(try await person.judged().body["status"] == "complete")
                return id
            }
            let begun = server.now, store = server.server.parts.store
            let first = try await complete(
                "quick", ["retention_days": 1, "result_retention_days": 3])
            let second = try await complete(
                "long", ["retention_days": 5, "result_retention_days": 1])
            let third = try await complete("plain", [:])
            for (day, kept) in [
                (2, (true, true, true)), (4, (false, true, true)), (6, (false, false, true)),
                (91, (false, false, false)),
            ] {
                server.time.advance(begun + .seconds(day * 86_400) - server.now)
                await server.server.sweep()
                func isKept(_ id: String) async throws -> Bool {
                    try await store.read {
                        try $0.verificationSessions.find(#require(IdentityAttemptID(id)))
                    } != nil
                }
                #expect(try await isKept(first) == kept.0, "day \(day)")
                #expect(try await isKept(second) == kept.1, "day \(day)")
                #expect(try await isKept(third) == kept.2, "day \(day)")
            }
        }
    }

    @Test("a purge works in batches, and counts and records all of them")
    func batches() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server)
            let app = try #require(AppID(bank.id)), count = 2 * VerificationSessions.batch + 1
            // Nothing is over yet when the server sweeps at its start.
            let now = server.now, end = now + .seconds(3600), store = server.server.parts.store
            try await store.write { tables in
                for number in 0..<count {
                    try tables.verificationSessions.insert(
                        VerificationSessionRecord(
                            id: IdentityAttemptID("idv_old\(number)")!, tokenHash: [], app: app,
                            owner: .relyingParty,
                            session: VerificationSession(parts: [.selfie], expiresAt: end),
                            createdAt: now, contentExpiresAt: end,
                            recordExpiresAt: end + .seconds(3600), content: nil))
                }
            }
            server.time.advance(.seconds(3600))
            let dry = try await server.admin.purgeVerifications(dryRun: true)
            #expect(dry.sessions == count && dry.records == 0)
            #expect(try await server.admin.purgeVerifications(dryRun: false).sessions == count)
            let events = try await server.admin.audit().items.filter {
                $0.event == "verification.purged"
            }
            #expect(events.count == 3)
            #expect(try await server.admin.purgeVerifications(dryRun: true).sessions == 0)
        }
    }
}
