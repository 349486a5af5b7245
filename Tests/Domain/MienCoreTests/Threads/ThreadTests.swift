import Foundation
import MienCore
import Synchronization
import Testing

@Suite struct ThreadTests {
    private final class Kept: Sendable {
        let released: @Sendable () -> Void
        init(_ released: @escaping @Sendable () -> Void) { self.released = released }
        deinit { released() }
    }

    @Test func `join waits for the body, and for what it holds to be released`() throws {
        let seen = Mutex<[String]>([])
        do {
            let kept = Kept { seen.withLock { $0.append("released") } }
            let thread = try #require(
                WorkerThread(name: "mien.test") {
                    Thread.sleep(forTimeInterval: 0.02)
                    seen.withLock { $0.append(Thread.current.name ?? "") }
                    withExtendedLifetime(kept) {}
                })
            thread.join()
        }
        #expect(seen.withLock { $0 } == ["mien.test", "released"])
    }

    private actor Counter {
        private let executor = ThreadExecutor(name: "mien.counter")
        private var threads: Set<String> = [], count = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }

        func add() {
            count += 1
            threads.insert(Thread.current.name ?? "")
        }

        var result: (count: Int, threads: Set<String>) { (count, threads) }
    }

    @Test func `an actor's jobs all run on its executor's thread`() async {
        let counter = Counter()
        await withTaskGroup { group in
            for _ in 0..<500 { group.addTask { await counter.add() } }
        }
        let result = await counter.result
        #expect(result.count == 500 && result.threads == ["mien.counter"])
    }
}
