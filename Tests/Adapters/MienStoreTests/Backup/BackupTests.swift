import Foundation
import MienAPI
import MienCore
import MienTesting
import MienVault
import Testing

@testable import MienStore

@Suite struct BackupTests {
    private let scratch: ScratchFolder
    private let data: URL
    private let now = Instant(milliseconds: 1_700_000_000_000)
    private let passphrase = BackupPassphrase(Sensitive("a long enough passphrase"))!

    init() throws {
        scratch = try ScratchFolder()
        data = scratch("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    }

    /// Opens a data folder as a server does.
    private func open(_ folder: URL) async throws -> (SQLiteDriver, Store) {
        let keys = try KeyFile(path: folder.appending(path: "master.key").path)
            .loadOrCreateRing(sealedRecordsExist: false)
        let driver = try SQLiteDriver(path: folder.appending(path: "mien.sqlite").path)
        return (driver, try await Store(driver, keys: StoreKeys(keys)))
    }

    private func add(_ name: String, to store: Store) async throws {
        let account = AccountRecord.new(
            UserID("usr_\(name)")!, AccountProfile(username: name), keys: store.keys, at: now)
        let names = [try LoginName(name, kind: .username)], now = now
        try await store.write {
            try $0.accounts.insert(account, names: names)
            try $0.audit.append(
                AuditEvent("user.created", actor: "test", account: account.record.id), at: now)
        }
    }

    private func write(_ name: String, settings: [BackupWriter.Setting] = []) throws -> URL {
        let target = scratch(name)
        _ = try BackupWriter(data: data, settings: settings, program: "mien 0.1.0").write(
            to: target, passphrase: passphrase, at: now)
        return target
    }

    private func code(_ body: () throws -> Void) -> BackupError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? BackupError)?.code }
    }

    @Test func `a database in use is backed up, and restored with all that was committed`()
        async throws
    {
        let (driver, store) = try await open(data)
        for name in ["ada", "ben"] { try await add(name, to: store) }
        let rules = try scratch.write(Array("rules: 1\n".utf8), to: "mien.yaml")
        let backup = try write("backup", settings: [.init(key: nil, path: rules.path)])
        try await add("later", to: store)
        try driver.close()

        let reader = try BackupReader(backup), target = scratch("restored")
        #expect(reader.manifest.auditNumber == 2)
        #expect(try reader.restore(to: target, passphrase: passphrase) == 2)
        let (restored, again) = try await open(target)
        let found = try await again.read { try $0.accounts.find(UserID("usr_ada")!) }
        #expect(found?.profile.use { $0.username } == "ada")
        #expect(try await again.read { try $0.accounts.find(UserID("usr_later")!) } == nil)
        #expect(
            try String(
                contentsOf: target.appending(path: "configuration/mien.yaml"), encoding: .utf8)
                == "rules: 1\n")
        try restored.close()
    }

    @Test func `a backup holds no plain bytes of the database or the key`() async throws {
        let (driver, store) = try await open(data)
        try await add("ada", to: store)
        let backup = try write("backup")
        try driver.close()
        let key = try Data(contentsOf: data.appending(path: "master.key"))
        for name in try FileManager.default.contentsOfDirectory(atPath: backup.path) {
            let file = backup.appending(path: name)
            let bytes = try Data(contentsOf: file)
            #expect(bytes.range(of: key) == nil && bytes.range(of: Data("SQLite".utf8)) == nil)
            let mode =
                try FileManager.default.attributesOfItem(atPath: file.path)[
                    .posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        // The copy that was sealed is gone.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: data.path).allSatisfy {
                !$0.hasPrefix(".backup-")
            })
    }

    @Test func `nothing is restored from a backup with any changed file or another passphrase`()
        async throws
    {
        let (driver, store) = try await open(data)
        try await add("ada", to: store)
        let backup = try write("backup"), target = scratch("restored")
        try driver.close()
        let other = BackupPassphrase(Sensitive("another passphrase!"))!
        #expect(
            code { _ = try BackupReader(backup).restore(to: target, passphrase: other) }
                == .passphrase)
        for name in ["database.sealed", "master.key.sealed", "manifest.json"] {
            let file = backup.appending(path: name), genuine = try Data(contentsOf: file)
            var changed = genuine
            changed[changed.count / 2] ^= 1
            try changed.write(to: file)
            let found = code {
                _ = try BackupReader(backup).restore(to: target, passphrase: passphrase)
            }
            #expect(found != nil && found != .files, "\(name)")
            try FileManager.default.removeItem(at: file)
            #expect(code { _ = try BackupReader(backup) } != nil, "\(name)")
            try genuine.write(to: file)
        }
        #expect(!FileManager.default.fileExists(atPath: target.path))
        #expect(try scratch.names().filter { $0.hasSuffix(".tmp") } == [])
        #expect(try BackupReader(backup).restore(to: target, passphrase: passphrase) == 1)
    }

    @Test func `existing folders are neither written nor restored to`() async throws {
        let (driver, store) = try await open(data)
        try await add("ada", to: store)
        let backup = try write("backup")
        #expect(code { _ = try write("backup") } == .exists)
        #expect(
            code { _ = try BackupReader(backup).restore(to: data, passphrase: passphrase) }
                == .exists)
        #expect(
            try BackupReader(backup).restore(
                to: scratch("check"), passphrase: passphrase, keeps: false) == 1)
        #expect(!FileManager.default.fileExists(atPath: scratch("check").path))
        try driver.close()
    }

    @Test func `a damaged audit log is not backed up as intact`() async throws {
        let (driver, store) = try await open(data)
        for name in ["ada", "ben"] { try await add(name, to: store) }
        _ = try await driver.write(.always) {
            try $0.execute("UPDATE audit SET actor = 'nobody' WHERE number = 1", [])
        }
        #expect(code { _ = try write("backup") } == .content)
        #expect(try scratch.names() == ["data"])
        try driver.close()
    }

    @Test func `a folder without a server's data is refused`() {
        #expect(code { _ = try write("backup") } == .content)
        #expect(code { _ = try BackupReader(data) } == .format)
        #expect(BackupPassphrase(Sensitive("short")) == nil)
    }
}
