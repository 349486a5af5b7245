internal import Synchronization

/// Puts load on a server with one task per worker, and measures every call.
public enum LoadRun {
    /// The work of one task. It sends one request at a time.
    public final class Worker {
        /// The worker's number, from 0.
        public let index: Int
        public let client: LoadClient
        fileprivate var milliseconds: [String: [Double]] = [:]

        fileprivate init(index: Int, client: LoadClient) {
            (self.index, self.client) = (index, client)
        }

        /// Runs a body and records its duration under `name`.
        public func measured<Output>(_ name: String, _ body: () async throws(LoadError) -> Output)
            async throws(LoadError) -> Output
        {
            let started = ContinuousClock.now
            let output = try await body()
            milliseconds[name, default: []].append(
                (ContinuousClock.now - started) / .milliseconds(1))
            return output
        }
    }

    public enum End: Sendable {
        case seconds(Double)
        /// The calls of all workers together.
        case calls(Int)
    }

    /// Calls `body` repeatedly on `workers` tasks.
    ///
    /// - Throws: the first error of any worker. The others then stop.
    public static func run(
        port: Int, workers: Int, until end: End,
        _ body: @escaping @Sendable (Worker) async throws -> Void
    ) async throws -> LoadFigures {
        try await LoadClient.with(port: port, connections: workers) { client in
            let quota = Quota(end), started = ContinuousClock.now
            let milliseconds = try await withThrowingTaskGroup(of: [String: [Double]].self) {
                group in
                for index in 0..<workers {
                    group.addTask {
                        let worker = Worker(index: index, client: client)
                        while !Task.isCancelled, quota.takes() { try await body(worker) }
                        return worker.milliseconds
                    }
                }
                return try await group.reduce(into: [:]) { all, part in
                    all.merge(part) { $0 + $1 }
                }
            }
            return LoadFigures(
                seconds: (ContinuousClock.now - started) / .seconds(1),
                latencies: milliseconds.mapValues { LoadFigures.Latency($0) })
        }
    }

    /// The remaining time or calls of a run.
    private final class Quota: Sendable {
        private let deadline: ContinuousClock.Instant?
        private let calls: Mutex<Int>

        init(_ end: End) {
            switch end {
            case .seconds(let seconds):
                deadline = .now + .seconds(seconds)
                calls = Mutex(0)
            case .calls(let count):
                deadline = nil
                calls = Mutex(count)
            }
        }

        /// Takes the next call; `false` when the run is over.
        func takes() -> Bool {
            if let deadline { return .now < deadline }
            return calls.withLock {
                $0 -= 1
                return $0 >= 0
            }
        }
    }
}
