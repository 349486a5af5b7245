import Foundation
import MienModels
import MienTesting
import Synchronization
import Testing

@Suite("Pack source")
struct PackSourceTests {
    private let small: SmallPack
    private var scratch: ScratchFolder { small.scratch }

    init() throws { small = try SmallPack() }

    /// Creates an archive of the pack, either in one folder or with its files at the top level.
    private func archive(_ name: String, flat: Bool = false) async throws -> URL {
        let archive = scratch(name)
        let what = flat ? ["-C", small.folder.path, "."] : ["-C", scratch.url.path, "pack"]
        try await run(
            "tar", name.hasSuffix("gz") ? "-czf" : "-cf", archive.path, what[0], what[1], what[2])
        return archive
    }

    private func sha256(_ file: URL) async throws -> String {
        String(try await run("sha256sum", file.path).prefix(64))
    }

    private func id(_ source: PackSource) async throws -> String {
        try await source.withFolder { try ModelPack(folder: $0).id.text }
    }

    private func refusal(_ source: PackSource) async throws -> PackError {
        try await #require(throws: PackError.self) { try await source.withFolder { _ in } }
    }

    @Test("a folder is used in place")
    func folder() async throws {
        let path = try await PackSource(small.folder.path).withFolder { $0.path }
        #expect(path == small.folder.path)
    }

    @Test(
        "an archive is unpacked", arguments: ["a.tar", "a.tar.gz", "a.tgz", "no-ending-gz"],
        [true, false])
    func archives(name: String, flat: Bool) async throws {
        #expect(try await id(PackSource(archive(name, flat: flat).path)) == "small-1")
    }

