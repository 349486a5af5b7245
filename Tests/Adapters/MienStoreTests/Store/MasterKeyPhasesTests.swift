import MienCore
import MienTesting
import MienVault
import Testing

@testable import MienStore

/// Explores rotations by three servers that are paused, crash, and start again at any point.
@Suite struct MasterKeyPhasesTests {
    private static let names = (0...40).map {
        MasterKey(bytes: Array(repeating: UInt8($0), count: 32), version: UInt32(max(1, $0))).name
    }

    /// A ring in memory or in a file.
    private struct Ring: Equatable {
        var keys: Set<Int>
        var sealing: Int
    }

    private struct Server {
        var file: Ring
        /// `nil` while it does not run.
        var memory: Ring?
        var isPaused = false, isSilent = false
        /// The last sign of life.
        var report: ServerKeyReport?
        var hasStopped = false
    }

    private struct Row {
        var state: MasterKeyPhases.State
        var opener: Int?
        var isPassDone: Bool
    }

    private struct World {
        var rows: [Int: Row] = [1: Row(state: .active, opener: nil, isPassDone: true)]
        var servers = Array(repeating: Server(file: Ring(keys: [1], sealing: 1)), count: 3)
        /// The keys of stored records.
        var records: [Int] = []
        var rotations = 0, removals = 0, stops = 0, refused = 0

        var phases: MasterKeyPhases {
            MasterKeyPhases(
                rows.map {
                    .init(
                        version: UInt32($0.key), name: names[$0.key], state: $0.value.state,
                        opener: $0.value.opener.map { names[$0] }, isPassDone: $0.value.isPassDone)
                })
        }

        func living(with index: Int) -> [LivingServer] {
            servers.indices.filter {
                index == $0 || (servers[$0].memory != nil && !servers[$0].isSilent)
            }
            .map { LivingServer(name: "\($0)", host: "", keys: servers[$0].report) }
        }

        var runs: [Int] {
            servers.indices.filter { servers[$0].memory != nil && !servers[$0].isPaused }
        }

        /// Follows the rows by one step.
        ///
        /// - Returns: whether there was one.
        mutating func step(_ index: Int) -> Bool {
            guard let memory = servers[index].memory else { return false }
            let phases = phases
            switch phases.step(
                held: Set(memory.keys.map { names[$0] }), sealing: names[memory.sealing])
            {
            case .take(let version):
                let key = Int(version)
                #expect(memory.keys.contains(rows[key]?.opener ?? 0), "the copy can be opened")
                servers[index].file = Ring(keys: memory.keys.union([key]), sealing: memory.sealing)
                servers[index].memory = servers[index].file
            case .seal(let version):
                servers[index].memory?.sealing = Int(version)
                rows[Int(version)]?.isPassDone = false
                servers[index].file = servers[index].memory!
            case .drop(let version):
                servers[index].memory?.keys.remove(Int(version))
                servers[index].file = servers[index].memory!
            case .stop:
                stops += 1
                (servers[index].memory, servers[index].hasStopped) = (nil, true)
                return false
            case nil:
                let memory = servers[index].memory!
                let report = ServerKeyReport(
                    stored: UInt32(servers[index].file.keys.max()!), active: UInt32(memory.sealing))
                defer { servers[index].report = report }
                return servers[index].report != report
            }
            return true
        }

        mutating func serve(_ index: Int) {
            guard servers[index].memory != nil else { return }
            switch phases.duty(living: living(with: index)) {
            case .activate(let version): rows[Int(version)]?.state = .active
            case .pass:
                let active = Int(phases.active!.version), memory = servers[index].memory!
                #expect(Set(records).isSubset(of: memory.keys), "the pass opens every record")
                records = records.map { _ in active }
                rows[active]?.isPassDone = true
            case nil: break
            }
        }

        mutating func write(_ index: Int) {
            let key = servers[index].memory!.sealing
            if rows[key]?.state == .removed { refused += 1 } else { records.append(key) }
        }

        mutating func start(_ index: Int) {
            servers[index].memory = servers[index].file
            servers[index].report = nil
            (servers[index].isPaused, servers[index].isSilent) = (false, false)
            while step(index) {}
        }

