internal import Foundation
internal import Synchronization

/// Puts load on a server with one thread per connection, and measures every call.
public enum LoadRun {
    /// The work of one thread.
    public final class Worker {
        /// The worker's number, from 0.
        public let index: Int
        public let connection: LoadConnection
        fileprivate var milliseconds: [String: [Double]] = [:]

        fileprivate init(index: Int, port: Int) throws(LoadError) {
            self.index = index
            connection = try LoadConnection(port: port)
        }

        /// Runs a body and records its duration under `name`.
        public func measured<Output>(_ name: String, _ body: () throws(LoadError) -> Output)
            throws(LoadError) -> Output
        {
            let started = ContinuousClock.now
            let output = try body()
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

    /// Calls `body` repeatedly on `workers` threads.
    ///
    /// - Throws: the first error of any worker. The others then stop.
    public static func run(
        port: Int, workers: Int, until end: End, _ body: @escaping @Sendable (Worker) throws -> Void
    ) throws -> LoadFigures {
        let state = Mutex<(left: Int, failure: (any Error)?, milliseconds: [String: [Double]])>(
            (0, nil, [:]))
        let started = ContinuousClock.now
        if case .calls(let count) = end { state.withLock { $0.left = count } }
        let mayGoOn: @Sendable () -> Bool = {
            state.withLock { state in
                guard state.failure == nil else { return false }
                switch end {
                case .seconds(let seconds): return ContinuousClock.now - started < .seconds(seconds)
                case .calls:
                    state.left -= 1
                    return state.left >= 0
                }
            }
        }
        let group = DispatchGroup()
        for index in 0..<workers {
            group.enter()
            let thread = Thread {
                defer { group.leave() }
                do {
                    let worker = try Worker(index: index, port: port)
                    while mayGoOn() { try body(worker) }
                    let milliseconds = worker.milliseconds
                    state.withLock { $0.milliseconds.merge(milliseconds) { $0 + $1 } }
                } catch {
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let (failure, milliseconds) = state.withLock { ($0.failure, $0.milliseconds) }
        if let failure { throw failure }
        return LoadFigures(
            seconds: seconds, latencies: milliseconds.mapValues { LoadFigures.Latency($0) })
    }
}

/// The measurements of a run.
public struct LoadFigures: Sendable, Encodable {
    /// Milliseconds from the first byte sent to the last byte received.
    public struct Latency: Sendable, Encodable {
        public let count: Int
        public let p50, p95, p99, most: Double

        /// Returns a percentile by the nearest-rank method.
        public init(_ milliseconds: [Double]) {
            let sorted = milliseconds.sorted()
            func rank(_ part: Double) -> Double {
                sorted.isEmpty
                    ? 0 : sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)]
            }
            (count, p50, p95, p99, most) = (
                sorted.count, rank(0.5), rank(0.95), rank(0.99), sorted.last ?? 0
            )
        }
    }

    public let seconds: Double
    /// The latencies by the names under which calls were measured.
    public let latencies: [String: Latency]

    public init(seconds: Double, latencies: [String: Latency]) {
        (self.seconds, self.latencies) = (seconds, latencies)
    }

    public func perSecond(_ name: String) -> Double {
        Double(latencies[name]?.count ?? 0) / seconds
    }
}
