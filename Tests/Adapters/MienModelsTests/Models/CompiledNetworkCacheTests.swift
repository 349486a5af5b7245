import Foundation
import MienTesting
import Testing

@testable import MienModels

@Suite("Cache of compiled networks")
struct CompiledNetworkCacheTests {
    private let scratch: ScratchFolder
    private var folder: URL { scratch("cache") }

    init() throws { scratch = try ScratchFolder() }

    /// Finds or creates the file, as OpenVINO does.
    private func open(_ name: String = "1.blob") throws -> (made: Bool, bytes: Data, calls: Int) {
        var cache = try #require(CompiledNetworkCache(folder: folder))
        var isMade = false, calls = 0
        let bytes = try cache.opening {
            calls += 1
            let file = folder.appending(path: name)
            if !FileManager.default.fileExists(atPath: file.path) {
                isMade = true
                try Data((0..<1000).map { UInt8($0 % 251) }).write(to: file)
            }
            return try Data(contentsOf: file)
        }
        return (isMade, bytes, calls)
    }

    @Test("later processes find a compiled file")
    func kept() throws {
        #expect(try open().made)
        #expect(try !open().made)
        #expect(try open("2.blob").made)
        #expect(try !open().made)
    }

    @Test("a file that was just compiled is opened again, and one that was there is not")
    func reopened() throws {
        #expect(try open().calls == 2)
        #expect(try open().calls == 1)
    }

    @Test("a file with a single changed byte is compiled again", arguments: [0, 500, 999])
    func changed(at index: Int) throws {
        let whole = try open().bytes
        var damaged = whole
        damaged[index] ^= 1
        try damaged.write(to: folder.appending(path: "1.blob"))
        let again = try open()
        #expect(again.made && again.bytes == whole)
    }

    @Test("a truncated file, and one without a hash, are compiled again")
    func unknown() throws {
        let whole = try open().bytes
        try whole.prefix(400).write(to: folder.appending(path: "1.blob"))
        #expect(try open().made)
        try FileManager.default.removeItem(at: folder.appending(path: "1.blob.sha256"))
        #expect(try open().made)
        try Data("x".utf8).write(to: folder.appending(path: "3.blob"))
        #expect(try open("3.blob").made)
    }

    @Test("the folder is restricted to its owner, even if it was wider")
    func mode() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        _ = try open()
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test("if no folder can be created, there is no cache and no error")
    func nowhere() {
        #expect(CompiledNetworkCache(folder: URL(filePath: "/proc/nope/cache")) == nil)
    }
}