        mutating func act(_ generator: inout SeededGenerator) {
            let index = Int.random(in: 0..<3, using: &generator), phases = phases
            let isRunning = servers[index].memory != nil && !servers[index].isPaused
            switch Int.random(in: 0..<20, using: &generator) {
            case 0...6 where isRunning: _ = step(index)
            case 7...8 where isRunning: serve(index)
            case 9...11 where isRunning: write(index)
            case 12 where isRunning && phases.prepared == nil && phases.active!.isPassDone:
                let memory = servers[index].memory!
                guard names[memory.sealing] == phases.active!.name else { return }
                let version = Int(phases.nextVersion(after: UInt32(memory.keys.max()!)))
                guard version <= 40 else { return }
                rows[version] = Row(state: .prepared, opener: memory.sealing, isPassDone: false)
                rotations += 1
            case 13 where isRunning:
                guard let prepared = phases.prepared, Bool.random(using: &generator) else { return }
                rows[Int(prepared.version)]?.state = .canceled
                rows[Int(prepared.version)]?.opener = nil
            case 14...15 where isRunning:
                guard let old = phases.keys.first(where: { $0.state == .active }),
                    old != phases.active, phases.waitsToMove(living(with: index)).isEmpty,
                    !records.contains(Int(old.version))
                else { return }
                rows[Int(old.version)]?.state = .removed
                for (version, row) in rows where row.opener == Int(old.version) {
                    rows[version]?.opener = nil
                }
                removals += 1
            case 16 where isRunning: servers[index].isPaused = true
            case 17 where servers[index].isPaused:
                if Bool.random(using: &generator) {
                    servers[index].isSilent = true
                } else {
                    (servers[index].isPaused, servers[index].isSilent) = (false, false)
                }
            case 18 where isRunning:
                // Crashes, perhaps in the middle of a step that has stored already.
                servers[index].memory = nil
            case 19 where servers[index].memory == nil && !servers[index].hasStopped: start(index)
            default: break
            }
        }

        /// A broken invariant; `nil` if all hold.
        func fault() -> String? {
            let phases = phases, active = Int(phases.active!.version)
            for record in records where rows[record]?.state == .removed {
                return "nobody opens a record under version \(record)"
            }
            for server in servers {
                guard let memory = server.memory else { continue }
                let next = phases.step(
                    held: Set(memory.keys.map { names[$0] }), sealing: names[memory.sealing])
                guard next == nil else { continue }
                // It has followed, and opens everything, also after a crash.
                if !Set(records).isSubset(of: memory.keys) { return "a server lacks a key" }
                if !server.file.keys.contains(active) { return "the key in use is not stored" }
            }
            return nil
        }

        /// Lets everything that runs, or can run again, come to an end.
        mutating func settle() {
            for index in servers.indices where !servers[index].hasStopped {
                (servers[index].isPaused, servers[index].isSilent) = (false, false)
                if servers[index].memory == nil { start(index) }
            }
            for _ in 0..<12 {
                for index in servers.indices {
                    while step(index) {}
                    serve(index)
                }
            }
        }
    }