    @Test("unpacked files are removed after success and after failure")
    func nothingLeft() async throws {
        struct Stop: Error {}
        let source = PackSource(try await archive("a.tar").path), seen = Mutex<[URL]>([])
        try await source.withFolder { folder in seen.withLock { $0.append(folder) } }
        await #expect(throws: Stop.self) {
            try await source.withFolder { folder in
                seen.withLock { $0.append(folder) }
                throw Stop()
            }
        }
        let folders = seen.withLock { $0 }
        #expect(folders.count == 2)
        for folder in folders {
            #expect(folder.path.contains("/mien-pack-"))
            // The pack's folder, "unpacked", and the work folder.
            #expect(
                !FileManager.default.fileExists(
                    atPath: folder.deletingLastPathComponent().deletingLastPathComponent().path))
        }
    }

    @Test("the expected sha256 is compared, ignoring case")
    func hash() async throws {
        let archive = try await archive("a.tar"), right = try await sha256(archive)
        #expect(try await id(PackSource(archive.path, expecting: right)) == "small-1")
        #expect(try await id(PackSource(archive.path, expecting: right.uppercased())) == "small-1")
        let wrong = (right.first == "0" ? "1" : "0") + right.dropFirst()
        let error = try await refusal(PackSource(archive.path, expecting: wrong))
        #expect(error.code == .damaged && error.reason.contains(right))
        #expect(try await refusal(PackSource(archive.path, expecting: "")).code == .damaged)
    }

    @Test("a sha256 for a folder is rejected")
    func folderHash() async throws {
        let error = try await refusal(
            PackSource(small.folder.path, expecting: String(repeating: "0", count: 64)))
        #expect(error.code == .unavailable && error.reason.contains("is a folder"))
    }

    @Test(
        "a missing path is not found, and the reason contains the path",
        arguments: ["nowhere.tar", "nowhere"])
    func missing(name: String) async throws {
        let path = scratch(name).path
        let error = try await refusal(PackSource(path))
        #expect(
            error.code == .notFound
                && error.reason.hasPrefix("\(path): no such folder or archive"))
    }

    @Test("a file that is not an archive is rejected, and the reason describes a pack")
    func noArchive() async throws {
        var random = TestSeed.generator()
        let path = try scratch.write(
            (0..<2000).map { _ in UInt8.random(in: 0...255, using: &random) }, to: "a.tar"
        ).path
        let error = try await refusal(PackSource(path))
        #expect(error.code == .unavailable && error.reason.contains(".tar.gz"))
    }

    @Test("a truncated archive is rejected")
    func cutOff() async throws {
        let archive = try await archive("a.tar.gz"), data = try Data(contentsOf: archive)
        try data.prefix(data.count / 2).write(to: archive)
        #expect(try await refusal(PackSource(archive.path)).code == .unavailable)
    }

    @Test(
        "unpacking stops at the limit, regardless of the compressed size",
        .timeLimit(.minutes(15)))
    func bomb() async throws {
        // 50 MB of zeros, packed to 50 KB.
        let huge = small.folder.appending(path: PackManifest.fileName)
        let file = try FileHandle(forWritingTo: huge)
        try file.truncate(atOffset: 50_000_000)
        try file.close()
        let error = try await refusal(PackSource(archive("bomb.tar.gz").path))
        #expect(error.code == .unavailable && error.reason.contains("a manifest of 1 MB"))
        try FileManager.default.moveItem(at: huge, to: small.folder.appending(path: "cohort.bin.2"))
        let second = try await refusal(PackSource(archive("bomb2.tar.gz").path, limit: 10_000_000))
        #expect(second.code == .unavailable && second.reason.contains("too large"))
    }

    @Test("an archive larger than the limit is not unpacked")
    func largeArchive() async throws {
        let archive = try await archive("a.tar"),
            size = try #require(try archive.resourceValues(forKeys: [.fileSizeKey]).fileSize)
        #expect(
            try await refusal(PackSource(archive.path, limit: size - 1)).reason.contains("bytes"))
        #expect(
            try await PackSource(archive.path, limit: size).withFolder {
                try ModelPack(folder: $0).id.text
            } == "small-1")
    }

    @Test("an archive with a link, a pipe, or a name that leads out of it is not unpacked")
    func hostile() async throws {
        let folder = small.folder.path
        for make in [["ln", "-s", "/etc/passwd"], ["mkfifo", "-m", "600"]] {
            try await run(make[0], make[1], make[2], "\(folder)/strange")
            let error = try await refusal(PackSource(archive("strange.tar").path))
            #expect(error.code == .unavailable && error.reason.contains("regular files only"))
            try FileManager.default.removeItem(atPath: "\(folder)/strange")
        }
        try await run("tar", "-cPf", scratch("up.tar").path, "-C", folder, "../pack/cohort.bin")
        #expect(
            try await refusal(PackSource(scratch("up.tar").path)).reason.contains("leads out of it")
        )
        try await run("tar", "-cPf", scratch("absolute.tar").path, "\(folder)/cohort.bin")
        #expect(
            try await refusal(PackSource(scratch("absolute.tar").path)).reason.contains(
                "leads out of it"))
    }

    @Test("a pipe instead of an archive is rejected without waiting", .timeLimit(.minutes(15)))
    func pipe() async throws {
        try await run("mkfifo", scratch("pipe.tar").path)
        #expect(try await refusal(PackSource(scratch("pipe.tar").path)).code == .unavailable)
    }

    @Test("temporary files of killed processes are removed, files in use are kept")
    func sweep() async throws {
        let stale = FileManager.default.temporaryDirectory.appending(
            path: "mien-pack-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: stale, withIntermediateDirectories: true)
        let used = try WorkFolder("pack")
        for folder in [stale, used.url] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder.path)
        }
        _ = try WorkFolder("pack")
        #expect(!FileManager.default.fileExists(atPath: stale.path))
        #expect(
            withExtendedLifetime(used) { FileManager.default.fileExists(atPath: used.url.path) })
    }

    @Test(
        "errors never repeat the credentials and query of an address",
        arguments: ["https://ada:secret@[::/x?secret", "ftp://ada:secret@host/secret?secret"])
    func secrets(address: String) async throws {
        let error = try await refusal(PackSource(address))
        #expect(
            error.code == .notFound && !error.reason.contains("secret")
                && error.reason.contains("https://"))
    }

    @Test("plain http without a sha256 is rejected before any request")
    func plain() async throws {
        let error = try await refusal(
            PackSource("http://ada:secret@192.0.2.1:1/pack.tar?token=secret"))
        #expect(
            error.code == .insecure && error.reason.contains("http://192.0.2.1:1/pack.tar")
                && error.reason.contains("--sha256"))
        #expect(!error.reason.contains("secret"))
    }

    @Test("an archive without a manifest is not a pack")
    func otherArchive() async throws {
        try await run(
            "tar", "-cf", scratch("b.tar").path, "-C", small.folder.path, "cohort.bin",
            "calibration.json")
        let error = try await refusal(PackSource(scratch("b.tar").path))
        #expect(error.code == .badManifest && error.reason.contains("manifest.json"))
    }
}

