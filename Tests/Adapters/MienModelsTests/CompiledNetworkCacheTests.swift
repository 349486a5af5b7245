import Foundation
import MienTesting
import Testing

@testable import MienModels

@Suite("Cache of compiled networks")
struct CompiledNetworkCacheTests {
    private let scratch: ScratchFolder
    private var folder: URL { scratch("cache") }

    init() throws { scratch = try ScratchFolder() }

    /// What OpenVINO does: finds the file or makes it.
    private func open(_ name: String = "1.blob") throws -> (made: Bool, bytes: Data) {
        var cache = try #require(CompiledNetworkCache(folder: folder))
        return try cache.opening {
            let file = folder.appending(path: name)
            let isThere = FileManager.default.fileExists(atPath: file.path)
            if !isThere { try Data((0..<1000).map { UInt8($0 % 251) }).write(to: file) }
            return (!isThere, try Data(contentsOf: file))
        }
    }

    @Test("what was made once is found again by later processes")
    func kept() throws {
        #expect(try open().made)
        #expect(try !open().made)
        #expect(try open("2.blob").made)
        #expect(try !open().made)
    }

    @Test("a single changed byte, and the file is made again", arguments: [0, 500, 999])
    func changed(at index: Int) throws {
        let whole = try open().bytes
        var damaged = whole
        damaged[index] ^= 1
        try damaged.write(to: folder.appending(path: "1.blob"))
        let again = try open()
        #expect(again.made && again.bytes == whole)
    }

    @Test("a file cut short, and one that nobody vouches for, are made again")
    func unknown() throws {
        let whole = try open().bytes
        try whole.prefix(400).write(to: folder.appending(path: "1.blob"))
        #expect(try open().made)
        try FileManager.default.removeItem(at: folder.appending(path: "1.blob.sha256"))
        #expect(try open().made)
        try Data("x".utf8).write(to: folder.appending(path: "3.blob"))
        #expect(try open("3.blob").made)
    }

    @Test("the folder is its owner's alone, also one that was wider")
    func mode() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        _ = try open()
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test("where no folder can be made there is no cache, and no error")
    func nowhere() {
        #expect(CompiledNetworkCache(folder: URL(filePath: "/proc/nope/cache")) == nil)
    }
}