    @Test("servers are paused, die, and start again: no record is lost, and every rotation ends")
    func explored() {
        var totals = (rotations: 0, removals: 0, stops: 0, refused: 0, runs: 0)
        for seed in 0..<4000 as Range<UInt64> {
            var generator = TestSeed.generator(seed), world = World()
            for index in 0..<3 { world.start(index) }
            for _ in 0..<120 {
                world.act(&generator)
                if let fault = world.fault() {
                    Issue.record("seed \(seed): \(fault)")
                    return
                }
            }
            world.settle()
            #expect(world.fault() == nil, "seed \(seed)")
            guard let first = world.runs.first else { continue }
            let phases = world.phases
            #expect(phases.prepared == nil && phases.active!.isPassDone, "seed \(seed)")
            for index in world.runs {
                #expect(
                    world.servers[index].memory?.sealing == Int(phases.active!.version),
                    "seed \(seed)")
                #expect(world.servers[index].memory == world.servers[first].memory, "seed \(seed)")
                #expect(world.servers[index].file == world.servers[index].memory, "seed \(seed)")
            }
            #expect(Set(world.records).isSubset(of: [Int(phases.active!.version)]), "seed \(seed)")
            totals.rotations += world.rotations
            totals.removals += world.removals
            totals.stops += world.stops
            totals.refused += world.refused
            totals.runs += 1
        }
        print("explored: \(totals)")
        #expect(totals.rotations > 1000 && totals.removals > 100)
        #expect(totals.stops > 0 && totals.refused > 0, "servers were too old")
    }

    private static func key(
        _ version: UInt32, _ state: MasterKeyPhases.State, opener: UInt32? = nil,
        isPassDone: Bool = false
    ) -> MasterKeyPhases.Key {
        .init(
            version: version, name: names[Int(version)], state: state,
            opener: opener.map { names[Int($0)] }, isPassDone: isPassDone)
    }

    private static func server(_ stored: UInt32, _ active: UInt32) -> LivingServer {
        LivingServer(name: "srv", host: "", keys: ServerKeyReport(stored: stored, active: active))
    }

    @Test("a server takes keys in the order in which each opens the next, and then seals")
    func chain() {
        let phases = MasterKeyPhases([
            Self.key(1, .active), Self.key(2, .active, opener: 1), Self.key(3, .active, opener: 2),
            Self.key(4, .prepared, opener: 3),
        ])
        var held: Set = [Self.names[1]], sealing = Self.names[1], steps: [MasterKeyPhases.Step] = []
        while let step = phases.step(held: held, sealing: sealing), steps.count < 9 {
            steps.append(step)
            if case .take(let version) = step { held.insert(Self.names[Int(version)]) }
            if case .seal(let version) = step { sealing = Self.names[Int(version)] }
        }
        #expect(steps == [.take(2), .take(3), .take(4), .seal(3)])
        #expect(phases.step(held: [Self.names[7]], sealing: Self.names[7]) == .stop(3))
    }

    @Test("a key becomes the one in use only once every living server has stored it")
    func waits() {
        let phases = MasterKeyPhases([
            Self.key(1, .active, isPassDone: true), Self.key(2, .prepared, opener: 1),
        ])
        #expect(phases.duty(living: [Self.server(2, 1), Self.server(1, 1)]) == nil)
        let old = LivingServer(name: "old", host: "", keys: nil)
        #expect(phases.duty(living: [Self.server(2, 1), old]) == nil)
        #expect(phases.waitsToPrepare([Self.server(2, 1), old]) == [old])
        #expect(phases.duty(living: [Self.server(2, 1), Self.server(2, 1)]) == .activate(2))
    }

    @Test("records are sealed again only once every living server seals under the key in use")
    func passes() {
        let keys = [Self.key(1, .active), Self.key(2, .active, opener: 1)]
        let phases = MasterKeyPhases(keys)
        #expect(phases.duty(living: [Self.server(2, 2), Self.server(2, 1)]) == nil)
        #expect(phases.duty(living: [Self.server(1, 2)]) == nil, "it has not stored the key")
        #expect(phases.duty(living: [Self.server(2, 2), Self.server(2, 2)]) == .pass)
        let done = MasterKeyPhases([keys[0], Self.key(2, .active, opener: 1, isPassDone: true)])
        #expect(done.duty(living: [Self.server(2, 2)]) == nil)
    }

    @Test("no version is used twice, and ended keys are dropped")
    func versions() {
        let phases = MasterKeyPhases([
            Self.key(1, .removed), Self.key(2, .active), Self.key(3, .canceled),
        ])
        #expect(phases.nextVersion(after: 2) == 4 && phases.nextVersion(after: 7) == 8)
        let held: Set = [Self.names[1], Self.names[2], Self.names[3]]
        #expect(phases.step(held: held, sealing: Self.names[1]) == .seal(2))
        #expect(phases.step(held: held, sealing: Self.names[2]) == .drop(1))
        #expect(
            phases.step(held: [Self.names[2], Self.names[3]], sealing: Self.names[2]) == .drop(3))
        #expect(phases.step(held: [Self.names[2]], sealing: Self.names[2]) == nil)
    }
}
