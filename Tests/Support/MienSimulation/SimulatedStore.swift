import MienAPI
import MienCore
import MienStore
import Synchronization

/// One life of a server's process, from its start to its crash.
public final class Incarnation: Sendable {
    public let server: Int
    /// Tells the lives of a server apart.
    public let life: Int
    private let dead = Atomic(false)

    public init(server: Int, life: Int = 0) { (self.server, self.life) = (server, life) }

    /// The name of the process, which no other one has.
    public var name: String { "server \(server), life \(life)" }

    public var isDead: Bool { dead.load(ordering: .relaxed) }
    public func die() { dead.store(true, ordering: .relaxed) }

    /// The process that the current task belongs to; `nil` for what the simulation itself does.
    @TaskLocal public static var current: Incarnation?
}

/// How often the store and the way to it fail, in percent of all calls.
public struct StoreFaults: Sendable {
    /// The call does not arrive.
    public var lost = 0
    /// The transaction is committed, but nobody is told.
    public var unacknowledged = 0
    /// The transaction is rolled back and run again, as after a serialization failure.
    public var rerun = 0
    /// The longest way to the store, and back, in milliseconds.
    public var delay = 0

    public init(lost: Int = 0, unacknowledged: Int = 0, rerun: Int = 0, delay: Int = 0) {
        (self.lost, self.unacknowledged, self.rerun) = (lost, unacknowledged, rerun)
        self.delay = delay
    }
}

/// The database of several simulated servers: real SQL in memory, behind a way on which calls and
/// answers are late or lost. Transactions run one after another, as serializable ones appear to.
public final class SimulatedStore: SQLDriver {
    private struct State {
        var world: SimulatedWorld?
        var faults = StoreFaults()
        var isUp = true
        var isCalm = false
    }

    private let database: MemoryDatabase
    private let state = Mutex(State())

    init(_ database: MemoryDatabase) { self.database = database }

    /// Puts the store into a world. Before and after, calls are answered at once.
    public func enter(_ world: SimulatedWorld?, faults: StoreFaults = StoreFaults()) {
        state.withLock { $0 = State(world: world, faults: faults) }
    }

    /// While paused, calls take time and never fail.
    public func pauseFaults(_ isPaused: Bool) { state.withLock { $0.isCalm = isPaused } }

    /// Stops the store: calls fail until it starts again.
    public func stop() { state.withLock { $0.isUp = false } }
    public func start() { state.withLock { $0.isUp = true } }

    public func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await call { [database] faults, world in
            if let world, world.happens(faults.rerun) {
                // The closure runs, and nothing of what it wrote remains.
                do {
                    try database.write(.process) {
                        _ = try body($0)
                        throw Conflict()
                    }
                } catch is Conflict {} catch { throw error }
            }
            return try database.write(durability, body)
        }
    }

    public func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await call { [database] _, _ in try database.read(body) }
    }

    private func call<Output: Sendable>(
        _ body: (StoreFaults, SimulatedWorld?) throws -> Output
    ) async throws -> Output {
        let (world, faults) = state.withLock {
            ($0.world, $0.isCalm ? StoreFaults(delay: $0.faults.delay) : $0.faults)
        }
        guard let world else { return try body(faults, nil) }
        let process = Incarnation.current
        await world.pause(Int64(world.random(0...faults.delay)))
        // A process that was killed sends nothing any more.
        try Self.requireAlive(process)
        guard state.withLock({ $0.isUp }), !world.happens(faults.lost) else {
            throw StoreError(.unreachable, "the simulated store does not answer")
        }
        let result = Result { try body(faults, world) }
        let isUnacknowledged = world.happens(faults.unacknowledged)
        await world.pause(Int64(world.random(0...faults.delay)))
        try Self.requireAlive(process)
        if isUnacknowledged {
            throw StoreError(.unreachable, "the simulated store's answer was lost")
        }
        return try result.get()
    }

    private static func requireAlive(_ process: Incarnation?) throws(StoreError) {
        if process?.isDead == true { throw StoreError(.unreachable, "the process was killed") }
    }

    // MARK: SQLDriver

    public var dialect: SQLDialect { .sqlite }
    public var isShared: Bool { true }

    public func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await write(.always, body) }

    /// Nothing that runs in a trial listens.
    public func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        AsyncStream { $0.yield(.resynchronize) }
    }

    public func close() throws {}

    public var waitingWrites: Int { 0 }
    public var maxWaitingWrites: Int { 1 }
    public var reads: Int { 0 }
    public var readers: Int { 1 }
}

/// Ends a transaction that is run again.
private struct Conflict: Error {}
