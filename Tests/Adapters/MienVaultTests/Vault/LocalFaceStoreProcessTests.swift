import Foundation
import MienFace
import MienServerTesting
import MienVault
import Synchronization
import Testing

/// Tests with several threads, and with a process that is killed.
@Suite struct LocalFaceStoreProcessTests {
    @Test func `twenty concurrent enrollments lose nobody and enroll nobody twice`() async throws {
        try await withTemporaryFolder { folder throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for i in 0..<20 {
                    group.addTask {
                        let store = try LocalFaceStoreTests.open(folder)
                        _ = try store.put(
                            madeUpTemplate(seed: i), as: PersonName("person \(i % 10)"))
                    }
                }
                try await group.waitForAll()
            }
            let listing = try LocalFaceStoreTests.open(folder).list()
            #expect(
                listing.faces.map(\.name.text) == (0..<10).map { "person \($0)" }
                    && listing.damaged.isEmpty)
        }
    }

    @Test func `a writer blocks others, and a reader does not block readers`() async throws {
        try await withTemporaryFolder { folder throws in
            let files = POSIXFileSystem()
            let first = try files.lock("\(folder)/lock", .shared),
                second = try files.lock("\(folder)/lock", .shared)
            first.release()
            second.release()
            let writer = try files.lock("\(folder)/lock", .exclusive)
            // Separate threads: tasks share a few threads, and these block.
            let taken = Mutex<[LockMode]>([]), done = DispatchGroup()
            for mode in [LockMode.exclusive, .shared] {
                done.enter()
                Thread.detachNewThread {
                    if let lock = try? files.lock("\(folder)/lock", mode) {
                        taken.withLock { $0.append(mode) }
                        lock.release()
                    }
                    done.leave()
                }
            }
            // Not a task's sleep, which may last longer than the others are willing to wait.
            usleep(300_000)
            #expect(
                taken.withLock { $0.isEmpty }, "a writer blocks both writers and readers")
            writer.release()
            await withCheckedContinuation { next in done.notify(queue: .global()) { next.resume() }
            }
            #expect(taken.withLock { $0.count } == 2)
        }
    }

    @Test(arguments: [3, 17, 41, 73])
    func `after a kill during re-enrollment, the store opens with one complete record`(
        milliseconds: Int
    )
        async throws
    {
        try await withTemporaryFolder { folder throws in
            _ = try LocalFaceStoreTests.open(folder).put(madeUpTemplate(seed: 0), as: ana)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, milliseconds = milliseconds as Int] in
                let store = try LocalFaceStoreTests.open(folder)
                Thread.detachNewThread {
                    usleep(UInt32(milliseconds) * 1000)
                    kill(getpid(), SIGKILL)
                }
                for seed in 1... { _ = try store.put(madeUpTemplate(seed: seed), as: ana) }
            }
            let listing = try LocalFaceStoreTests.open(folder).list()
            #expect(listing.faces.map(\.name) == [ana] && listing.damaged.isEmpty)
            let template = try #require(listing.faces.first).template
            #expect(try template == madeUpTemplate(seed: Int(template.createdAt.milliseconds)))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(folder)/vault/faces").count
                    == 2, "the record and the lock")
        }
    }
}
