import Crypto
import Foundation
import MienServerTesting
import MienTesting
import Testing

@testable import MienVault

/// `docs/spec/key-ring.md`.
@Suite struct KeyRingTests {
    private static let first = MasterKey(bytes: Array(1...32))
    private static let purpose = SealPurpose(label: "mien/v1/account-name")
    private static let unlisted = SealPurpose(label: "mien/v1/invented-later")

    private func rotated() -> KeyRing { KeyRing(Self.first).rotated(random: .counting()) }

    @Test func `a ring that was never rotated is stored as the 32 bytes of its key`() throws {
        let ring = KeyRing(Self.first)
        #expect(ring.fileBytes == Array(1...32))
        #expect(try #require(KeyRing(fileBytes: ring.fileBytes)).active.id == Self.first.id)
    }

    @Test func `a rotated ring is read as it was stored, with and without the first key`() throws {
        for ring in [rotated(), rotated().without(version: 1)] {
            let read = try #require(KeyRing(fileBytes: ring.fileBytes))
            #expect(read.keys.map(\.name) == ring.keys.map(\.name))
            #expect(read.fileBytes == ring.fileBytes)
            #expect(
                read.code(for: [7], purpose: Self.purpose)
                    == Self.first.code(for: [7], purpose: Self.purpose))
        }
    }

    @Test func `the file without the first key does not contain what opens its records`() throws {
        let ring = rotated().without(version: 1),
            text = String(decoding: ring.fileBytes, as: UTF8.self)
        #expect(ring.keys.map(\.version) == [2])
        #expect(!text.contains(hexadecimal(Array(1...32))))
        let record = RecordSealer(key: Self.first, purpose: Self.purpose).seal([1], identity: [])
        #expect(rotated().key(of: record)?.version == 1 && ring.key(of: record) == nil)
    }

    @Test func `codes of a purpose that a stored ring does not list differ by purpose only`() throws
    {
        let read = try #require(KeyRing(fileBytes: rotated().fileBytes))
        let again = try #require(KeyRing(fileBytes: read.without(version: 1).fileBytes))
        let code = read.code(for: [7], purpose: Self.unlisted)
        #expect(code == again.code(for: [7], purpose: Self.unlisted))
        #expect(code != read.code(for: [7], purpose: Self.purpose))
    }

    @Test func `the key that seals cannot be removed`() {
        #expect(rotated().without(version: 2).keys.map(\.version) == [1, 2])
    }

    @Test func `any changed, added, or missing byte of a rotated ring's file is refused`() {
        let bytes = rotated().fileBytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(KeyRing(fileBytes: changed) == nil, "byte \(index)")
        }
        for count in stride(from: 0, to: bytes.count, by: 13) where count != MasterKey.size {
            #expect(KeyRing(fileBytes: Array(bytes.prefix(count))) == nil)
        }
        #expect(KeyRing(fileBytes: bytes + [10]) == nil)
    }

    @Test func `a stored ring replaces the key file, and is refused when changed`() throws {
        let scratch = try ScratchFolder(), file = KeyFile(path: scratch("master.key").path)
        let ring = try file.loadOrCreateRing(sealedRecordsExist: false)
        try file.store(ring.rotated())
        let read = try file.loadOrCreateRing(sealedRecordsExist: true)
        #expect(read.keys.map(\.version) == [1, 2] && read.keys[0].id == ring.active.id)
        #expect(try scratch.names() == ["master.key"])
        var bytes = try Data(contentsOf: scratch("master.key"))
        bytes[40] ^= 1
        try bytes.write(to: scratch("master.key"))
        #expect(throws: KeyFileError.damaged(path: file.path)) { _ = try file.loadRing() }
    }

    @Test func `a key that was added opens and does not seal, also after it was stored`() throws {
        let ring = KeyRing(Self.first), second = MasterKey(bytes: Array(2...33), version: 2)
        let added = ring.adding(second)
        #expect(added.keys.map(\.version) == [1, 2] && added.active.version == 1)
        #expect(String(decoding: added.fileBytes, as: UTF8.self).contains("\nnext 2 "))
        let read = try #require(KeyRing(fileBytes: added.fileBytes))
        #expect(read.active.version == 1 && read.fileBytes == added.fileBytes)
        let record = RecordSealer(key: second, purpose: Self.purpose).seal([1], identity: [])
        #expect(read.key(of: record)?.version == 2)
        #expect(added.adding(MasterKey(bytes: Array(3...34), version: 2)).keys[1].id == second.id)

        let sealing = read.sealing(with: 2)
        #expect(sealing.active.version == 2 && sealing.keys.map(\.version) == [1, 2])
        #expect(!String(decoding: sealing.fileBytes, as: UTF8.self).contains("next"))
        #expect(read.sealing(with: 7).active.version == 1)
        // Whatever seals stays; without the added key, the file is as it was before.
        #expect(read.without(version: 1).keys.map(\.version) == [1, 2])
        #expect(ring.adding(second).without(version: 2).fileBytes == ring.fileBytes)
    }

    @Test func `keys that seal later come after the one that seals`() throws {
        func file(_ kinds: [String]) -> [UInt8] {
            let bytes = KeyRing(Self.first).adding(MasterKey(bytes: Array(2...33), version: 2))
                .adding(MasterKey(bytes: Array(3...34), version: 3)).fileBytes
            var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropLast()
                .map(String.init)
            for (index, kind) in kinds.enumerated() {
                let fields = lines[index + 1].split(separator: " ")
                lines[index + 1] = "\(kind) \(fields[1]) \(fields[2])"
            }
            let text = lines.joined(separator: "\n") + "\n"
            return Array("\(text)end \(hexadecimal(SHA256.hash(data: Data(text.utf8))))\n".utf8)
        }
        #expect(KeyRing(fileBytes: file(["key", "next", "next"]))?.active.version == 1)
        #expect(KeyRing(fileBytes: file(["key", "key", "next"]))?.active.version == 2)
        #expect(KeyRing(fileBytes: file(["key", "key", "key"]))?.active.version == 3)
        #expect(KeyRing(fileBytes: file(["next", "next", "next"])) == nil)
        #expect(KeyRing(fileBytes: file(["next", "key", "next"])) == nil)
        #expect(KeyRing(fileBytes: file(["key", "next", "key"])) == nil)
    }

    @Test func `a ring knows the keys that it has dropped`() {
        let ring = rotated(), dropped = Self.first.name
        #expect(ring.hasHeld(dropped) && ring.hasHeld(ring.active.name))
        ring.adopt(ring.without(version: 1))
        #expect(ring.keys.map(\.version) == [2] && ring.hasHeld(dropped))
        #expect(!ring.hasHeld(MasterKey(bytes: Array(7...38)).name))
    }
}