/// A local web server, stopped with the last reference.
private final class LocalWebServer {
    static let python = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    private let process = Process()
    private let ends: AsyncStream<Void>
    let address: String

    init(folder: URL) async throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path,
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        ends = try process.started()
        // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let words = try await output.fileHandleForReading.firstLine().split(separator: " ")
        let port = words.firstIndex(of: "port").flatMap { words.dropFirst($0 + 1).first }.flatMap {
            UInt16($0)
        }
        address = "http://127.0.0.1:\(port ?? 0)"
        guard port != nil else { throw PackError(.unavailable, "the web server did not start") }
    }

    /// Does not use `terminate()`: a process started from a thread of the pool inherits blocked
    /// signals.
    func stop() async {
        kill(process.processIdentifier, SIGKILL)
        for await _ in ends {}
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

@Suite(
    "Pack source over the network",
    .enabled(if: LocalWebServer.python, "needs python3 for a web server"),
    .timeLimit(.minutes(15)))
struct PackSourceAddressTests {
    private let small: SmallPack
    private let server: LocalWebServer
    private static let anyHash = String(repeating: "0", count: 64)

    init() async throws {
        small = try SmallPack()
        try await run(
            "tar", "-czf", small.scratch("pack.tar.gz").path, "-C", small.scratch.url.path, "pack")
        server = try await LocalWebServer(folder: small.scratch.url)
    }

    private func refusal(_ source: PackSource) async throws -> PackError {
        try await #require(throws: PackError.self) { try await source.withFolder { _ in } }
    }

    @Test("an address is fetched and unpacked, its sha256 compared")
    func fetched() async throws {
        let hash = String(try await run("sha256sum", small.scratch("pack.tar.gz").path).prefix(64)),
            address = "\(server.address)/pack.tar.gz"
        #expect(
            try await PackSource(address, expecting: hash).withFolder {
                try ModelPack(folder: $0).id.text
            } == "small-1")
        let error = try await refusal(PackSource(address, expecting: String(hash.reversed())))
        #expect(error.code == .damaged && error.reason.contains(hash))
    }

    @Test(
        "an unknown address is not available, and the reason contains the status")
    func notFound() async throws {
        let error = try await refusal(
            PackSource("\(server.address)/other.tar.gz", expecting: Self.anyHash))
        #expect(error.code == .unavailable && error.reason.contains("404"))
    }

    @Test("a page that is not an archive is rejected")
    func noArchive() async throws {
        #expect(
            try await refusal(
                PackSource("\(server.address)/pack/manifest.json", expecting: Self.anyHash)
            ).code == .damaged)
    }

    @Test("a server that does not respond is not available")
    func noServer() async throws {
        let address = server.address
        await server.stop()
        let error = try await refusal(PackSource("\(address)/pack.tar.gz", expecting: Self.anyHash))
        #expect(error.code == .unavailable && error.reason.contains("could not be fetched"))
    }

    @Test("an invalid address is not found")
    func noAddress() async throws {
        #expect(try await refusal(PackSource("http://[half an address/pack.tar")).code == .notFound)
    }

    @Test("a transfer reports progress and stops at the limit")
    func limit() async throws {
        let address = "\(server.address)/pack.tar.gz",
            size = try Data(contentsOf: small.scratch("pack.tar.gz")).count, told = Mutex<[Int]>([])
        let error = try await refusal(PackSource(address, expecting: Self.anyHash, limit: size - 1))
        #expect(error.code == .unavailable && error.reason.contains("limit of \(size - 1) bytes"))
        _ = try? await PackSource(address, expecting: Self.anyHash, limit: size).withFolder(
            progress: { bytes, total in told.withLock { $0 += [bytes, total ?? -1] } }, { _ in })
        #expect(told.withLock { $0.suffix(2) } == [size, size])
    }

    @Test("errors show an address without its password and query")
    func secrets() async throws {
        let address =
            server.address.replacing("http://", with: "http://ada:secret@")
            + "/other.tar.gz?token=secret"
        let error = try await refusal(PackSource(address, expecting: Self.anyHash))
        #expect(
            error.reason.contains("\(server.address)/other.tar.gz")
                && !error.reason.contains("secret"))
    }
}
