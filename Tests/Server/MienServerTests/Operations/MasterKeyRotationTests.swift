import Foundation
import Logging
import MienAPI
import MienCore
import MienFace
import MienServerTesting
import MienStore
import MienTesting
import ServiceLifecycle
import Testing

@testable import MienServer
@testable import MienVault

/// Rotations of the master key by several servers on one database, each with its own file.
@Suite("Master keys of several servers", .timeLimit(.minutes(10)))
struct MasterKeyRotationTests {
    /// Begins a rotation without waiting for the others.
    private func begin(_ server: RingServer) async throws {
        try await server.rotation.prepare(by: "adm_a")
    }

    /// Starts three servers, of which two rotate while the third is silent.
    private func rotatedWhileOneSleeps(on rings: Rings) async throws -> [RingServer] {
        let servers = try await rings.servers("a", "b", "c")
        rings.silence()
        for server in servers[..<2] { await server.presence.announce() }
        try await begin(servers[0])
        await rings.settle(Array(servers[..<2]))
        return servers
    }

    private func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return (error as? Problem)?.detail ?? "\(error)" }
    }

    @Test(
        "a key seals once every server has stored it, and a former one goes when all have moved on")
    func rotation() async throws {
        let rings = try Rings(), servers = try await rings.servers("a", "b", "c")
        let (a, b, c) = (servers[0], servers[1], servers[2])
        try await a.write("before")
        try await begin(a)
        try await a.rotation.follow()
        #expect(a.versions == [1, 2] && a.ring.active.version == 1)
        #expect(try a.stored == [1, 2] && b.stored == [1])
        var status = try await b.rotation.status()
        #expect(status.next?.version == 2 && status.isSealing)
        #expect(status.keys.map(\.version) == [1])
        #expect(Set(status.waitsFor?.map(\.name) ?? []) == ["b", "c"])
        #expect(status.waitsFor?.first?.host == Presence.host)
        let again = await refusal { _ = try await b.rotation.rotate(by: "adm_b") }
        #expect(again?.contains("cancel the rotation") == true, "\(again ?? "")")
        #expect(again?.contains("mien admin") == false, "people read it on a page, too")

        try await b.rotation.follow()
        #expect(a.ring.active.version == 1 && b.ring.active.version == 1, "c is missing")
        try await c.rotation.follow()
        // The last one makes it the key in use, and moves on.
        #expect(c.ring.active.version == 2)
        #expect(b.ring.active.version == 1)
        try await c.write("early")
        try await b.write("late")
        for server in servers {
            for name in ["before", "early", "late"] { #expect(await server.canRead(name)) }
        }
        let early = await refusal { try await c.rotation.remove(version: 1, by: "adm_a") }
        #expect(early?.contains("does not seal under the key in use yet") == true)
        await rings.settle(servers)
        status = try await a.rotation.status()
        #expect(status.next == nil && !status.isSealing && status.waitsFor == nil)
        #expect(status.keys.map(\.version) == [1, 2] && status.keys[0].records == 0)
        #expect(status.keys[1].records >= 3 && status.keys[1].isActive)
        try await b.rotation.remove(version: 1, by: "adm_b")
        await rings.settle(servers)
        for server in servers {
            #expect(try server.versions == [2] && server.stored == [2])
            for name in ["before", "early", "late"] { #expect(await server.canRead(name)) }
        }
        #expect(
            try await rings.events(a) == [
                "master-key.prepared": 1, "master-key.rotated": 1, "master-key.sealed": 1,
                "master-key.removed": 1,
            ])
        let unknown = await refusal { try await a.rotation.remove(version: 1, by: "adm_a") }
        #expect(unknown == "There is no such key.")
        let used = await refusal { try await a.rotation.remove(version: 2, by: "adm_a") }
        #expect(used == "The key is in use. Rotate first.")
    }

    @Test("a server that is alone rotates in one call")
    func alone() async throws {
        let rings = try Rings(), a = try await rings.servers("a")[0]
        try await a.write("one")
        let answer = try await a.rotation.rotate(by: "adm_a")
        #expect(answer.next == nil && answer.keys.map(\.isActive) == [false, true])
        #expect(answer.isSealing && a.ring.active.version == 2)
        #expect(try a.stored == [1, 2])
        await rings.settle([a])
        #expect(try await !a.rotation.status().isSealing)
    }

    @Test("whichever write of the server that began it fails or is its last, the others finish")
    func crashes() async throws {
        var faults = 0
        for isCommitted in [false, true] {
            for number in 1...40 {
                let rings = try Rings(), servers = try await rings.servers("a", "b", "c")
                let (a, b, c) = (servers[0], servers[1], servers[2])
                try await a.write("before")
                a.fault.withLock { $0 = .init(writes: number, isCommitted: isCommitted) }
                try? await begin(a)
                for _ in 0..<3 {
                    for server in servers { await server.live() }
                    rings.pass(.seconds(1))
                }
                let hasDied = a.fault.withLock { $0!.writes <= 0 }
                a.fault.withLock { $0 = nil }
                if !hasDied { break }
                faults += 1
                // It is dead, and so is its lease. The others go on without it.
                rings.pass(.seconds(61))
                await rings.settle([b, c])
                #expect(b.ring.active.version == c.ring.active.version)
                try await b.write("after")
                let restarted = try await RingServer("a2", a.file, on: rings)
                await rings.settle([restarted, b, c])
                #expect(restarted.ring.active.version == b.ring.active.version)
                #expect(try await !b.rotation.status().isSealing, "write \(number)")
                for server in [restarted, b, c] {
                    #expect(await server.canRead("before", "after"))
                    #expect(try server.stored == b.versions)
                }
                guard b.ring.active.version == 2 else { continue }
                try await c.rotation.remove(version: 1, by: "adm_c")
                await rings.settle([restarted, b, c])
                for server in [restarted, b, c] {
                    #expect(try server.stored == [2], "write \(number)")
                    #expect(await server.canRead("before", "after"))
                }
            }
        }
        print("\(faults) writes failed")
        #expect(faults > 10)
    }

    @Test("a power loss at any operation of a key file leaves keys with which the server starts")
    func powerLoss() async throws {
        var losses = 0
        for number in 1...60 {
            let rings = try Rings(), disk = SimulatedDisk()
            let file = KeyFile(path: "/keys/master.key", files: disk)
            try file.store(KeyRing(MasterKey(bytes: Array(1...32))))
            let a = try await RingServer("a", try rings.file("a"), on: rings)
            let b = try await RingServer("b", file, on: rings)
            try await b.write("before")
            disk.arm(.crash, at: number)
            try await begin(a)
            for _ in 0..<4 {
                await a.live()
                await b.live()
                rings.pass(.seconds(1))
            }
            let outcomes = disk.outcomes
            guard disk.disarm() else { break }
            losses += 1
            rings.silence()
            await rings.settle([a])
            try await a.write("after")
            for outcome in outcomes {
                let left = KeyFile(path: file.path, files: disk.afterCrash(outcome))
                let restarted = try await RingServer("b2", left, on: rings)
                #expect(await restarted.canRead("before", "after"))
                #expect(try restarted.ring.active.version == 2 && restarted.stored == [1, 2])
            }
        }
        print("\(losses) power losses")
        #expect(losses >= 5)
    }

    @Test("a server that sleeps through a rotation writes on, and catches up from the database")
    func paused() async throws {
        let rings = try Rings(), servers = try await rotatedWhileOneSleeps(on: rings)
        let (a, b, c) = (servers[0], servers[1], servers[2])
        #expect(a.ring.active.version == 2 && b.ring.active.version == 2)
        #expect(try await !a.rotation.status().isSealing, "the pass is done")
        try await a.write("new")
        // It does not know yet.
        #expect(c.versions == [1])
        try await c.write("slept")
        #expect(await a.canRead("slept"))
        #expect(await b.canRead("slept"))
        let needed = await refusal { try await a.rotation.remove(version: 1, by: "adm_a") }
        #expect(needed?.contains("1 records still need the key") == true, "\(needed ?? "")")
        // It catches up as soon as it needs the key.
        #expect(await c.canRead("new"))
        #expect(try c.ring.active.version == 2 && c.stored == [1, 2])
        await rings.settle([a, b, c])
        // The pass was repeated.
        try await a.rotation.remove(version: 1, by: "adm_a")
        await rings.settle(servers)
        #expect(await a.canRead("slept"))
        #expect(await c.canRead("slept"))
    }

    @Test("a server that catches up takes no face that was sealed meanwhile for a damaged one")
    func faces() async throws {
        let rings = try Rings(), servers = try await rotatedWhileOneSleeps(on: rings)
        let (a, c) = (servers[0], servers[2])
        let face = AuthenticatorID("aut_eve")!, pack = try PackID("mien-basic-1")
        try await a.store.write { tables in
            let account = AccountRecord.new(
                UserID("usr_eve")!, AccountProfile(username: "eve"), keys: a.store.keys,
                at: .start)
            try tables.accounts.insert(account, names: [])
            try tables.authenticators.insert(
                AuthenticatorRecord(
                    id: face, account: account.record.id, type: .face, app: .shop,
                    content: [1, 2, 3],
                    info: ["pack": .string(pack.text)], createdAt: .start), of: account.record)
        }
        let found = try await c.store.read {
            try $0.galleries.face(face, of: .shop, pack: pack)
        }
        #expect(found?.template?.use { $0 } == [1, 2, 3])
        #expect(c.ring.active.version == 2)
    }

    @Test("a server that sleeps through the removal, too, writes nothing and stops")
    func tooLate() async throws {
        let rings = try Rings(), servers = try await rotatedWhileOneSleeps(on: rings)
        let (a, b, c) = (servers[0], servers[1], servers[2])
        try await a.rotation.remove(version: 1, by: "adm_a")
        let refused = await refusal { try await c.write("lost") }
        #expect(refused?.contains("removed meanwhile") == true, "\(refused ?? "")")
        // Nor does a body that goes on after the refusal.
        try await c.store.write { tables in
            for name in ["lost", "gone"] { try? c.insert(name, tables) }
        }
        #expect(try await a.store.read { try $0.accounts.find(UserID("usr_gone")!) } == nil)
        try await c.rotation.follow()
        let error = await #expect(throws: ServerStartError.self) {
            try await c.rotation.run()
        }
        #expect(error?.code == .key)
        #expect(error?.description.contains("Copy the file of the master keys") == true)
        #expect(error?.description.contains(c.file.path) == true)
        // Nor does one start with such a file.
        let start = await #expect(throws: StoreError.self) {
            _ = try await RingServer("d", try rings.file("d"), on: rings)
        }
        #expect(start?.code == .foreignKey && start?.reason.contains("version 2") == true)
        // With a copy, it does.
        try FileManager.default.removeItem(atPath: c.file.path)
        try FileManager.default.copyItem(atPath: a.file.path, toPath: c.file.path)
        let copied = try await RingServer("c2", c.file, on: rings)
        try await copied.write("found")
        #expect(await b.canRead("found"))
    }

    @Test("one that shares the file of keys goes on after the removal")
    func sharedFile() async throws {
        let rings = try Rings(), file = try rings.file("shared")
        let a = try await RingServer("a", file, on: rings)
        let b = try await RingServer("b", file, on: rings)
        let c = try await RingServer("c", file, on: rings)
        try await begin(a)
        await rings.settle([a, b, c])
        #expect(try a.stored == [1, 2] && c.ring.active.version == 2)
        try await b.rotation.remove(version: 1, by: "adm_b")
        await rings.settle([a, b, c])
        #expect(try a.stored == [2])
        // This one sleeps through everything.
        rings.silence()
        await rings.settle([a, b])
        try await begin(b)
        await rings.settle([a, b])
        try await b.rotation.remove(version: 2, by: "adm_b")
        await rings.settle([a, b])
        #expect(c.versions == [2])
        await rings.settle([c])
        #expect(c.versions == [3])
        try await c.write("back")
        #expect(await a.canRead("back"))
        // A server that was paused while it replaced the file loses no key.
        try file.store(KeyRing(MasterKey(bytes: Array(1...32))))
        await rings.settle([a, b, c])
        #expect(try a.stored == [3])
        #expect(try file.loadRing()?.active.name == a.ring.active.name)
    }

    @Test("a server that cannot store a key is named, keeps the key from sealing, and can catch up")
    func fault() async throws {
        let rings = try Rings(), disk = SimulatedDisk()
        let full = KeyFile(path: "/keys/master.key", files: disk)
        try full.store(KeyRing(MasterKey(bytes: Array(1...32))))
        let a = try await RingServer("a", try rings.file("a"), on: rings)
        let b = try await RingServer("b", full, on: rings)
        disk.arm(.full, at: 1)
        let answer = try await a.rotation.rotate(by: "adm_a")
        #expect(answer.next?.version == 2 && answer.waitsFor?.map(\.name) == ["b"])
        await rings.settle([a, b])
        var status = try await a.rotation.status()
        #expect(status.waitsFor?.count == 1 && status.waitsFor?.first?.name == "b")
        #expect(status.waitsFor?.first?.reason.hasPrefix("cannot store the key: ") == true)
        #expect(b.versions == [1] && a.ring.active.version == 1)

        // Canceled, the key is dropped.
        try await a.rotation.remove(version: 2, by: "adm_a")
        await rings.settle([a, b])
        status = try await b.rotation.status()
        #expect(status.next == nil && status.waitsFor == nil && !status.isSealing)
        #expect(try a.stored == [1] && a.versions == [1])
        #expect(try await rings.events(a) == ["master-key.prepared": 1, "master-key.canceled": 1])

        // Or it goes on once there is room. Its version is a new one.
        try await begin(a)
        await rings.settle([a, b])
        #expect(a.ring.active.version == 1)
        _ = disk.disarm()
        await rings.settle([a, b])
        #expect(try a.stored == [1, 3] && b.stored == [1, 3] && b.ring.active.version == 3)
        #expect(try await rings.events(a)["master-key.rotated"] == 1)
    }

    @Test("a server that has not said which keys it has is waited for while it lives")
    func silentAboutKeys() async throws {
        let rings = try Rings(), a = try await rings.servers("a")[0], now = rings.clock.now
        try await a.store.write { try $0.servers.announce("new", at: "", seen: now) }
        try await begin(a)
        await a.live()
        let status = try await a.rotation.status()
        #expect(status.waitsFor?.first?.reason.contains("not said") == true)
        #expect(a.ring.active.version == 1)
        rings.silence()
        await rings.settle([a])
        #expect(a.ring.active.version == 2)
    }

    @Test("keys that each machine wraps differently are taken over, and stay wrapped")
    func wrapped() async throws {
        let rings = try Rings()
        var servers: [RingServer] = []
        for name in ["a", "b"] {
            try rings.scratch.write(
                Array(repeating: name.utf8.first!, count: 32), to: "credentials-\(name)/key")
            let wrapper = try CredentialKeyWrapper(
                "key", in: rings.scratch("credentials-\(name)").path)
            servers.append(try await RingServer(name, try rings.file(name, wrapper), on: rings))
        }
        try await servers[0].write("one")
        try await begin(servers[0])
        await rings.settle(servers)
        for server in servers {
            #expect(try server.stored == [1, 2] && server.ring.active.version == 2)
            let bytes = try Data(contentsOf: URL(filePath: server.file.path))
            #expect(bytes.starts(with: Array("mien-wrapped-keys 1\n".utf8)))
        }
        #expect(await servers[1].canRead("one"))
    }

    @Test(
        "a server that dies during a pass is followed by another, and its late writes are refused")
    func pass() async throws {
        let rings = try Rings(), servers = try await rings.servers("a", "b")
        let (a, b) = (servers[0], servers[1])
        for number in 0..<5 { try await a.write("user\(number)") }
        try await begin(a)
        for _ in 0..<3 { for server in servers { try await server.rotation.follow() } }
        let lease = try #require(
            try await a.store.takeLease(
                "master-key", for: "a", at: rings.clock.now, lasting: .seconds(60)))
        await b.rotation.sealAgain()
        #expect(try await b.rotation.status().isSealing, "a holds the lease")
        rings.pass(.seconds(61))
        for server in servers { await server.presence.announce() }
        await b.rotation.sealAgain()
        #expect(try await !b.rotation.status().isSealing)
        let refused = await HeldLease.$current.withValue(lease) {
            await refusal { try await a.store.write { try $0.masterKeyTable.askForPass(2) } }
        }
        #expect(refused?.contains("store.stale") == true, "\(refused ?? "")")
        #expect(try await rings.events(a)["master-key.sealed"] == 1)
    }

    @Test(
        "a server that wakes up during a pass, at any moment of it, leaves nothing behind the pass")
    func wakesDuringPass() async throws {
        var moments = 0
        for number in 1... {
            let rings = try Rings(), servers = try await rings.servers("a", "b")
            let (a, b) = (servers[0], servers[1])
            try await a.write("one")
            rings.silence()
            await a.presence.announce()
            try await begin(a)
            for _ in 0..<3 { try await a.rotation.follow() }
            #expect(a.ring.active.version == 2 && b.ring.active.version == 1)
            let isInterrupted = try await a.interrupt(before: number) {
                // It seals under the former key before it looks at the database.
                try await b.write("late")
                try await b.rotation.follow()
            } during: {
                await a.rotation.sealAgain()
            }
            guard isInterrupted else { break }
            moments += 1
            await b.presence.announce()
            #expect(try await !a.rotation.status().isSealing, "write \(number)")
            try await a.rotation.remove(version: 1, by: "adm_a")
            await rings.settle(servers)
            #expect(try a.stored == [2] && b.stored == [2], "write \(number)")
            for server in servers { #expect(await server.canRead("one", "late")) }
        }
        #expect(moments >= 3)
    }

    @Test("keys that a writer of the database made are not taken over, and needed ones not dropped")
    func forged() async throws {
        let rings = try Rings(), a = try await rings.servers("a")[0]
        try await a.write("one")
        func plant(_ version: Int64, _ key: MasterKey, copy: [UInt8]) async throws {
            try await rings.driver.write(.always) {
                _ = try $0.execute(
                    "INSERT INTO master_key (version, name, state, key_sealed, sealed_by, actor, changed_at) VALUES (?, ?, 'active', ?, 1, '', 0)",
                    [.integer(version), .blob(key.name.bytes), .blob(copy)])
            }
        }
        let own = MasterKey(bytes: Array(repeating: 9, count: 32), version: 2)
        // Sealed under a key of their own, with the header of the key in use.
        var copy = RecordSealer(
            key: MasterKey(bytes: Array(repeating: 8, count: 32)),
            purpose: SealPurpose(label: "mien/v1/master-key")
        ).seal(own.exported, identity: Array("2".utf8))
        try await plant(2, own, copy: copy)
        await #expect(throws: StoreError.self) { try await a.rotation.follow() }
        copy.replaceSubrange(8..<20, with: a.ring.active.name.bytes)
        try await rings.driver.write(.always) {
            _ = try $0.execute("DELETE FROM master_key WHERE version = 2", [])
        }
        try await plant(2, own, copy: copy)
        await #expect(throws: StoreError.self) { try await a.rotation.follow() }
        // A copy that the key in use has sealed, under another name.
        copy = RecordSealer(
            key: a.ring.active, purpose: SealPurpose(label: "mien/v1/master-key")
        ).seal(Array(repeating: 7, count: 32), identity: Array("2".utf8))
        try await rings.driver.write(.always) {
            _ = try $0.execute("DELETE FROM master_key WHERE version = 2", [])
        }
        try await plant(2, own, copy: copy)
        await #expect(throws: StoreError.self) { try await a.rotation.follow() }
        #expect(try a.versions == [1] && a.stored == [1])

        try await rings.driver.write(.always) {
            _ = try $0.execute("DELETE FROM master_key WHERE version = 2", [])
        }
        try await begin(a)
        await rings.settle([a])
        #expect(a.ring.active.version == 2)
        try await rings.driver.write(.always) {
            _ = try $0.execute("UPDATE master_key SET state = 'removed' WHERE version = 2", [])
        }
        try await a.rotation.follow()
        #expect(try a.versions == [1, 2] && a.stored == [1, 2])
        await rings.settle([a])
        #expect(await a.canRead("one"))
    }

    @Test("a database that is older than the keys takes over the key that they seal with")
    func restored() async throws {
        let rings = try Rings(), a = try await rings.servers("a")[0]
        try await a.write("one")
        let file = try rings.file("b")
        try file.store(try file.loadRing()!.rotated())
        let b = try await RingServer("b", file, on: rings)
        #expect(b.ring.active.version == 2)
        await rings.settle([a, b])
        #expect(try a.stored == [1, 2] && a.ring.active.name == b.ring.active.name)
        #expect(await b.canRead("one"))
    }
}
