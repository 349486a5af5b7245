import Foundation
import Logging
import MienAPI
import MienCore
import MienFace
import MienServerTesting
import MienTesting
import MienVault

@testable import MienServer
@testable import MienStore

/// People with faces in a store, which several servers search.
final class GalleryWorld {
    static let pack = try! PackID("made-1"), otherPack = try! PackID("other-1")
    static let dimension = 20
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let scratch: ScratchFolder
    let drivers: [any SQLDriver]
    /// The stores of the servers, all on one database.
    let stores: [Store]
    let matcher: FaceMatcher
    var people = SyntheticPeople(seed: 5, dimension: dimension)
    var random: SeededGenerator
    /// The faces that are stored, with their accounts.
    var faces: [(id: AuthenticatorID, account: AccountRecord)] = []
    private var number = 0

    var store: Store { stores[0] }

    /// - Parameter servers: With more than one, they share a PostgreSQL database.
    init(servers: Int = 1, seed: UInt64 = 1) async throws {
        scratch = try ScratchFolder()
        random = SeededGenerator(seed: seed)
        matcher = try FaceMatcher.made(dimension: Self.dimension)
        let keys = StoreKeys(MasterKey(bytes: Array(1...32)))
        if servers == 1 {
            drivers = [try SQLiteDriver(path: scratch("mien.sqlite").path)]
        } else {
            let cluster = try await PostgresCluster.shared()
            let url = cluster.url(try await cluster.database(for: scratch))
            var drivers: [any SQLDriver] = []
            for _ in 0..<servers {
                drivers.append(
                    try await PostgresDriver(PostgresSettings(url, connections: 4)))
            }
            self.drivers = drivers
        }
        var stores: [Store] = []
        for driver in drivers { stores.append(try await Store(driver, keys: keys)) }
        self.stores = stores
    }

    deinit { for driver in drivers { try? driver.close() } }

    func worker(
        _ index: Int = 0, memoryBytes: Int = 64 << 20, threads: Int = 2,
        idleTime: Duration = .seconds(600)
    ) -> GalleryWorker {
        GalleryWorker(
            store: stores[index], matcher: matcher, pack: Self.pack, memoryBytes: memoryBytes,
            threads: threads, idleTime: idleTime)
    }

    func search(
        _ worker: GalleryWorker, _ peers: (any GalleryPeers)? = nil,
        patience: Duration = .seconds(10), store index: Int = 0
    ) -> GallerySearch {
        GallerySearch(
            store: stores[index], worker: worker, peers: peers, patience: patience,
            // Longer than a test takes beside others.
            rest: .seconds(3600), logger: Self.logger)
    }

    // MARK: People

    func template(pack: PackID = pack, twinOf twin: FaceTemplate? = nil) throws -> FaceTemplate {
        if let twin { return twin }
        return try FaceTemplate(
            entries: [
                .init(
                    descriptor: FaceDescriptor(people.direction().map { Float($0) }), quality: 90,
                    pose: .frontal)
            ], packID: pack, createdAt: .start)
    }

    func account(isTest: Bool = false) async throws -> AccountRecord {
        number += 1
        let name = "person-\(number)"
        let account = AccountRecord.new(
            .random(using: &random), AccountProfile(username: name), keys: store.keys, at: .start,
            isTest: isTest)
        try await store.write {
            try $0.accounts.insert(account, names: [LoginName(name, kind: .username)])
        }
        return account.record
    }

    @discardableResult
    func register(
        _ template: FaceTemplate, of account: AccountRecord? = nil, app: AppID = .shop,
        pack: PackID = pack, bytes: [UInt8]? = nil, part: GalleryPart? = nil
    ) async throws -> AuthenticatorID {
        let owner: AccountRecord
        if let account { owner = account } else { owner = try await self.account() }
        var id: AuthenticatorID
        repeat {
            id = .random(using: &random)
        } while part.map { $0 != GalleryPart(of: id) } ?? false
        let record = AuthenticatorRecord(
            id: id, account: owner.id, type: .face, app: app,
            content: bytes ?? template.bytes, info: ["pack": .string(pack.text)],
            createdAt: .start)
        try await store.write { try $0.authenticators.insert(record, of: owner) }
        faces.append((record.id, owner))
        return record.id
    }

    func remove(at index: Int) async throws {
        let face = faces.remove(at: index)
        let isGone = try await store.write {
            try $0.authenticators.delete(face.id, of: face.account.id)
        }
        precondition(isGone)
    }

    /// Replaces a face's template, as a migration does.
    func replace(at index: Int, with template: FaceTemplate, pack: PackID = pack) async throws {
        let face = faces[index]
        try await store.write { tables in
            var record = try tables.authenticators.find(face.id, of: face.account)!
            record.content = Sensitive(template.bytes)
            record.info["pack"] = .string(pack.text)
            try tables.authenticators.update(record, of: face.account, at: .start)
        }
    }

    /// Erases an account with its faces.
    func erase(at index: Int) async throws {
        let account = faces[index].account.id
        faces.removeAll { $0.account.id == account }
        let isGone = try await store.write { try $0.accounts.delete(account) }
        precondition(isGone)
    }

    func query(
        _ template: FaceTemplate, app: AppID = .shop, limit: Int = 10,
        threshold: MatchScore = MatchScore(0), except: [AuthenticatorID] = []
    ) throws -> GalleryQuery {
        GalleryQuery(
            app: app, pack: Self.pack, probe: try matcher.reference(for: template), limit: limit,
            threshold: threshold, except: except)
    }

    /// The answer of the store alone.
    func expected(_ query: GalleryQuery) async throws -> GalleryAnswer {
        try await search(worker(memoryBytes: 0)).search(query)
    }
}

/// Servers in one process, of which each reaches the others by their messages.
final class LocalPeers: GalleryPeers, Sendable {
    struct Down: Error {}

    let name: String
    let workers: Locked<[String: GalleryWorker]>
    /// Servers that are asked, but do not answer, or after a time.
    let dead: Locked<Set<String>>
    let slow: Locked<Set<String>>
    /// The number of searches that each server was asked for.
    let asked = Locked<[String: Int]>([:])

    init(
        _ name: String, _ workers: Locked<[String: GalleryWorker]>, dead: Locked<Set<String>>,
        slow: Locked<Set<String>>
    ) {
        (self.name, self.workers, self.dead, self.slow) = (name, workers, dead, slow)
    }

    func galleryServers() async throws -> [String] { workers.withLock { $0.keys.sorted() } }

    func searchGallery(_ bytes: [UInt8], on server: String, within time: Duration) async throws
        -> [UInt8]
    {
        asked.withLock { $0[server, default: 0] += 1 }
        guard let worker = workers.withLock({ $0[server] }),
            !dead.withLock({ $0.contains(server) }),
            let (query, parts) = GalleryMessage.query(bytes)
        else { throw Down() }
        if slow.withLock({ $0.contains(server) }) {
            try await Task.sleep(for: time)
            throw Down()
        }
        return GalleryMessage.bytes(
            of: try await worker.search(query, in: parts, loading: .behind))
    }
}

extension Instant {
    static let start = Instant(milliseconds: 1_700_000_000_000)
}

extension AppID {
    static let shop = AppID("app_shop")!, bank = AppID("app_bank")!
}

/// Waits until `body` is true.
func eventually(_ body: () async throws -> Bool) async throws -> Bool {
    try await Patience.holds(body)
}
