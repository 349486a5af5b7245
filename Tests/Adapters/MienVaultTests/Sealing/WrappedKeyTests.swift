import Foundation
import MienServerTesting
import MienTesting
import Testing

@testable import MienVault

/// `docs/spec/key-ring.md`, "Wrapped keys".
@Suite struct WrappedKeyTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write(Array(1...32), to: "mien.master-key")
    }

    private func wrapper(_ name: String = "mien.master-key") throws -> CredentialKeyWrapper {
        try CredentialKeyWrapper(name, in: scratch("").path)
    }

    private func file() throws -> KeyFile {
        KeyFile(path: scratch("keys/master.key").path, wrapper: try wrapper())
    }

    private func error(_ body: () throws -> Void) -> KeyFileError? {
        do {
            try body()
            return nil
        } catch { return error as? KeyFileError }
    }

    @Test func `the first start makes a wrapped key, and later ones open it`() throws {
        let file = try file(), ring = try file.loadOrCreateRing(sealedRecordsExist: false)
        #expect(try mode(of: file.path) == 0o600)
        let again = try file.loadOrCreateRing(sealedRecordsExist: true)
        #expect(again.active.id == ring.active.id && again.keys.map(\.version) == [1])
        #expect(try scratch.names().contains("keys"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch("keys").path) == [
                "master.key"
            ])
    }

    @Test func `the file never contains a key, also after rotations`() throws {
        let file = try file()
        var ring = try file.loadOrCreateRing(sealedRecordsExist: false)
        for version in 2...4 as ClosedRange<UInt32> {
            ring = ring.rotated()
            try file.store(ring)
            let bytes = try Data(contentsOf: URL(filePath: file.path))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("mien-wrapped-keys 1\nwrapper credential\nkey "))
            for key in ring.keys {
                #expect(!text.contains(hexadecimal(key.exported)))
                #expect(bytes.range(of: Data(key.exported)) == nil)
            }
            for key in ring.lookup.stored.values { #expect(!text.contains(hexadecimal(key))) }
            let read = try #require(try file.loadRing())
            #expect(read.active.version == version && read.fileBytes == ring.fileBytes)
        }
        // Removing a key wraps the rest.
        try file.store(ring.without(version: 1))
        #expect(try file.loadRing()?.keys.map(\.version) == [2, 3, 4])
    }

    @Test func `any changed or missing byte is refused`() throws {
        let file = try file()
        try file.store(KeyRing(MasterKey(bytes: Array(1...32))), random: .counting())
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        for index in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[index] ^= 1
            try changed.write(to: URL(filePath: file.path))
            #expect(error { _ = try file.loadRing() } != nil, "byte \(index)")
        }
        for count in stride(from: 1, to: bytes.count, by: 37) {
            try bytes.prefix(count).write(to: URL(filePath: file.path))
            #expect(error { _ = try file.loadRing() } != nil, "\(count) bytes")
        }
        try bytes.write(to: URL(filePath: file.path))
        #expect(try file.loadRing() != nil)
    }

    @Test func `another credential does not open the keys`() throws {
        let file = try file()
        _ = try file.loadOrCreateRing(sealedRecordsExist: false)
        try scratch.write(Array(2...33), to: "other")
        let other = KeyFile(path: file.path, wrapper: try wrapper("other"))
        #expect(error { _ = try other.loadRing() }?.code == "key.credential-other")
        // It does not replace them either.
        #expect(error { _ = try other.loadOrCreateRing(sealedRecordsExist: false) } != nil)
        #expect(try file.loadRing() != nil)
    }

    @Test func `keys that are protected otherwise than the settings say are not used`() throws {
        let wrapped = try file(), plain = KeyFile(path: wrapped.path)
        _ = try wrapped.loadOrCreateRing(sealedRecordsExist: false)
        #expect(error { _ = try plain.loadRing() } == .wrapped(path: plain.path, by: "credential"))
        #expect(
            error { _ = try plain.loadOrCreateRing(sealedRecordsExist: false) }
                == .wrapped(path: plain.path, by: "credential"))
        try FileManager.default.removeItem(atPath: plain.path)
        let ring = try plain.loadOrCreateRing(sealedRecordsExist: false)
        #expect(
            error { _ = try wrapped.loadRing() }
                == .notWrapped(path: plain.path, kind: "credential"))
        // Wrapping them is one step.
        try wrapped.store(ring)
        #expect(try wrapped.loadRing()?.active.id == ring.active.id)
    }

    @Test func `keys that would not open again replace nothing`() throws {
        let plain = KeyFile(path: scratch("keys/master.key").path)
        var ring = try plain.loadOrCreateRing(sealedRecordsExist: false)
        let oneWay = KeyFile(path: plain.path, wrapper: OneWayWrapper(inner: try wrapper()))
        #expect(error { try oneWay.store(ring) }?.code == "pkcs11.refused")
        #expect(try plain.loadRing()?.fileBytes == ring.fileBytes)

        let wrapped = try file()
        try wrapped.store(ring)
        ring = ring.rotated()
        #expect(error { try oneWay.store(ring) }?.code == "pkcs11.refused")
        #expect(try wrapped.loadRing()?.keys.map(\.version) == [1])
        // The first start stores none either.
        try FileManager.default.removeItem(atPath: plain.path)
        #expect(error { _ = try oneWay.loadOrCreateRing(sealedRecordsExist: false) } != nil)
        #expect(!FileManager.default.fileExists(atPath: plain.path))
    }

    /// A token that wraps with the public key of another pair than the one that unwraps.
    private struct OneWayWrapper: KeyWrapper {
        let inner: CredentialKeyWrapper

        var kind: String { inner.kind }

        func wrap(_ secret: [UInt8], context: [UInt8], random: RandomSource)
            throws(KeyWrapperError) -> [UInt8]
        { inner.wrap(secret, context: context, random: random) }

        func unwrap(_ bytes: [UInt8], context: [UInt8]) throws(KeyWrapperError) -> [UInt8] {
            throw KeyWrapperError(code: "pkcs11.refused", reason: "not encrypted under this key")
        }
    }

    @Test func `a missing file is not replaced when records exist`() throws {
        let file = try file()
        #expect(
            error { _ = try file.loadOrCreateRing(sealedRecordsExist: true) }
                == .missing(path: file.path))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a credential that is missing or too small is named with the remedy`() throws {
        func refused(_ name: String, in folder: String?) -> KeyWrapperError? {
            do {
                _ = try CredentialKeyWrapper(name, in: folder)
                return nil
            } catch { return error }
        }
        let unset = refused("x", in: nil)
        #expect(unset?.code == "key.credential-missing")
        #expect(unset?.reason.contains("LoadCredentialEncrypted=x") == true)
        #expect(refused("x", in: scratch("").path)?.code == "key.credential-missing")
        for size in [0, 31, 1025] {
            try scratch.write([UInt8](repeating: 7, count: size), to: "size")
            #expect(refused("size", in: scratch("").path)?.code == "key.credential-size")
        }
        for size in [32, 1024] {
            try scratch.write([UInt8](repeating: 7, count: size), to: "size")
            #expect(refused("size", in: scratch("").path) == nil)
        }
    }

    @Test func `the format is as specified`() throws {
        let ring = KeyRing(MasterKey(bytes: Array(1...32)))
        let text = String(
            decoding: try WrappedKeys(ring, with: wrapper(), random: .counting()).fileBytes,
            as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0] == "mien-wrapped-keys 1" && lines[1] == "wrapper credential")
        // Nonce, 32 bytes, tag; in hexadecimal digits.
        #expect(lines[2].count == "key ".count + 2 * (12 + 32 + 16))
        #expect(lines[3].count == "ring ".count + 2 * (12 + 32 + 16))
        #expect(lines[4].hasPrefix("end ") && lines[4].count == 4 + 64)
    }
}
