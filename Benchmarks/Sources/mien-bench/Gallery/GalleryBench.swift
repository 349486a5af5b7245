import Foundation
import MienCore
import MienFace
import MienLoad
import MienServer
import MienStore

/// Measures how a server holds and searches the faces of an app.
struct GalleryBench {
    let store: GalleryStore
    let searches: Int
    let threads: Int
    /// Whether to skip what takes another load, and the search that reads the store.
    let loadsOnce: Bool

    struct Result: Encodable {
        let faces: Int
        let dimension: Int
        let threads: Int
        /// Reading, decrypting, and preparing all faces.
        let loadSeconds: Double
        /// The growth of the process, and the count of the worker.
        let residentBytes, reservedBytes: Int
        /// Milliseconds; those after changes with one thread, or all if faces were loaded once.
        let allThreads, afterChanges, scan: LoadFigures.Latency
        let searchesPerSecond: Double
        /// `nil` if faces were loaded once.
        let oneThread: LoadFigures.Latency?
        let storeSeconds: Double?
    }

    private static let parts = Set(GalleryPart.all)
    /// The number of candidates of a search for duplicates.
    private static let limit = 14
    private static let changes = 100

    func run() async throws -> Result {
        // The first to take memory: what is released stays with the process.
        let worker = worker(threads: threads), before = Self.residentBytes
        let loadSeconds = try await load(worker)
        let residentBytes = Self.residentBytes - before, reserved = worker.load.bytes
        let allThreads = try await latency(searches, of: worker)
        let perSecond = try await throughput(of: worker)
        var oneThread: LoadFigures.Latency?, storeSeconds: Double?
        let afterChanges: LoadFigures.Latency
        if loadsOnce {
            afterChanges = try await latencyAfterChanges(of: worker)
            await worker.clear()
        } else {
            await worker.clear()
            let one = self.worker(threads: 1)
            _ = try await load(one)
            oneThread = try await latency(searches, of: one)
            afterChanges = try await latencyAfterChanges(of: one)
            await one.clear()

            let begun = ContinuousClock.now
            _ = try await worker.searchStore(try query(0))
            storeSeconds = (ContinuousClock.now - begun) / .seconds(1)
        }
        return Result(
            faces: store.faces, dimension: store.matcher.dimension, threads: threads,
            loadSeconds: loadSeconds, residentBytes: residentBytes, reservedBytes: reserved,
            allThreads: allThreads, afterChanges: afterChanges, scan: try scan(),
            searchesPerSecond: perSecond, oneThread: oneThread, storeSeconds: storeSeconds)
    }

    private func worker(threads: Int) -> GalleryWorker {
        GalleryWorker(
            store: store.store, matcher: store.matcher, pack: store.pack,
            memoryBytes: 1 << 40, threads: threads)
    }

    /// A face of somebody in the gallery.
    private func query(_ number: Int) throws -> GalleryQuery {
        GalleryQuery(
            app: GalleryStore.app, pack: store.pack,
            probe: try store.matcher.reference(for: store.template(number)), limit: Self.limit,
            threshold: MatchScore.defaultThreshold)
    }

    /// - Returns: the seconds that it took.
    private func load(_ worker: GalleryWorker) async throws -> Double {
        let begun = ContinuousClock.now
        try await search(worker, 0)
        guard worker.load.faces == store.faces else {
            throw LoadError("\(worker.load.faces) of \(store.faces) faces are in memory")
        }
        return (ContinuousClock.now - begun) / .seconds(1)
    }

    private func search(_ worker: GalleryWorker, _ number: Int) async throws {
        let answer = try await worker.search(query(number), in: Self.parts, loading: .first)
        guard answer.parts == Self.parts, let best = answer.candidates.first,
            best.normalizedScore > (answer.candidates.dropFirst().first?.normalizedScore ?? -1)
        else { throw LoadError("a face was not found") }
    }

    private func latency(_ count: Int, of worker: GalleryWorker) async throws
        -> LoadFigures.Latency
    {
        var times: [Double] = []
        for index in 0..<count {
            let number = index * (store.faces / count), begun = ContinuousClock.now
            try await search(worker, number)
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
        }
        return LoadFigures.Latency(times)
    }

    /// Each search finds a hundred new faces to apply.
    private func latencyAfterChanges(of worker: GalleryWorker) async throws
        -> LoadFigures.Latency
    {
        var times: [Double] = [], next = store.faces
        for _ in 0..<min(20, searches) {
            try await store.add(next..<next + Self.changes)
            let begun = ContinuousClock.now
            try await search(worker, next)
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
            next += Self.changes
        }
        guard worker.load.faces == next else { throw LoadError("a change was not applied") }
        return LoadFigures.Latency(times)
    }

    /// As many searches at a time as there are threads.
    private func throughput(of worker: GalleryWorker) async throws -> Double {
        let begun = ContinuousClock.now, count = searches, faces = store.faces
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for lane in 0..<threads {
                tasks.addTask {
                    for index in stride(from: lane, to: count, by: threads) {
                        try await search(worker, index * (faces / count))
                    }
                }
            }
            try await tasks.waitForAll()
        }
        return Double(count) / ((ContinuousClock.now - begun) / .seconds(1))
    }

    /// Comparing a probe with as many faces in one gallery, in this thread, without a store.
    private func scan() throws -> LoadFigures.Latency {
        var gallery = Gallery<Int>(matcher: store.matcher)
        gallery.reserveCapacity(store.faces)
        // The time does not depend on the numbers.
        let some = try (0..<64).map { try store.matcher.reference(for: store.template($0)) }
        for index in 0..<store.faces { gallery.insert(some[index % some.count], id: index) }
        let probe = try store.matcher.reference(for: store.template(store.faces))
        var times: [Double] = []
        for _ in 0..<min(searches, 50) {
            let begun = ContinuousClock.now
            let found = gallery.identify(
                probe, limit: Self.limit, threshold: MatchScore.defaultThreshold)
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
            guard found.isEmpty else { throw LoadError("a stranger was found") }
        }
        return LoadFigures.Latency(times)
    }

    private static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
