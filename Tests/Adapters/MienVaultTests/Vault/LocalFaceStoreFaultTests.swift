import MienCore
import MienFace
import MienServerTesting
import MienVault
import Testing

/// Tests that after any fault at any time, each person's record is complete: either the old or the
/// new one.
@Suite struct LocalFaceStoreFaultTests {
    /// The work of one process, from opening the store to its end.
    enum Work: CaseIterable, Sendable {
        case firstEnrollment, enrollment, reEnrollment, migration, removal

        var before: [PersonName: Int] {
            switch self {
            case .firstEnrollment: [:]
            case .enrollment: [bruno: 7]
            case .reEnrollment, .migration, .removal: [ana: 1, bruno: 7]
            }
        }

        var after: [PersonName: Int] {
            switch self {
            case .firstEnrollment: [ana: 2]
            case .enrollment, .reEnrollment, .migration: [ana: 2, bruno: 7]
            case .removal: [bruno: 7]
            }
        }

        func run(on disk: SimulatedDisk, _ random: RandomSource) throws {
            let store = try open(disk, random)
            switch self {
            case .removal: #expect(try store.remove(ana))
            case .migration:
                #expect(
                    try store.migrate(
                        ana, from: madeUpTemplate(seed: 1), to: madeUpTemplate(seed: 2),
                        keptUntil: Instant(milliseconds: 9)))
            case .firstEnrollment, .enrollment, .reEnrollment:
                _ = try store.put(madeUpTemplate(seed: 2), as: ana)
            }
        }
    }

    static let key = "/home/vault/key"

    static func open(_ disk: SimulatedDisk, _ random: RandomSource, key: String = key) throws
        -> LocalFaceStore
    {
        try LocalFaceStore.open(
            folder: "/home/vault/faces", keyPath: key, files: disk, random: random)
    }

    /// Returns the enrolled people by the seed of their template. Fails if a record is damaged or
    /// other files are left.
    static func people(on disk: SimulatedDisk, _ random: RandomSource, key: String = key) throws
        -> [PersonName: Int]?
    {
        let listing = try open(disk, random, key: key).list()
        let expected =
            listing.faces.map { "/home/vault/faces/\($0.id).face" } + [
                "/home/vault/faces/lock", key,
            ]
        guard listing.damaged.isEmpty, disk.fileNames == expected.sorted() else { return nil }
        guard Set(listing.faces.map(\.name)).count == listing.faces.count else { return nil }
        return Dictionary(
            uniqueKeysWithValues: listing.faces.map {
                ($0.name, Int($0.template.createdAt.milliseconds))
            })
    }

    static func prepare(_ work: Work, _ random: RandomSource) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        guard !work.before.isEmpty else { return disk }
        let store = try open(disk, random)
        for (name, seed) in work.before { _ = try store.put(madeUpTemplate(seed: seed), as: name) }
        return disk.afterCrash(try #require(disk.outcomes.first))
    }

    /// Runs `work` with `fault` at the n-th operation, n = 1, 2, … until it succeeds.
    /// - Returns: the possible states after each crash, and whether the work reported success.
    static func results(
        _ work: Work, _ fault: SimulatedDisk.Fault,
        prepare change: (SimulatedDisk) -> Void = { _ in }
    ) throws -> [(n: Int, done: Bool, people: [PersonName: Int]?)] {
        var results: [(Int, Bool, [PersonName: Int]?)] = []
        for n in 1...200 {
            let random = RandomSource.counting()
            let disk = try prepare(work, random)
            change(disk)
            disk.arm(fault, at: n)
            let done = (try? work.run(on: disk, random)) != nil
            let fired = disk.disarm()
            for outcome in disk.outcomes {
                results.append((n, done, try? people(on: disk.afterCrash(outcome), random)))
            }
            if fault != .crash { results.append((n, done, try? people(on: disk, random))) }
            if !fired { return results }
        }
        Issue.record("still not finished after 200 operations")
        return results
    }

    @Test(arguments: Work.allCases, SimulatedDisk.Fault.allCases)
    func `at every operation, the record is the old one or the new one`(
        work: Work, fault: SimulatedDisk.Fault
    ) throws {
        let results = try Self.results(work, fault)
        #expect(results.last?.n ?? 0 > 10, "the loop went through the whole work")
        for result in results {
            #expect(
                result.people == work.after || !result.done && result.people == work.before,
                "\(work), \(fault) at operation \(result.n)")
        }
    }

    @Test(arguments: Work.allCases)
    func `a failed operation can be repeated`(work: Work) throws {
        for n in 1...200 {
            let random = RandomSource.counting()
            let disk = try Self.prepare(work, random)
            disk.arm(.fail, at: n)
            let done = (try? work.run(on: disk, random)) != nil
            guard disk.disarm() else { return }
            if !done, try Self.people(on: disk, random) != work.after {
                try work.run(on: disk, random)
            }
            #expect(try Self.people(on: disk, random) == work.after, "\(work) at operation \(n)")
        }
    }

    @Test func `on a disk that does not sync, the loop finds lost and partial records`() throws {
        let results = try Self.results(.reEnrollment, .crash) { $0.stopSyncing() }
        #expect(
            results.contains {
                $0.people != Work.reEnrollment.before && $0.people != Work.reEnrollment.after
            })
        #expect(results.contains { $0.done && $0.people == Work.reEnrollment.before })
    }

    @Test(arguments: [key, "/home/keys/key"])
    func `unsynced files of a killed process are made durable before anything is sealed`(
        key: String
    ) throws {
        let random = RandomSource.counting()
        for n in 1...60 {
            let disk = SimulatedDisk()
            disk.arm(.crash, at: n)
            _ = try? Self.open(disk, random, key: key)  // killed, but the machine keeps running
            guard disk.disarm() else { return }
            _ = try Self.open(disk, random, key: key).put(madeUpTemplate(seed: 2), as: ana)
            for outcome in disk.outcomes {
                #expect(
                    try Self.people(on: disk.afterCrash(outcome), random, key: key) == [ana: 2],
                    "killed at operation \(n)")
            }
        }
    }
}
