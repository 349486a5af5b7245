import Foundation
import MienTesting
import Testing

@testable import MienModels

/// Compares with the machine's own gzip.
@Suite struct GzipStreamTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Compresses with `gzip`.
    private func compressed(_ bytes: [UInt8], level: Int = 6) async throws -> [UInt8] {
        let file = scratch("plain"), output = scratch("plain.gz")
        try Data(bytes).write(to: file)
        try await run("gzip", "-n", "-f", "-k", "-\(level)", file.path)
        return [UInt8](try Data(contentsOf: output))
    }

    /// Half noise and half text that repeats, so that blocks are stored and compressed.
    private static func sample(_ count: Int) -> [UInt8] {
        var generator = TestSeed.generator()
        return (0..<count).map {
            $0 % 4096 < 2048 ? UInt8.random(in: 0...255, using: &generator) : UInt8($0 % 13)
        }
    }

    private static func stream(_ bytes: [UInt8], atMost limit: Int = .max) -> GzipStream {
        var position = 0
        return GzipStream { count in
            let end = min(bytes.count, position + min(count, limit))
            defer { position = end }
            return Array(bytes[position..<end])
        }
    }

    private static func all(_ stream: GzipStream, by count: Int = 1 << 16) throws -> [UInt8] {
        var output: [UInt8] = []
        while true {
            let part = try stream.take(count)
            #expect(part.count <= count)
            if part.isEmpty { return output }
            output += part
        }
    }

    @Test(arguments: [0, 1, 4096, 70_000, 1_000_000], [1, 9])
    func `what gzip compressed is returned`(count: Int, level: Int) async throws {
        let plain = Self.sample(count), packed = try await compressed(plain, level: level)
        #expect(try Self.all(Self.stream(packed)) == plain)
        guard count <= 70_000 else { return }
        #expect(try Self.all(Self.stream(packed, atMost: 1), by: 100) == plain)
    }

    @Test func `members that follow each other are one stream, and later bytes are ignored`()
        async throws
    {
        let first = Self.sample(5000), second = Self.sample(77)
        let packed = try await compressed(first) + compressed(second)
        #expect(try Self.all(Self.stream(packed)) == first + second)
        #expect(try Self.all(Self.stream(packed, atMost: 3)) == first + second)
        #expect(try Self.all(Self.stream(packed + [0, 0, 0])) == first + second)
    }

    @Test func `a truncated stream ends early`() async throws {
        let plain = Self.sample(9000), packed = try await compressed(plain)
        for count in stride(from: 0, to: packed.count, by: 37) {
            let found = try Self.all(Self.stream(Array(packed[..<count])))
            #expect(found.count <= plain.count && plain.starts(with: found))
        }
    }

    @Test func `a flipped bit is found, or the stream ends early`() async throws {
        let plain = Self.sample(9000), packed = try await compressed(plain)
        // The header's time, extra flags, and system carry nothing.
        for index in [0, 1, 2] + Array(stride(from: 10, to: packed.count, by: 41)) {
            var damaged = packed
            damaged[index] ^= 1 << (index % 8)
            do {
                let found = try Self.all(Self.stream(damaged))
                #expect(found.count < plain.count, "byte \(index)")
            } catch { #expect(error is GzipStream.Malformed, "byte \(index): \(error)") }
        }
    }

    @Test func `a source's error is passed on`() {
        struct Broken: Error {}
        let stream = GzipStream { _ in throw Broken() }
        #expect(throws: Broken.self) { _ = try stream.take(10) }
    }
}
