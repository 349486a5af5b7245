import Foundation
import MienAPI
import MienCore
import MienTesting
import Synchronization
import Testing

/// A real server, really killed, while clients of it write.
@Suite("The server, killed", .enabled(if: Installed.isThere, Installed.reason))
struct KilledServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// What the server has said it did.
    private struct Acknowledged: Sendable {
        var users: [String: String] = [:]
        /// The newest state token of each run, and the page it is about.
        var runs: [(state: String, page: String)] = []
    }

    private final class Heard: Sendable {
        let all = Mutex(Acknowledged())
    }

    @Test("killed at any moment, it has kept every user and every step that was acknowledged; the audit log is whole; nothing is torn")
    func killed() async throws {
        var generator = TestSeed.generator(62)
        var credential: Sensitive<String>?, all = Acknowledged(), kills = 0
        for round in 0..<8 {
            let server = try await ServeProcess.start(in: scratch, Self.settings)
            credential = credential ?? server.credential
            let admin = try server.admin(try #require(credential))
            if round == 0 { try await PagesJourney.publish(by: admin) }
            try await Self.check(all, server, try #require(credential))

            let said = Heard(), secret = try #require(credential).use { $0 }
            let life = Duration.milliseconds(Int.random(in: 20...700, using: &generator))
            await withTaskGroup(of: Void.self) { tasks in
                for client in 0..<6 {
                    tasks.addTask { try? await Self.makeUsers("r\(round)c\(client)", server.adminAddress, secret, said) }
                    tasks.addTask { try? await Self.walk(server.address, said) }
                }
                try? await Task.sleep(for: life)
                server.signal(SIGKILL)
            }
            #expect(await server.ended() == -SIGKILL)
            kills += 1
            let new = said.all.withLock { $0 }
            all.users.merge(new.users) { $1 }
            // Runs of this round; those before have gone on in the check.
            all.runs = new.runs
        }
        #expect(kills == 8 && all.users.count > 20, "\(all.users.count) users were made in between")
        let server = try await ServeProcess.start(in: scratch, Self.settings)
        try await Self.check(all, server, try #require(credential))
        #expect(await server.stop() == 0)
    }

    private static let settings = ["MIEN_LIMIT_STARTS_PER_MINUTE": "1000000", "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000"]

    private static func makeUsers(_ name: String, _ address: String, _ credential: String, _ said: Heard) async throws {
        let connection = try await RawConnection.open(address)
        for number in 0... {
            let user = "\(name)n\(number)"
            let answer = try await connection.post("/v1/users", #"{"username": "\#(user)"}"#, ["authorization": "Bearer \(credential)"])
            let id = try #require(answer.json["id"]?.stringValue)
            said.all.withLock { $0.users[id] = user }
        }
    }

    private static func walk(_ address: String, _ said: Heard) async throws {
        let connection = try await RawConnection.open(address)
        while true {
            var answer = try await PagesJourney.start(connection), place: Int?
            for _ in 1..<PagesJourney.pages {
                guard let state = try answer.json["state"]?.stringValue, let page = try answer.json["data"]?["text"]?.stringValue else { return }
                let known = place
                place = said.all.withLock { said in
                    if let known { said.runs[known] = (state, page) } else { said.runs.append((state, page)) }
                    return known ?? said.runs.count - 1
                }
                answer = try await PagesJourney.next(connection, state)
            }
        }
    }

    private static func check(_ all: Acknowledged, _ server: ServeProcess, _ credential: Sensitive<String>) async throws {
        let admin = try server.admin(credential), connection = try await RawConnection.open(server.address)
        var stored: [String: String] = [:], after: UserID?
        repeat {
            let page = try await admin.users(after: after)
            for user in page.items { stored[user.id] = user.username }
            after = page.next.flatMap { UserID($0) }
        } while after != nil
        for (id, name) in all.users { #expect(stored[id] == name, "an acknowledged user is there, and can be opened") }
        // A user and its entry were one transaction: there are as many of both, acknowledged or not.
        var entries = 0, number = 0
        while true {
            let page = try await admin.audit(after: number)
            entries += page.items.count { $0.event == "user.created" }
            guard let next = page.next.flatMap({ Int($0) }) else { break }
            number = next
        }
        #expect(entries == stored.count)
        #expect(try await admin.verifyAudit().isWhole)
        // The answer to the last token may have been on its way: then the same answer is told again. Either way it is the page after.
        for run in all.runs {
            let answer = try await PagesJourney.next(connection, run.state)
            let page = try #require(run.page.split(separator: " ").last.flatMap { Int($0) })
            #expect(try answer.status == 200 && answer.json["data"]?["text"] == .string("Page \(page + 1)"), "\(run.page): \(answer.status)")
        }
    }
}
