import Dispatch
import Foundation
import MienCore
import MienModels
import Synchronization
import Testing

/// A gate at which workers wait. It blocks its thread, so use it only in jobs, never in tasks.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func pass() {
        semaphore.wait()
        semaphore.signal()
    }
    func open() { semaphore.signal() }
}

/// Yields to other tasks until `condition` holds.
private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

@Suite("Worker pool", .timeLimit(.minutes(15)))
struct WorkerPoolTests {
    private struct Broken: Error {}

    /// Keeps the only worker busy until the gate opens.
    private func hold<W>(_ pool: WorkerPool<W>, at gate: Gate) async -> Task<Void, any Error> {
        let held = Flag()
        let task = Task {
            try await pool.run { _ in
                held.set()
                gate.pass()
            }
        }
        await until { held.isSet }
        return task
    }

    /// A flag that a job on another thread may set.
    private final class Flag: Sendable {
        private let flag = Mutex(false)
        func set() { flag.withLock { $0 = true } }
        var isSet: Bool { flag.withLock { $0 } }
    }

    @Test("a job's result or error reaches the calling task")
    func answers() async throws {
        let pool = WorkerPool(workers: 1, label: "test") { 20 }
        #expect(try await pool.run { $0 + 1 } == 21)
        await #expect(throws: Broken.self) {
            try await pool.run { (_: inout Int) throws -> Int in throw Broken() }
        }
        #expect(try await pool.run { $0 } == 20)
    }

    @Test("a worker is created once and keeps its state between jobs")
    func state() async throws {
        let made = Counter()
        let pool = WorkerPool(workers: 1, label: "test") { () -> Int in
            made.add(1)
            return 0
        }
        for _ in 0..<10 { try await pool.run { $0 += 1 } }
        #expect(try await pool.run { $0 } == 10)
        #expect(made.value == 1)
    }

    @Test("jobs run in order of arrival")
    func order() async throws {
        let pool = WorkerPool(workers: 1, label: "test") { [Int]() }
        let gate = Gate(), holder = await hold(pool, at: gate)
        var tasks: [Task<Void, any Error>] = []
        for i in 0..<50 {
            tasks.append(Task { try await pool.run { $0.append(i) } })
            await until { pool.waiting == i + 1 }
        }
        gate.open()
        try await holder.value
        for task in tasks { try await task.value }
        #expect(try await pool.run { $0 } == Array(0..<50))
    }

    @Test(
        "a full queue refuses the next job as busy and serves the waiting ones")
    func limit() async throws {
        let pool = WorkerPool(workers: 1, queueLimit: 3, label: "test") { 0 }
        let gate = Gate(), holder = await hold(pool, at: gate)
        let waiting = (0..<3).map { i in Task { try await pool.run { _ in i } } }
        await until { pool.waiting == 3 }
        await #expect(throws: InferenceError(.busy, "")) { try await pool.run { _ in } }
        #expect(pool.waiting == 3)
        gate.open()
        try await holder.value
        for (i, task) in waiting.enumerated() { #expect(try await task.value == i) }
        #expect(try await pool.run { _ in 7 } == 7)
    }

    @Test("a share with many jobs waiting delays another share's job by one")
    func fairness() async throws {
        let pool = WorkerPool(
            workers: 1, limits: WorkLimits(total: 100, perOwner: 50, perPart: 20, wait: nil),
            label: "test"
        ) { [String]() }
        let gate = Gate(), holder = await hold(pool, at: gate)
        let flood = (0..<40).map { i in
            Task { try await pool.run(for: .address("A", naming: "\(i)")) { $0.append("A") } }
        }
        await until { pool.waiting == 40 }
        let other = Task { try await pool.run(for: .address("B")) { $0.append("B") } }
        await until { pool.waiting == 41 }
        gate.open()
        try await holder.value
        try await other.value
        for task in flood { try await task.value }
        let order = try await pool.run { $0 }
        #expect(order.count == 41 && order.prefix(2).contains("B"))
    }

    @Test("a job that waits too long is refused as busy and never runs, but the next one runs")
    func wait() async throws {
        let pool = WorkerPool(
            workers: 1,
            limits: WorkLimits(total: 10, perOwner: 10, perPart: 10, wait: .milliseconds(50)),
            label: "test"
        ) { 0 }
        let gate = Gate(), holder = await hold(pool, at: gate), ran = Counter()
        let late = Task { try await pool.run { _ in ran.add(1) } }
        await until { pool.waiting == 1 }
        try await Task.sleep(for: .milliseconds(60))
        gate.open()
        try await holder.value
        await #expect(throws: InferenceError(.busy, "")) { try await late.value }
        #expect(try await pool.run { _ in 7 } == 7)
        #expect(ran.value == 0)
    }

    @Test("a job that loses its place to a smaller share is refused as busy")
    func displaced() async throws {
        let pool = WorkerPool(
            workers: 1, limits: WorkLimits(total: 4, perOwner: 4, perPart: 4, wait: nil),
            label: "test"
        ) { 0 }
        let gate = Gate(), holder = await hold(pool, at: gate)
        let flood = (0..<4).map { _ in Task { try await pool.run(for: .address("A")) { _ in } } }
        await until { pool.waiting == 4 }
        let other = Task { try await pool.run(for: .address("B")) { _ in 9 } }
        let results = await withTaskGroup(of: Bool.self) { group in
            for task in flood {
                group.addTask {
                    if case .failure(let error as InferenceError) = await task.result {
                        error.code == .busy
                    } else {
                        false
                    }
                }
            }
            let first = await group.next()
            gate.open()
            return await group.reduce(into: [first ?? false]) { $0.append($1) }
        }
        #expect(results.count { $0 } == 1)
        try await holder.value
        #expect(try await other.value == 9)
    }

    @Test("a task canceled before its call never runs its job")
    func cancelledBefore() async throws {
        let pool = WorkerPool(workers: 1, label: "test") { 0 }, ran = Counter()
        for _ in 0..<100 {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await pool.run { _ in ran.add(1) }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await pool.run { _ in }
        #expect(ran.value == 0)
        #expect(pool.waiting == 0)
    }

    @Test("a task canceled while it waits leaves the queue at once without running its job")
    func cancelledWaiting() async throws {
        let pool = WorkerPool(workers: 1, queueLimit: 2, label: "test") { 0 }, ran = Counter()
        let gate = Gate(), holder = await hold(pool, at: gate)
        let first = Task { try await pool.run { _ in ran.add(1) } }
        await until { pool.waiting == 1 }
        let second = Task { try await pool.run { _ in ran.add(100) } }
        await until { pool.waiting == 2 }
        first.cancel()
        // The worker is still held, so only the cancellation can have resumed the task.
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(pool.waiting == 1)
        gate.open()
        try await holder.value
        try await second.value
        #expect(ran.value == 100)
    }

    @Test("a running job finishes when its task is canceled")
    func cancelledRunning() async throws {
        let pool = WorkerPool(workers: 1, label: "test") { 0 }
        let gate = Gate(), started = Flag()
        let task = Task {
            try await pool.run { _ -> Int in
                started.set()
                gate.pass()
                return 5
            }
        }
        await until { started.isSet }
        task.cancel()
        gate.open()
        #expect(try await task.value == 5)
    }

    @Test("tasks canceled at any moment return, and the pool continues")
    func cancelledAnytime() async throws {
        let pool = WorkerPool(workers: 2, label: "test") { 0 }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for i in 0..<500 {
                group.addTask {
                    let task = Task { try await pool.run { _ in i } }
                    if i % 3 == 0 { await Task.yield() }
                    task.cancel()
                    return switch await task.result {
                    case .success(let answer): answer == i
                    case .failure(let error): error is CancellationError
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.count == 500 && outcomes.allSatisfy(\.self))
        #expect(pool.waiting == 0)
        #expect(try await pool.run { _ in 1 } == 1)
    }

    @Test("2,000 jobs from 200 tasks each run once, one at a time on each worker")
    func many() async throws {
        let list = TallyList()
        let pool = WorkerPool(workers: 3, queueLimit: 2000, label: "test") { list.new() }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<200 {
                group.addTask {
                    var sum = 0
                    for job in 0..<10 {
                        sum += try await pool.run { tally in
                            // Not atomic: two concurrent jobs on one worker would lose increments.
                            tally.count += 1
                            return task * 10 + job
                        }
                    }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1999 * 2000 / 2)
        #expect(list.total == 2000)
    }

    @Test("a worker that cannot be created fails every job with the reason")
    func cannotBeMade() async throws {
        let pool = WorkerPool<Int>(workers: 2, label: "test") { throw Broken() }
        for _ in 0..<5 { await #expect(throws: Broken.self) { try await pool.run { $0 } } }
        #expect(pool.waiting == 0)
    }

    @Test("releasing the pool ends its workers and threads")
    func workersEnd() async throws {
        let ended = Counter(), label = "gone\(UInt16.random(in: 1000...9999))"
        var pool: WorkerPool<Mourned>? = WorkerPool(workers: 3, label: label) { Mourned(ended) }
        #expect(try await pool!.run { _ in 1 } == 1)
        await until { threads(named: label) == 3 }
        pool = nil
        #expect(ended.value == 3)
        // The kernel may list a thread for a moment after its end was reported.
        await until { threads(named: label) == 0 }
    }

    /// Returns the number of threads in this process whose names start with `label`.
    private func threads(named label: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix(
                label) ?? false
        }
    }

    @Test("the last reference to the pool may be released by one of its jobs")
    func letGoByAJob() async throws {
        let ended = Counter()
        for _ in 0..<200 {
            var pool: WorkerPool<Mourned>? = WorkerPool(workers: 2, label: "test") {
                Mourned(ended)
            }
            let task = Task { [pool] in try await pool!.run { [pool] _ in _ = pool } }
            pool = nil
            try await task.value
        }
        await until { ended.value == 400 }
    }

    @Test("no task waits forever when the pool is released")
    func waitersResume() async throws {
        var pool: WorkerPool<Int>? = WorkerPool(workers: 1, label: "test") { 0 }
        let gate = Gate(), holder = await hold(pool!, at: gate)
        let tasks = (0..<20).map { i in Task { [pool] in try await pool!.run { _ in i } } }
        await until { pool!.waiting == 20 }
        pool = nil
        gate.open()
        try await holder.value
        for (i, task) in tasks.enumerated() {
            switch await task.result {
            case .success(let answer): #expect(answer == i)
            case .failure(let error):
                #expect(error as? InferenceError == InferenceError(.stopped, ""))
            }
        }
    }

    /// Uses more blocked jobs than any cooperative pool has threads. If they held its threads, no
    /// other task could run and open the gate.
    @Test("blocking jobs do not delay other tasks", arguments: [16, 64])
    func blocking(workers: Int) async throws {
        let pool = WorkerPool(workers: workers, label: "test") { 0 }
        let gate = Gate(), blocked = Counter()
        let tasks = (0..<workers).map { _ in
            Task {
                try await pool.run { _ in
                    blocked.add(1)
                    gate.pass()
                }
            }
        }
        await until { blocked.value == workers }
        let others = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await Task.yield()
                    return 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(others == 200)
        #expect(blocked.value == workers)
        gate.open()
        for task in tasks { try await task.value }
    }

    @Test("zero workers or a queue without room traps")
    func preconditions() async {
        await #expect(processExitsWith: .failure) {
            _ = WorkerPool(workers: 0, label: "test") { 0 }
        }
        await #expect(processExitsWith: .failure) {
            _ = WorkerPool(workers: 1, queueLimit: 0, label: "test") { 0 }
        }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    func add(_ n: Int) { count.withLock { $0 += n } }
    var value: Int { count.withLock { $0 } }
}

/// A counter without a lock. It is right only when one job at a time uses it.
private final class Tally: @unchecked Sendable { var count = 0 }

private final class TallyList: Sendable {
    private let tallies = Mutex<[Tally]>([])
    func new() -> Tally {
        let tally = Tally()
        tallies.withLock { $0.append(tally) }
        return tally
    }
    var total: Int { tallies.withLock { $0.reduce(0) { $0 + $1.count } } }
}

/// Counts its own deinitialization, which takes a while.
private final class Mourned {
    private let ended: Counter
    init(_ ended: Counter) { self.ended = ended }
    deinit {
        usleep(2000)
        ended.add(1)
    }
}
