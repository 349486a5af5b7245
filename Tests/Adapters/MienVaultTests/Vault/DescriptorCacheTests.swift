import Foundation
import MienFace
import MienServerTesting
import MienVault
import Testing

/// Tests the descriptors that an evaluation caches.
@Suite struct DescriptorCacheTests {
    private static func open(_ folder: String, pipeline: String = "one") throws -> DescriptorCache {
        try DescriptorCache.open(
            folder: "\(folder)/cache/evaluation", keyPath: "\(folder)/evaluation.key",
            pipeline: pipeline)
    }

    private static func entry(_ seed: Float) throws -> DescriptorCache.Entry {
        DescriptorCache.Entry(
            descriptor: try FaceDescriptor(normalizing: [seed, 2, 3, 4]), quality: 61)
    }

    /// Returns the files of cached entries.
    private static func entries(_ folder: String) throws -> [String] {
        let root = "\(folder)/cache/evaluation"
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            $0.utf8.count == 65
        }.sorted().map { "\(root)/\($0)" }
    }

    private let photo: [UInt8] = [1, 2, 3], other: [UInt8] = [1, 2, 4]

    @Test
    func `a cached entry is found by the photo's bytes, even after the cache is reopened`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let cache = try Self.open(folder)
            #expect(cache.entry(for: photo) == nil)
            cache.keep(try Self.entry(1), for: photo)
            cache.keep(DescriptorCache.Entry(descriptor: nil, quality: 0), for: other)
            for cache in [cache, try Self.open(folder)] {
                #expect(try cache.entry(for: photo) == Self.entry(1))
                #expect(
                    cache.entry(for: other) == DescriptorCache.Entry(descriptor: nil, quality: 0))
                #expect(cache.entry(for: []) == nil)
            }
            cache.keep(try Self.entry(5), for: photo)
            #expect(try cache.entry(for: photo) == Self.entry(5) && Self.entries(folder).count == 2)
        }
    }

    @Test func `another pipeline does not find the entry`() async throws {
        try await withTemporaryFolder { folder throws in
            try Self.open(folder).keep(try Self.entry(1), for: photo)
            #expect(try Self.open(folder, pipeline: "two").entry(for: photo) == nil)
        }
    }

    @Test func `only the owner can read the cache, and the key is stored elsewhere`() async throws {
        try await withTemporaryFolder { folder throws in
            try Self.open(folder).keep(try Self.entry(1), for: photo)
            let file = try #require(try Self.entries(folder).first),
                key = "\(folder)/evaluation.key"
            for path in [file, key] { #expect(try mode(of: path) == 0o600) }
            for path in [
                "\(folder)/cache", "\(folder)/cache/evaluation",
                (file as NSString).deletingLastPathComponent,
            ] {
                #expect(try mode(of: path) == 0o700)
            }
            #expect(try contents(of: key).count == 32)
            // The folder alone cannot be opened: with a new key beside it, no entry is found.
            try FileManager.default.removeItem(atPath: key)
            #expect(try Self.open(folder).entry(for: photo) == nil)
        }
    }

    @Test func `a key that others can read is rejected`() async throws {
        try await withTemporaryFolder { folder throws in
            _ = try Self.open(folder)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o640], ofItemAtPath: "\(folder)/evaluation.key")
            let error = try #require(throws: FaceStoreError.self) { try Self.open(folder) }
            #expect(error.code == "key.mode")
        }
    }

    @Test
    func
        `a changed or truncated entry counts as missing and can be cached again`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let cache = try Self.open(folder)
            cache.keep(try Self.entry(1), for: photo)
            let file = try #require(try Self.entries(folder).first), right = try contents(of: file)
            for byte in right.indices {
                var wrong = right
                wrong[byte] ^= 1 << UInt8(byte % 8)
                try put(wrong, at: file)
                #expect(cache.entry(for: photo) == nil)
            }
            for count in stride(from: 0, to: right.count, by: 7) {
                try put(Array(right.prefix(count)), at: file)
                #expect(cache.entry(for: photo) == nil)
            }
            cache.keep(try Self.entry(1), for: photo)
            #expect(try cache.entry(for: photo) == Self.entry(1))
        }
    }

    @Test func `an entry moved to another photo's file cannot be opened`() async throws {
        try await withTemporaryFolder { folder throws in
            let cache = try Self.open(folder)
            cache.keep(try Self.entry(1), for: photo)
            let first = try #require(try Self.entries(folder).first)
            cache.keep(try Self.entry(2), for: other)
            let second = try #require(try Self.entries(folder).first { $0 != first })
            try put(try contents(of: first), at: second)
            #expect(try cache.entry(for: other) == nil && cache.entry(for: photo) == Self.entry(1))
        }
    }

    @Test func `leftovers of an interrupted process are removed`() async throws {
        try await withTemporaryFolder { folder throws in
            try Self.open(folder).keep(try Self.entry(1), for: photo)
            let parent = (try #require(try Self.entries(folder).first) as NSString)
                .deletingLastPathComponent
            try put([1], at: "\(parent)/.0123456789abcdef.tmp")
            _ = try Self.open(folder)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent).count == 1)
        }
    }

    @Test func `twenty concurrent opens create one key`() async throws {
        try await withTemporaryFolder { folder throws in
            let caches = try await withThrowingTaskGroup(of: DescriptorCache.self) { group in
                for _ in 0..<20 { group.addTask { try Self.open(folder) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // Not while others are opening the cache, because they remove unfinished files.
            for (i, cache) in caches.enumerated() {
                cache.keep(try Self.entry(Float(i)), for: [UInt8(i)])
            }
            let cache = try Self.open(folder)
            for i in 0..<20 { #expect(try cache.entry(for: [UInt8(i)]) == Self.entry(Float(i))) }
        }
    }

    @Test func `a cache that cannot be written only loses entries`() async throws {
        try await withTemporaryFolder { folder throws in
            let cache = try Self.open(folder)
            try FileManager.default.removeItem(atPath: "\(folder)/cache/evaluation")
            cache.keep(try Self.entry(1), for: photo)
            #expect(cache.entry(for: photo) == nil)
        }
    }
}
