import Foundation
import MienServerTesting
import MienVault
import Testing

@Suite struct KeyFileTests {
    @Test
    func
        `a new key file has 32 bytes and mode 0600 and is alone in a folder of mode 0700`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let file = KeyFile(path: "\(folder)/a/b/key")
            #expect(try file.load() == nil)
            let key = try file.create()
            #expect(try (contents(of: file.path).count, mode(of: file.path)) == (32, 0o600))
            #expect(try mode(of: "\(folder)/a") == 0o700 && mode(of: "\(folder)/a/b") == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a/b") == ["key"])
            #expect(try file.load()?.id == key.id)
        }
    }

    @Test func `a key file is never replaced: creating it again returns the existing key`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let file = KeyFile(path: "\(folder)/key")
            let key = try file.create(), bytes = try contents(of: file.path)
            #expect(try file.create().id == key.id)
            #expect(try contents(of: file.path) == bytes)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o620, 0o601, 0o777])
    func `a key that others can access is rejected with a remedy`(wide: Int) async throws {
        try await withTemporaryFolder { folder throws in
            let path = "\(folder)/key"
            try put([UInt8](repeating: 7, count: 32), at: path, mode: wide)
            let error = #expect(throws: KeyFileError.tooWide(path: path, mode: UInt32(wide))) {
                try KeyFile(path: path).load()
            }
            let text = String(describing: try #require(error))
            #expect(
                text.contains(path) && text.contains("0\(String(wide, radix: 8))")
                    && text.hasSuffix("Run: chmod 600 \(path)"))
        }
    }

    @Test func `a key that only its owner can read is accepted`() async throws {
        try await withTemporaryFolder { folder throws in
            try put([UInt8](repeating: 7, count: 32), at: "\(folder)/key", mode: 0o400)
            #expect(try KeyFile(path: "\(folder)/key").load() != nil)
        }
    }

    @Test(arguments: [0, 31, 33, 5_000])
    func `a key file with a wrong size is rejected`(size: Int) async throws {
        try await withTemporaryFolder { folder throws in
            let path = "\(folder)/key"
            try put([UInt8](repeating: 7, count: size), at: path)
            #expect(throws: KeyFileError.size(path: path, size)) { try KeyFile(path: path).load() }
        }
    }

    @Test func `a folder and a pipe are not key files, and a link is not followed`() async throws {
        try await withTemporaryFolder { folder throws in
            try FileManager.default.createDirectory(
                atPath: "\(folder)/folder", withIntermediateDirectories: false)
            #expect(throws: KeyFileError.notRegular(path: "\(folder)/folder")) {
                try KeyFile(path: "\(folder)/folder").load()
            }
            #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
            #expect(throws: KeyFileError.notRegular(path: "\(folder)/pipe")) {
                try KeyFile(path: "\(folder)/pipe").load()
            }
            try put([UInt8](repeating: 7, count: 32), at: "\(folder)/key")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/link", withDestinationPath: "\(folder)/key")
            #expect(throws: KeyFileError.notRegular(path: "\(folder)/link")) {
                try KeyFile(path: "\(folder)/link").load()
            }
        }
    }

    @Test func `a key of another user is rejected even with the right mode`() {
        let disk = SimulatedDisk()
        disk.plant("/key", [UInt8](repeating: 7, count: 32), owner: 1001)
        #expect(throws: KeyFileError.notOwned(path: "/key", owner: 1001, user: 1000)) {
            try KeyFile(path: "/key", files: disk).load()
        }
    }

    @Test func `no key is created while sealed records need a lost key`() async throws {
        try await withTemporaryFolder { folder throws in
            let file = KeyFile(path: "\(folder)/key")
            let error = #expect(throws: KeyFileError.missing(path: file.path)) {
                try file.loadOrCreate(sealedRecordsExist: true)
            }
            #expect(error.map { "\($0)".contains("key file missing") } == true)
            #expect(try file.load() == nil)
            #expect(try file.loadOrCreate(sealedRecordsExist: false).id == file.load()?.id)
        }
    }

    @Test func `two system keys differ, and a key is never printed`() throws {
        let disk = SimulatedDisk()
        let a = try KeyFile(path: "/a", files: disk).create(),
            b = try KeyFile(path: "/b", files: disk).create()
        #expect(a.id != b.id)
        var dumped = ""
        dump(a, to: &dumped)
        #expect("\(a)" == "‹master key›" && dumped == "- ‹master key›\n")
    }

    @Test func `the codes of key errors are stable`() {
        let errors: [KeyFileError] = [
            .missing(path: ""), .tooWide(path: "", mode: 0), .notRegular(path: ""),
            .notOwned(path: "", owner: 0, user: 1), .size(path: "", 0),
        ]
        #expect(
            errors.map(\.code) == [
                "key.missing", "key.mode", "key.not-regular", "key.owner", "key.size",
            ])
    }
}
