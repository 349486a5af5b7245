import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct ChangeVersionReaderTests {
    /// A database whose answers the test gives out.
    private actor Source {
        private(set) var begun = 0
        private var open: [CheckedContinuation<ChangeVersionReader.Versions, any Error>] = []

        func read() async throws -> ChangeVersionReader.Versions {
            begun += 1
            return try await withCheckedThrowingContinuation { open.append($0) }
        }

        func answer(_ result: Result<ChangeVersionReader.Versions, any Error>) {
            open.removeFirst().resume(with: result)
        }
    }

    private let reader = ChangeVersionReader(), source = Source()

    private func ask() -> Task<Int64?, any Error> {
        Task { try await reader.versions { try await source.read() }[.apps] }
    }

    private func hasBegun(_ count: Int) async throws {
        let begun = try await Patience.see {
            await source.begun
        } until: {
            $0 >= count
        }
        #expect(begun == count)
    }

    /// Waits until `count` callers wait for the next read.
    private func areWaiting(_ count: Int) async throws {
        let waiting = try await Patience.see {
            reader.waitingCount
        } until: {
            $0 >= count
        }
        #expect(waiting == count)
    }

    @Test func `those that ask during a read share the next one`() async throws {
        let first = ask()
        try await hasBegun(1)
        let others = (0..<5).map { _ in ask() }
        try await areWaiting(5)
        #expect(await source.begun == 1, "the read under way may be too old for them")
        await source.answer(.success([.apps: 1]))
        #expect(try await first.value == 1)
        try await hasBegun(2)
        let last = ask()
        try await areWaiting(1)
        await source.answer(.success([.apps: 2]))
        for other in others { #expect(try await other.value == 2) }
        try await hasBegun(3)
        await source.answer(.success([.apps: 3]))
        #expect(try await last.value == 3)
        // Nobody is left, and the next one reads again.
        let next = ask()
        try await hasBegun(4)
        await source.answer(.success([:]))
        #expect(try await next.value == nil)
    }

    @Test func `a failed read fails those that share it or wait for the next one`() async throws {
        struct Stop: Error {}
        let first = ask()
        try await hasBegun(1)
        let second = ask(), third = ask()
        try await areWaiting(2)
        await source.answer(.success([.apps: 1]))
        #expect(try await first.value == 1)
        try await hasBegun(2)
        let fourth = ask()
        try await areWaiting(1)
        await source.answer(.failure(Stop()))
        for task in [second, third, fourth] {
            await #expect(throws: Stop.self) { try await task.value }
        }
        let next = ask()
        try await hasBegun(3)
        await source.answer(.success([.apps: 3]))
        #expect(try await next.value == 3)
    }
}
