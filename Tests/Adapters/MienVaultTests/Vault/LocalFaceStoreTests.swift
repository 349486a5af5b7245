import Foundation
import MienCore
import MienFace
import MienServerTesting
import MienVault
import Testing

/// Tests on the real disk.
@Suite struct LocalFaceStoreTests {
    static func open(_ folder: String) throws -> LocalFaceStore {
        try LocalFaceStore.open(folder: "\(folder)/vault/faces", keyPath: "\(folder)/vault/key")
    }

    static func records(_ store: LocalFaceStore) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.folder).filter {
            $0.hasSuffix(".face")
        }.sorted().map { "\(store.folder)/\($0)" }
    }

    @Test func `a stored face is found, ignoring case, also by another process`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder), template = try madeUpTemplate(seed: 1, entries: 3)
            #expect(try store.list() == FaceListing.empty)
            #expect(try store.put(template, as: ana) == .added)
            let again = try Self.open(folder)
            #expect(try again.find(PersonName("aNA"))?.template == template)
            #expect(try again.find(ana)?.name.text == "Ana")
            #expect(try again.find(bruno) == nil)
        }
    }

    @Test func `everyone is listed by name`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            for (seed, name) in ["zoe", "Ana", "bruno"].enumerated() {
                _ = try store.put(madeUpTemplate(seed: seed), as: PersonName(name))
            }
            #expect(try store.list().faces.map(\.name.text) == ["Ana", "bruno", "zoe"])
        }
    }

    @Test func `enrolling again replaces the record in place and takes the new spelling`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            _ = try store.put(madeUpTemplate(seed: 1), as: ana)
            let file = try Self.records(store), old = try contents(of: file[0])
            #expect(try store.put(madeUpTemplate(seed: 2), as: PersonName("ANA")) == .replaced)
            #expect(try Self.records(store) == file)
            #expect(try contents(of: file[0]) != old)
            #expect(
                try store.find(ana)
                    == EnrolledFace(
                        id: store.list().faces[0].id, name: PersonName("ANA"),
                        template: madeUpTemplate(seed: 2)))
            #expect(try store.find(ana)?.name.text == "ANA")
        }
    }

    @Test func `a migrated person keeps the old template until its time is up`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder), old = try madeUpTemplate(seed: 1, entries: 3)
            let new = try madeUpTemplate(seed: 2, dimensions: 16)
            for (seed, name) in [(1, ana), (7, bruno)] {
                _ = try store.put(madeUpTemplate(seed: seed, entries: 3), as: name)
            }
            let record = try Self.records(store), until = Instant(milliseconds: 100)
            #expect(try !store.migrate(ana, from: new, to: old, keptUntil: until), "another one")
            #expect(
                try !store.migrate(PersonName("Zoe"), from: old, to: new, keptUntil: until))
            #expect(try store.migrate(ana, from: old, to: new, keptUntil: until))
            #expect(try Self.records(store) == record, "in place")
            // Another process sees the same.
            let found = try #require(try Self.open(folder).find(ana))
            #expect(found.template == new)
            #expect(found.former == FormerTemplate(template: old, keptUntil: until))
            #expect(try store.find(bruno)?.former == nil)
            #expect(try store.eraseFormer(at: Instant(milliseconds: 99)) == 0)
            #expect(try store.eraseFormer(at: until) == 1)
            #expect(try store.eraseFormer(at: until) == 0)
            #expect(try store.find(ana)?.template == new)
            #expect(try store.find(ana)?.former == nil)
            // Enrolling again erases it at once.
            #expect(try store.migrate(ana, from: new, to: old, keptUntil: until))
            #expect(try store.put(new, as: ana) == .replaced)
            #expect(try store.find(ana)?.former == nil)
        }
    }

    @Test func `a malformed former template is reported`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            _ = try store.put(madeUpTemplate(seed: 1), as: ana)
            #expect(
                try store.migrate(
                    ana, from: madeUpTemplate(seed: 1), to: madeUpTemplate(seed: 2),
                    keptUntil: Instant(milliseconds: 100)))
            let path = try Self.records(store)[0]
            let id = try #require(bytes(hexadecimal: path.split(separator: "/").last!.dropLast(5)))
            let sealer = RecordSealer(
                key: try KeyFile(path: "\(folder)/vault/key").loadOrCreate(
                    sealedRecordsExist: true, random: .system),
                purpose: SealPurpose(label: "mien/v1/face-template"))
            let good = try sealer.open(try contents(of: path), identity: id)
            #expect(Array(good[0..<2]) == [2, 0])
            for length in 0..<good.count {
                try put(sealer.seal(Array(good.prefix(length)), identity: id), at: path)
                #expect(try store.list().damaged.count == 1, "\(length) bytes")
            }
            var wrong = good
            wrong[271] = 0xFF
            try put(sealer.seal(wrong, identity: id), at: path)
            #expect(try store.list().damaged.map(\.reason) == [.content(at: 268)])
            wrong = good
            wrong[0] = 3
            try put(sealer.seal(wrong, identity: id), at: path)
            #expect(try store.list().damaged.map(\.reason) == [.content(at: 0)])
            try put(sealer.seal(good, identity: id), at: path)
            #expect(try store.find(ana)?.former != nil)
        }
    }

    @Test func `removing reports whether the person existed and keeps the others`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            for name in [ana, bruno] { _ = try store.put(madeUpTemplate(seed: 1), as: name) }
            #expect(try store.remove(ana))
            #expect(try !store.remove(ana))
            #expect(try store.find(ana) == nil)
            #expect(try store.list().faces.map(\.name) == [bruno])
            #expect(try Self.records(store).count == 1)
        }
    }

    @Test func `files are private and of one size, and their names and bytes reveal no name`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            for (entries, name) in [
                (1, "Wilhelmina-Persephone"), (8, String(repeating: "W", count: 64)), (3, "W"),
            ] {
                _ = try store.put(
                    madeUpTemplate(seed: 1, entries: entries, dimensions: 128), as: PersonName(name)
                )
            }
            let records = try Self.records(store)
            #expect(try Set(records.map { try contents(of: $0).count }) == [4_684])
            #expect(try mode(of: store.folder) == 0o700)
            for path in records {
                #expect(try mode(of: path) == 0o600)
                #expect(
                    path.split(separator: "/").last!.wholeMatch(of: /[0-9a-f]{32}\.face/) != nil)
                #expect(
                    String(decoding: try contents(of: path), as: Unicode.ASCII.self).contains(
                        "Wilhelmina") == false)
            }
        }
    }

    @Test func `a damaged record is reported and hides no other record`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            for name in [ana, bruno] { _ = try store.put(madeUpTemplate(seed: 1), as: name) }
            let victim = "\(store.folder)/\(try #require(try store.find(ana)).id).face"
            var bytes = try contents(of: victim)
            bytes[bytes.count / 2] ^= 1
            try put(bytes, at: victim)
            let damaged = [DamagedRecord(path: victim, reason: .seal(.refused))]
            #expect(try store.list().faces.map(\.name) == [bruno])
            #expect(try store.list().damaged == damaged)
            #expect(try store.find(bruno) != nil)
            #expect(throws: FaceStoreError.damaged(damaged)) { try store.find(ana) }
            #expect(throws: FaceStoreError.damaged(damaged)) { try store.remove(ana) }
            #expect(try store.discard(damaged[0]))
            #expect(try !store.discard(damaged[0]))
            #expect(try store.find(ana) == nil)
        }
    }

    @Test func `a record that can be read is not discarded`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            _ = try store.put(madeUpTemplate(seed: 1), as: ana)
            let path = try Self.records(store)[0]
            #expect(try !store.discard(DamagedRecord(path: path, reason: .notRegular)))
            #expect(try store.find(ana) != nil)
        }
    }

    @Test func `every kind of damage has its error`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            _ = try store.put(madeUpTemplate(seed: 1), as: ana)
            let good = try contents(of: Self.records(store)[0])
            let name = { (digit: String) in
                "\(store.folder)/" + String(repeating: digit, count: 32) + ".face"
            }
            try put([], at: name("0"))
            try put(good, at: name("1"))  // another person's record under a new file name
            try put([UInt8](repeating: 0, count: 80_000), at: name("2"))
            try FileManager.default.createDirectory(
                atPath: name("3"), withIntermediateDirectories: false)
            try put(good, at: "\(store.folder)/Ana.face")
            let reasons = try Dictionary(
                uniqueKeysWithValues: store.list().damaged.map { ($0.path, $0.reason) })
            #expect(
                reasons == [
                    name("0"): .seal(.truncated(at: 0)), name("1"): .seal(.refused),
                    name("2"): .size(80_000), name("3"): .notRegular,
                    "\(store.folder)/Ana.face": .fileName,
                ])
            #expect(try store.list().faces.count == 1)
        }
    }

    @Test func `records of another key are reported as such`() async throws {
        try await withTemporaryFolder { folder throws in
            _ = try Self.open(folder).put(madeUpTemplate(seed: 1), as: ana)
            try put(Array(0..<32), at: "\(folder)/vault/key")
            #expect(try Self.open(folder).list().damaged.map(\.reason) == [.seal(.foreignKey)])
        }
    }

    @Test func `without its key a store with records does not open, an empty one does`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let key = "\(folder)/vault/key", store = try Self.open(folder)
            try FileManager.default.removeItem(atPath: key)
            _ = try Self.open(folder)
            _ = try Self.open(folder).put(madeUpTemplate(seed: 1), as: ana)
            try FileManager.default.removeItem(atPath: key)
            #expect(throws: FaceStoreError.key(.missing(path: key))) { try Self.open(folder) }
            #expect(
                try Self.records(store).count == 1 && !FileManager.default.fileExists(atPath: key))
        }
    }

    @Test func `leftovers of interrupted processes are ignored, then removed`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder)
            let leftovers = [
                "\(store.folder)/.0011223344556677.tmp",
                "\(folder)/vault/.key.0011223344556677.tmp",
            ]
            for path in leftovers { try put([1, 2, 3], at: path) }
            #expect(try store.list() == FaceListing.empty)
            _ = try Self.open(folder)
            for path in leftovers { #expect(!FileManager.default.fileExists(atPath: path)) }
        }
    }

    @Test func `one name in two files is an error, not a guess`() async throws {
        let random = RandomSource.counting()
        let disk = SimulatedDisk()
        let store = try LocalFaceStore.open(
            folder: "/faces", keyPath: "/key", files: disk, random: random)
        _ = try store.put(madeUpTemplate(seed: 1), as: ana)
        let path = try #require(disk.fileNames.first { $0.hasSuffix(".face") })
        let bytes = try #require(try disk.read(path, atMost: 100_000)).bytes
        #expect(try store.remove(ana))
        _ = try store.put(madeUpTemplate(seed: 2), as: ana)
        disk.plant(path, bytes)
        let error = #expect(throws: FaceStoreError.self) { try store.find(ana) }
        #expect(error?.code == "faces.name-twice")
    }

    @Test func `a record that cannot be read blocks a new person, who might be its owner`() throws {
        let disk = SimulatedDisk()
        let store = try LocalFaceStore.open(
            folder: "/faces", keyPath: "/key", files: disk, random: .counting())
        _ = try store.put(madeUpTemplate(seed: 1), as: ana)
        disk.arm(.fail, at: 3)  // lock, list, read
        #expect(throws: FaceStoreError.self) { try store.put(madeUpTemplate(seed: 2), as: ana) }
        #expect(disk.disarm())
        #expect(try store.list().faces.count == 1)
    }

    @Test func `no error and no listing reveals a name or a template`() async throws {
        try await withTemporaryFolder { folder throws in
            let store = try Self.open(folder), name = try PersonName("Wilhelmina")
            _ = try store.put(madeUpTemplate(seed: 1), as: name)
            var shown = ""
            dump(try store.list(), to: &shown)
            dump(store, to: &shown)
            try put([1], at: Self.records(store)[0])
            do { _ = try store.find(name) } catch { dump(error, to: &shown) }
            // A descriptor's values are fractions. A record's random name may end with a 0 before
            // “.face”.
            #expect(
                shown.contains(".face") && !shown.contains("Wilhelmina")
                    && shown.firstMatch(of: /[0-9]\.[0-9]/) == nil)
        }
    }

    @Test func `the codes of the store's errors are stable`() {
        let errors: [FaceStoreError] = [
            .key(.missing(path: "")), .damaged([]), .nameTwice(paths: []), .full(limit: 1),
            .folderTooWide(path: "", mode: 0),
        ]
        #expect(
            errors.map(\.code) == [
                "key.missing", "faces.damaged", "faces.name-twice", "faces.full",
                "faces.folder-mode",
            ])
    }

    @Test(arguments: [0o770, 0o707, 0o720, 0o702])
    func `a folder that others can change is rejected with a remedy`(mode: Int) async throws {
        try await withTemporaryFolder { folder throws in
            _ = try Self.open(folder).put(madeUpTemplate(seed: 1), as: ana)
            let faces = "\(folder)/vault/faces"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: faces)
            let error = try #require(throws: FaceStoreError.self) { try Self.open(folder) }
            #expect(error.code == "faces.folder-mode" && "\(error)".contains("chmod 700 \(faces)"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: faces)
            #expect(try Self.open(folder).list().faces.count == 1)
        }
    }
}

extension FaceListing {
    /// An empty listing without damaged records.
    static var empty: FaceListing { FaceListing(faces: [], damaged: []) }
}
