import MienCore
import Synchronization

/// Time and threads of a simulation. Tasks that run in it take turns on one thread, in an order that
/// the seed decides, and time passes only while all of them wait.
///
/// Everything random in a simulation comes from ``random``, so that a seed repeats every step.
public final class SimulatedWorld: TaskExecutor {
    private struct Timer {
        let at: Int64
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct State {
        var generator: SeededGenerator
        var now: Int64 = 0
        var ready: [UnownedJob] = []
        var timers: [Timer] = []
        var steps = 0
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var trace: [String]?
    }

    private let state: Mutex<State>

    /// - Parameter traces: whether to keep a text of what happens.
    public init(seed: UInt64, traces: Bool = false) {
        var first = State(generator: SeededGenerator(seed: seed))
        if traces { first.trace = [] }
        state = Mutex(first)
    }

    // MARK: What runs in it

    /// Milliseconds since the beginning.
    public var now: Int64 { state.withLock { $0.now } }

    /// The number of steps that were run.
    public var steps: Int { state.withLock { $0.steps } }

    /// Starts a task in this world.
    public func start(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    /// Waits. Zero lets others run.
    public func pause(_ milliseconds: Int64) async {
        await withUnsafeContinuation { continuation in
            state.withLock { state in
                state.timers.append(
                    Timer(at: state.now + milliseconds, continuation: continuation))
            }
        }
    }

    public func random(_ range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    /// Whether something happens that has this chance, in percent.
    public func happens(_ percent: Int) -> Bool { random(1...100) <= percent }

    public func pick<Element>(_ elements: [Element]) -> Element {
        elements[random(0...elements.count - 1)]
    }

    /// Notes what happened, for ``digest`` and ``trace``.
    public func note(_ what: @autoclosure () -> String) {
        let text = what()
        state.withLock { state in
            for byte in text.utf8 {
                state.digest = (state.digest ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            state.trace?.append("\(state.now) ms  \(text)")
        }
    }

    /// A hash of everything noted so far, in its order. Two runs with one seed have the same.
    public var digest: UInt64 { state.withLock { $0.digest } }
    /// The recorded events, if the world keeps them.
    public var trace: [String] { state.withLock { $0.trace ?? [] } }

    // MARK: Running

    /// Runs everything until nothing is left to do. Call it on a thread outside of Swift's tasks.
    public func run() {
        while let step = next() {
            switch step {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .timer(let timer): timer.continuation.resume()
            }
        }
    }

    private enum Step {
        case job(UnownedJob)
        case timer(Timer)
    }

    private func next() -> Step? {
        state.withLock { state in
            state.steps += 1
            if !state.ready.isEmpty {
                let index = Int.random(in: state.ready.indices, using: &state.generator)
                state.ready.swapAt(index, state.ready.count - 1)
                return .job(state.ready.removeLast())
            }
            guard let soonest = state.timers.map(\.at).min() else { return nil }
            // Among those that end at the same time, the seed decides.
            let due = state.timers.indices.filter { state.timers[$0].at == soonest }
            let timer = state.timers.remove(
                at: due[Int.random(in: due.indices, using: &state.generator)])
            state.now = max(state.now, timer.at)
            return .timer(timer)
        }
    }

    // MARK: TaskExecutor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }
}
