import MienCore
import MienIdentity
import MienStore
import Testing

@testable import MienServer

@Suite("The turns of apps")
struct JobTurnsTests {
    private static let apps = ["big", "small", "late"].map { AppID($0)! }

    @Test("apps take turns, and a new one comes after those that wait already")
    func turns() {
        var turns = JobTurns()
        let (big, small, late) = (Self.apps[0], Self.apps[1], Self.apps[2])
        #expect(turns.next(of: []) == nil)
        #expect(turns.next(of: [big]) == big)
        #expect(turns.next(of: [big, small]) == big)
        #expect(turns.next(of: [big, small, late]) == small)
        #expect(turns.next(of: [big, small, late]) == big)
        #expect(turns.next(of: [big, small, late]) == late)
        // One that no longer waits loses its turn, and comes back at the end.
        #expect(turns.next(of: [big, late]) == big)
        #expect(turns.next(of: [small, big, late]) == late)
    }

    @Test("of two workers' turns, an app that comes and goes takes no more than its share")
    func visitor() {
        var turns = JobTurns(), served: [AppID: Int] = [:]
        for number in 0..<100 {
            let waiting = number.isMultiple(of: 2) ? [Self.apps[0], Self.apps[1]] : [Self.apps[0]]
            if let app = turns.next(of: waiting) { served[app, default: 0] += 1 }
        }
        #expect(served[Self.apps[0]]! >= 50)
    }

    @Test("one app leaves a fifth of the queue to others, which share the rest")
    func room() async throws {
        typealias World = IdentityServiceTests.World
        let world = try await World(), jobs = IdentityJobQueue(room: 50)
        @Sendable func fill(_ app: AppID) async throws -> Int {
            var count = 0
            do {
                while true {
                    let id = "idv_\(app.text)\(count)"
                    try await world.store.write {
                        try jobs.add(
                            IdentityJob(
                                id: id, subject: .session, account: nil, app: app,
                                queuedAt: World.start), in: $0)
                    }
                    count += 1
                }
            } catch is ServerBusy { return count }
        }
        #expect(try await fill(Self.apps[0]) == 40)
        #expect(try await fill(Self.apps[1]) == 8)
        #expect(try await fill(Self.apps[0]) == 0)
        #expect(try await fill(Self.apps[2]) >= 1)
        // The small app's first job is the second to begin.
        let order = try await world.store.write { tables in
            var running: Set<String> = [], order: [AppID] = []
            for _ in 0..<4 {
                guard
                    let job = try jobs.start(
                        besides: running, at: World.start, until: nil, in: tables)
                else { break }
                running.insert(job.id)
                order.append(job.app)
            }
            return order
        }
        #expect(Set(order.prefix(3)) == Set(Self.apps))
    }
}
