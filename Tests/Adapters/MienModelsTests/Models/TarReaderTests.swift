import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienModels

@Suite("Tar reader")
struct TarReaderTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Returns the contents of an archive, read in parts of `part` bytes.
    private func files(_ archive: [UInt8], limit: Int = 1 << 20, part: Int = 1000) throws -> [(
        path: String, bytes: [UInt8]
    )] {
        var rest = archive[...], found: [(path: String, bytes: [UInt8])] = []
        var reader = TarReader(limit: limit) { count in
            defer { rest = rest.dropFirst(min(count, part)) }
            return Array(rest.prefix(min(count, part)))
        }
        while let entry = try reader.next() {
            guard !entry.isFolder else { continue }
            var bytes: [UInt8] = []
            try reader.contents { bytes += $0 }
            #expect(bytes.count == entry.size)
            found.append((entry.path.joined(separator: "/"), bytes))
        }
        return found
    }

    private func archive(_ arguments: String...) async throws -> [UInt8] {
        let archive = scratch("made.tar").path
        try await ProgramRun.output(
            of: "tar", ["-cf", archive, "-C", scratch.url.path] + arguments)
        return [UInt8](try Data(contentsOf: URL(filePath: archive)))
    }

    @Test("every tar format gives the same files", arguments: ["ustar", "gnu", "posix", "v7"])
    func forms(form: String) async throws {
        try scratch.write(Array(repeating: 7, count: 1300), to: "pack/a.bin")
        try scratch.write([], to: "pack/empty")
        try scratch.write(Array(repeating: 8, count: 512), to: "pack/sub/b.bin")
        for part in [1, 512, 100_000] {
            let found = try await files(
                archive("--format=\(form)", "--sort=name", "pack"), part: part)
            #expect(found.map(\.path) == ["pack/a.bin", "pack/empty", "pack/sub/b.bin"])
            #expect(
                found.map(\.bytes.count) == [1300, 0, 512] && found[0].bytes.allSatisfy { $0 == 7 })
        }
    }

    @Test("names longer than 100 bytes are complete", arguments: ["ustar", "gnu", "posix"])
    func longNames(form: String) async throws {
        let name = String(repeating: "n", count: 90), path = "\(name)/\(name)"
        try scratch.write([1], to: path)
        #expect(try await files(archive("--format=\(form)", name)).map(\.path) == [path])
    }

    @Test("the total size of the files is limited")
    func limit() async throws {
        try scratch.write(Array(repeating: 7, count: 600), to: "pack/a")
        try scratch.write(Array(repeating: 7, count: 400), to: "pack/b")
        let archive = try await archive("pack")
        #expect(try files(archive, limit: 1000).count == 2)
        #expect(throws: TarReader.Fault.limit) { try files(archive, limit: 999) }
    }

    @Test("links and sparse files are rejected")
    func kinds() async throws {
        try scratch.write([1], to: "pack/a")
        try FileManager.default.linkItem(at: scratch("pack/a"), to: scratch("pack/b"))
        let linked = try await archive("pack")
        #expect(throws: TarReader.Fault.kind) { try files(linked) }
        try FileManager.default.removeItem(at: scratch("pack/b"))
        let file = scratch("pack/hole")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 30)
        try handle.close()
        for form in ["gnu", "posix"] {
            let sparse = try await archive("--format=\(form)", "--sparse", "pack")
            #expect(throws: TarReader.Fault.kind) { try files(sparse) }
        }
    }

    @Test(
        "a truncated archive, or one with a flipped header bit, is rejected or yields fewer files, never more"
    )
    func damage() async throws {
        try scratch.write(Array(repeating: 7, count: 700), to: "pack/a")
        let whole = try await archive("--format=posix", "pack"), right = try files(whole)
        for count in stride(from: 0, to: whole.count, by: 97) {
            guard let found = try? files(Array(whole[..<count])) else { continue }
            #expect(found.count <= right.count)
        }
        var random = TestSeed.generator()
        for _ in 0..<2000 {
            var bytes = whole
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            for file in (try? files(bytes)) ?? [] {
                #expect(
                    file.path.isPrintable && !file.path.hasPrefix("/")
                        && file.bytes.count <= 1 << 20)
            }
        }
    }

    @Test("data that is not an archive has no header")
    func noArchive() {
        #expect(throws: TarReader.Fault.header) { try files(Array(repeating: 65, count: 1024)) }
        #expect(throws: TarReader.Fault.truncated) { try files(Array(repeating: 65, count: 100)) }
        #expect(throws: TarReader.Fault.truncated) { try files([]) }
    }
}
