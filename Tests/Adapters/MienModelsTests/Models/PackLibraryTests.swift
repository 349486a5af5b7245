import Foundation
import MienCore
import MienModels
import MienTesting
import Synchronization
import Testing

@Suite("Pack library")
struct PackLibraryTests {
    private let scratch: ScratchFolder
    private let library: PackLibrary

    init() throws {
        scratch = try ScratchFolder()
        library = PackLibrary(folder: scratch("packs"))
    }

    private func bytes(_ pack: ModelPack) throws -> Data { try pack.contents(of: "cohort.bin") }

    @Test("an installed pack is a complete copy, found by name and independent of its source")
    func install() throws {
        let source = try SmallPack(in: scratch, name: "source")
        let installed = try library.install(from: source.folder)
        #expect(installed.folder.lastPathComponent == "small-1")
        try FileManager.default.removeItem(at: source.folder)
        #expect(try library.pack(PackID("small-1")).manifest == installed.manifest)
        #expect(try scratch.names(in: "packs") == ["small-1"])
    }

    @Test("files that the manifest does not list are not copied")
    func extraFiles() throws {
        let source = try SmallPack(in: scratch, name: "source")
        try scratch.write([1, 2, 3], to: "source/extra.sh")
        let installed = try library.install(from: source.folder)
        #expect(
            !FileManager.default.fileExists(
                atPath: installed.folder.appending(path: "extra.sh").path))
    }

    @Test("installing the same pack again changes nothing")
    func again() throws {
        let source = try SmallPack(in: scratch, name: "source")
        let first = try library.install(from: source.folder)
        try scratch.write([1], to: "packs/small-1/mark")
        #expect(try library.install(from: source.folder).manifest == first.manifest)
        #expect(
            try library.install(from: source.folder, replacing: true).manifest == first.manifest)
        #expect(try scratch.names(in: "packs/small-1").contains("mark"))
    }

    @Test("another pack with the same name is a conflict, and the installed pack stays")
    func conflict() throws {
        let
            first = try library.install(
                from: SmallPack(flavour: 1, in: scratch, name: "one").folder),
            before = try bytes(first)
        let other = try SmallPack(flavour: 2, in: scratch, name: "two")
        let error = try #require(throws: PackError.self) { try library.install(from: other.folder) }
        #expect(error.code == .conflict && error.reason.contains("--replace"))
        #expect(try bytes(library.pack(PackID("small-1"))) == before)
        #expect(try scratch.names(in: "packs") == ["small-1"])
    }

    @Test("replacing installs the new pack")
    func replace() throws {
        try library.install(from: SmallPack(flavour: 1, in: scratch, name: "one").folder)
        let other = try SmallPack(flavour: 2, in: scratch, name: "two")
        try library.install(from: other.folder, replacing: true)
        #expect(
            try library.pack(PackID("small-1")).manifest == ModelPack(folder: other.folder).manifest
        )
        #expect(try scratch.names(in: "packs") == ["small-1"])
    }

    @Test("a damaged pack is not installed and leaves nothing behind")
    func damaged() throws {
        let source = try SmallPack(in: scratch, name: "source")
        try scratch.write([9], to: "source/cohort.bin")
        #expect(throws: PackError(.damaged, "")) { try library.install(from: source.folder) }
        #expect(library.list().isEmpty)
        #expect((try? scratch.names(in: "packs")) ?? [] == [])
    }

    @Test("a pack damaged after installation is repaired by replacing it")
    func repaired() throws {
        let source = try SmallPack(in: scratch, name: "source")
        try library.install(from: source.folder)
        try scratch.write([9], to: "packs/small-1/cohort.bin")
        #expect(throws: PackError(.damaged, "")) { try library.pack(PackID("small-1")) }
        try library.install(from: source.folder)
        #expect(try library.pack(PackID("small-1")).id.text == "small-1")
    }

    @Test("another pack does not replace a damaged one without being asked")
    func damagedAndOther() throws {
        try library.install(from: SmallPack(flavour: 1, in: scratch, name: "one").folder)
        try scratch.write([9], to: "packs/small-1/cohort.bin")
        let other = try SmallPack(flavour: 2, in: scratch, name: "two")
        #expect(throws: PackError(.conflict, "")) { try library.install(from: other.folder) }
        try library.install(from: other.folder, replacing: true)
        #expect(try library.pack(PackID("small-1")).id.text == "small-1")
    }

    @Test("readers always find a complete pack while packs are being replaced")
    func noMomentWithout() throws {
        let packs = try [1, 2].map {
            try SmallPack(flavour: $0, in: scratch, name: "flavour\($0)").folder
        }
        try library.install(from: packs[0])
        let library = library, stop = Mutex(false), seen = Mutex((looks: 0, missing: 0))
        // A separate thread: tasks share a few threads, and this test blocks one.
        Thread.detachNewThread {
            while !stop.withLock({ $0 }) {
                let isThere = FileManager.default.fileExists(
                    atPath: library.folder.appending(path: "small-1/manifest.json").path)
                seen.withLock { $0 = ($0.looks + 1, $0.missing + (isThere ? 0 : 1)) }
            }
        }
        for round in 0..<50 { try library.install(from: packs[round % 2], replacing: true) }
        stop.withLock { $0 = true }
        let (looks, missing) = seen.withLock { ($0.looks, $0.missing) }
        #expect(missing == 0 && looks > 0)
        #expect(try scratch.names(in: "packs") == ["small-1"])
    }

    @Test("the next installation removes leftovers of a killed one and keeps other hidden files")
    func sweep() throws {
        try scratch.write([1], to: "packs/.staging.0/manifest.json")
        try scratch.write([1], to: "packs/.mien-basic-1.stamp")
        try library.install(from: SmallPack(in: scratch, name: "source").folder)
        #expect(try scratch.names(in: "packs") == [".mien-basic-1.stamp", "small-1"])
    }

    @Test("two concurrent installations both succeed")
    func twoAtOnce() async throws {
        let packs = try (1...4).map {
            try SmallPack(
                id: "pack-\($0 % 2)", flavour: UInt8($0), in: scratch, name: "source\($0)"
            ).folder
        }
        let library = library
        try await withThrowingTaskGroup { group in
            for pack in packs {
                group.addTask { _ = try library.install(from: pack, replacing: true) }
            }
            try await group.waitForAll()
        }
        #expect(try scratch.names(in: "packs") == ["pack-0", "pack-1"])
    }

    @Test("the list has every pack by name, and invalid ones with their problem")
    func list() throws {
        try library.install(from: SmallPack(id: "b-pack", in: scratch, name: "b").folder)
        try library.install(from: SmallPack(id: "a-pack", in: scratch, name: "a").folder)
        try scratch.write("{}".utf8, to: "packs/broken/manifest.json")
        try scratch.write([], to: "packs/.a-pack.staging/manifest.json")
        let found = library.list()
        #expect(found.map(\.name) == ["a-pack", "b-pack", "broken"])
        #expect(try found[0].manifest.get().id.text == "a-pack")
        #expect(throws: PackError(.badManifest, "")) { try found[2].manifest.get() }
    }

    @Test("a library without a folder is empty")
    func none() { #expect(library.list().isEmpty) }

    @Test("the better pack is used by default where it is installed")
    func preferred() throws {
        #expect(library.defaultID == PackLibrary.basicID)
        try library.install(from: SmallPack(id: "mien-basic-1", in: scratch, name: "1").folder)
        #expect(library.defaultID == PackLibrary.basicID)
        #expect(try library.packID(reachableAt: nil) == PackLibrary.basicID)
        let error = try #require(throws: PackError.self) {
            try library.packID(reachableAt: "0.0.0.0:8080")
        }
        #expect(error.code == .notInstalled)
        for part in ["0.0.0.0:8080 can be reached", "87 of 100", "set face.pack to mien-basic-1"] {
            #expect(error.reason.contains(part))
        }
        try library.install(from: SmallPack(id: "mien-default-2", in: scratch, name: "2").folder)
        #expect(library.defaultID == PackLibrary.betterID)
        #expect(try library.packID(reachableAt: "0.0.0.0:8080") == PackLibrary.betterID)
        #expect(try library.pack().id == PackLibrary.betterID)
    }

    @Test("for a missing pack, the reason lists installed packs and the remedy")
    func notInstalled() throws {
        let first = try #require(throws: PackError.self) { try library.pack() }
        #expect(first.code == .notInstalled)
        #expect(
            first.reason.contains("mien-basic-1") && first.reason.contains("no pack is installed")
                && first.reason.contains("scripts/setup"))
        try library.install(from: SmallPack(in: scratch, name: "source").folder)
        let second = try #require(throws: PackError.self) { try library.pack(PackID("other-2")) }
        #expect(second.code == .notInstalled)
        #expect(
            second.reason.contains("other-2") && second.reason.contains("installed packs: small-1")
                && second.reason.contains("mien models install"))
    }

    @Test("a renamed folder is not accepted as another pack")
    func renamed() throws {
        try library.install(from: SmallPack(in: scratch, name: "source").folder)
        try FileManager.default.moveItem(at: scratch("packs/small-1"), to: scratch("packs/other-2"))
        let error = try #require(throws: PackError.self) { try library.pack(PackID("other-2")) }
        #expect(error.code == .badManifest && error.reason.contains("small-1"))
    }
}
