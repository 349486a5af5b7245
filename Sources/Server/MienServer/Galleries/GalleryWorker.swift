public import MienCore
public import MienFace
public import MienStore

/// Holds faces of apps in memory, in parts, and searches them.
///
/// A part is read when it is first asked for, and kept as long as memory allows. Before each search,
/// what has changed since is read from the store, so a search sees every face that was committed
/// before it began. Faces are in memory only, and overwritten when they are removed.
public actor GalleryWorker {
    /// The treatment of parts that are not in memory.
    public enum Loading: Sendable {
        /// Loads them first.
        case first
        /// Leaves them out, and has them loaded behind the search: see ``loadWanted()``.
        case behind
    }

    /// The content of the memory.
    public struct Load: Sendable, Equatable {
        public var faces = 0
        /// The bytes that are set aside, for parts that are being read, too.
        public var bytes = 0
    }

    struct Key: Hashable, Sendable {
        let app: AppID
        let part: GalleryPart
    }

    /// A part in memory.
    private struct Held {
        let slot: GalleryLane.Slot
        var version: GalleryVersion
        var count: Int
    }

    /// Faces that are read at a time.
    private static let page = 256
    /// The number of parts that are read at the same time, so that requests find a reader, too.
    static let loads = 2
    /// A part that another server holds leaves memory when nobody asked for it for so long.
    static let movedTime = Duration.seconds(60)

    let store: Store
    nonisolated let matcher: FaceMatcher
    nonisolated let pack: PackID
    nonisolated let memoryBytes: Int
    /// An app that was not searched for so long leaves its memory to others.
    private let idleTime: Duration
    private let lanes: [GalleryLane]
    private var held: [Key: Held] = [:]
    /// The numbers of faces for which memory is set aside, also while a part is read. A part without
    /// an entry has left memory.
    private var rooms: [GalleryLane.Slot: Int] = [:]
    private var usedBytes = 0
    private var slots = 0
    private var searchedAt: [AppID: ContinuousClock.Instant] = [:]
    private var askedAt: [Key: ContinuousClock.Instant] = [:]
    private var forgotAt = ContinuousClock.now
    /// One reading of changes at a time for each app, so that none undoes a later one.
    private let changing = KeyedLocks<AppID>()
    private let reading = KeyedLocks<Key>()
    private let wanted = AsyncStream<Key>.makeStream(
        bufferingPolicy: .bufferingNewest(GalleryPart.count * 4))
    private nonisolated let size = Locked(Load())

    /// - Parameters:
    ///   - memoryBytes: The memory that all parts together may take; 0 holds none.
    ///   - threads: The number of threads that search.
    ///   - idleTime: An app that was not searched for so long leaves its memory to others.
    public init(
        store: Store, matcher: FaceMatcher, pack: PackID, memoryBytes: Int, threads: Int,
        idleTime: Duration = .seconds(600)
    ) {
        (self.store, self.matcher, self.pack, self.memoryBytes) = (
            store, matcher, pack, memoryBytes
        )
        self.idleTime = idleTime
        lanes = (0..<max(1, threads)).map { _ in GalleryLane(matcher: matcher) }
    }

    public nonisolated var load: Load { size.withLock { $0 } }

    // MARK: Searching

    /// Searches parts of an app.
    ///
    /// - Returns: The best candidates in the parts that are in memory, and which parts these are.
    /// - Throws: ``StoreError``.
    public func search(
        _ query: GalleryQuery, in parts: Set<GalleryPart>, loading: Loading
    ) async throws -> GalleryAnswer {
        guard memoryBytes > 0, query.pack == pack, let probe = query.reference(for: matcher) else {
            return GalleryAnswer()
        }
        let keys = parts.map { Key(app: query.app, part: $0) }, now = ContinuousClock.now
        forgetIdle(now)
        searchedAt[query.app] = now
        for key in keys { askedAt[key] = now }
        let missing = keys.filter { held[$0] == nil }
        switch loading {
        case .first: try await load(missing.sorted { $0.part < $1.part })
        case .behind: for key in missing { wanted.continuation.yield(key) }
        }
        guard try await refresh(query.app) else { return GalleryAnswer() }
        if loading == .first {
            // Parts whose changes were no longer kept.
            try await load(keys.filter { held[$0] == nil && !missing.contains($0) })
        }
        return await search(keys, query, probe)
    }

    private func search(_ keys: [Key], _ query: GalleryQuery, _ probe: Reference) async
        -> GalleryAnswer
    {
        var slots: [[GalleryLane.Slot]] = Array(repeating: [], count: lanes.count)
        var parts: [GalleryLane.Slot: GalleryPart] = [:]
        for key in keys {
            guard let part = held[key] else { continue }
            slots[lane(part.slot)].append(part.slot)
            parts[part.slot] = key.part
        }
        let exceptions = Set(query.exceptions.map { FaceKey($0) })
        let found = await withTaskGroup(of: GalleryLane.Found.self) { tasks in
            for (lane, slots) in zip(lanes, slots) where !slots.isEmpty {
                tasks.addTask {
                    await lane.search(
                        slots, for: probe, limit: query.limit + exceptions.count,
                        threshold: query.threshold, except: exceptions)
                }
            }
            var all: [GalleryLane.Found] = []
            for await found in tasks { all.append(found) }
            return all
        }
        return GalleryAnswer(
            found.flatMap(\.candidates), limit: query.limit, except: exceptions,
            damaged: found.reduce(0) { $0 + $1.damaged },
            parts: Set(found.flatMap(\.slots).compactMap { parts[$0] }))
    }

    private func lane(_ slot: GalleryLane.Slot) -> Int { slot % lanes.count }

    // MARK: Changes

    /// The changes in the parts of an app that are in memory.
    private struct Changes: Sendable {
        var changed: [(key: Key, version: GalleryVersion, faces: [Change])] = []
        /// Parts whose changes are no longer kept.
        var lost: [Key] = []
    }

    private typealias Change = (id: AuthenticatorID, face: StoredFace?)

    /// Brings what is in memory of an app to the state of the store.
    ///
    /// - Returns: `false` if too many callers already wait for changes of the app.
    @discardableResult
    func refresh(_ app: AppID) async throws -> Bool {
        let done: Void? = try await changing.withLock(app) { @Sendable in
            try await self.applyChanges(of: app)
        }
        return done != nil
    }

    private func applyChanges(of app: AppID) async throws {
        let changes = try await changes(of: app)
        for key in changes.lost { await drop(key) }
        for (key, version, faces) in changes.changed {
            if await apply(faces, to: key) { held[key]?.version = version }
        }
    }

    private func changes(of app: AppID) async throws -> Changes {
        let known = held.filter { $0.key.app == app }.mapValues(\.version), pack = pack
        return try await store.read { tables in
            let versions = try tables.galleries.versions(of: app)
            var changes = Changes()
            for (key, old) in known {
                let new = versions[key.part] ?? .unchanged
                guard old != new else { continue }
                guard
                    let faces = try Self.changes(of: key, since: old, until: new, pack, tables)
                else {
                    changes.lost.append(key)
                    continue
                }
                changes.changed.append((key, new, faces))
            }
            return changes
        }
    }

    private static func changes(
        of key: Key, since old: GalleryVersion, until new: GalleryVersion, _ pack: PackID,
        _ tables: Tables
    ) throws -> [Change]? {
        try tables.galleries.changes(of: key.app, key.part, since: old, until: new)?.map {
            ($0, try tables.galleries.face($0, of: key.app, pack: pack))
        }
    }

    /// Applies changes to a part that is in memory, or drops it if it no longer fits.
    ///
    /// - Returns: whether it is still there.
    private func apply(_ changes: [Change], to key: Key) async -> Bool {
        guard let part = held[key] else { return false }
        let lane = lanes[lane(part.slot)]
        guard await makeRoom(for: part.count + changes.count, in: key, part.slot) else {
            if held[key]?.slot == part.slot { await drop(key) }
            return false
        }
        await lane.apply(changes, to: part.slot)
        let count = await lane.count(in: part.slot)
        guard held[key]?.slot == part.slot else { return false }
        held[key]?.count = count
        note()
        return true
    }

    // MARK: Loading

    /// Loads parts for which memory suffices.
    private func load(_ keys: [Key]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, key) in keys.enumerated() {
                if index >= Self.loads { try await tasks.next() }
                tasks.addTask { try await self.load(key) }
            }
            try await tasks.waitForAll()
        }
    }

    /// Loads the parts that searches have asked for, until the task is canceled.
    ///
    /// - Parameter failed: Receives the errors. A part that failed is asked for again by the next
    ///   search.
    func loadWanted(_ failed: @Sendable (any Error) -> Void) async {
        for await key in wanted.stream {
            do { try await load(key) } catch { failed(error) }
        }
    }

    private func load(_ key: Key) async throws {
        _ = try await reading.withLock(key) { @Sendable in try await self.loadOnce(key) }
    }

    private func loadOnce(_ key: Key) async throws {
        // Registrations may outrun the reading once, but hardly again.
        for _ in 0..<3 where held[key] == nil {
            guard try await isLoaded(key) != nil else { return }
        }
    }

    /// Reads a part.
    ///
    /// - Returns: whether it is complete; `nil` if it does not fit.
    private func isLoaded(_ key: Key) async throws -> Bool? {
        let pack = pack, span = key.part.span
        let (version, count) = try await store.read { tables in
            (
                try tables.galleries.versions(of: key.app)[key.part] ?? .unchanged,
                try tables.galleries.count(of: key.app, pack: pack, in: span)
            )
        }
        slots += 1
        // Parts with consecutive numbers go to different threads, so that a search of a range uses
        // all of them.
        let slot = slots * lanes.count + key.part.number % lanes.count
        rooms[slot] = 0
        guard await reserve(Self.room(for: count), for: slot, of: key.app) else {
            release(slot)
            return nil
        }
        let lane = lanes[lane(slot)]
        await lane.begin(slot, room: Self.room(for: count))
        var isDone: Bool?
        do {
            isDone = false
            if try await read(key, to: slot) {
                isDone =
                    try await changing.withLock(key.app) { @Sendable in
                        try await self.finish(key, slot, since: version)
                    } ?? false
            } else {
                isDone = nil
            }
        } catch {
            await abandon(slot)
            throw error
        }
        if isDone != true { await abandon(slot) }
        return isDone
    }

    private func abandon(_ slot: GalleryLane.Slot) async {
        await lanes[lane(slot)].drop(slot)
        release(slot)
    }

    /// - Returns: whether all faces fit.
    private func read(_ key: Key, to slot: GalleryLane.Slot) async throws -> Bool {
        let pack = pack, span = key.part.span
        var last: AuthenticatorID?, count = 0
        while true {
            let after = last
            let page = try await store.read {
                try $0.galleries.faces(
                    of: key.app, pack: pack, in: span, after: after, atMost: Self.page)
            }
            count += page.count
            guard await makeRoom(for: count, in: key, slot) else { return false }
            await lanes[lane(slot)].add(page, to: slot)
            guard page.count == Self.page else { return true }
            last = page.last?.authenticator
            try Task.checkCancellation()
        }
    }

    /// Applies what has changed while a part was read, and makes it known.
    ///
    /// - Returns: whether the changes were still kept.
    private func finish(_ key: Key, _ slot: GalleryLane.Slot, since old: GalleryVersion)
        async throws -> Bool
    {
        let pack = pack
        let found = try await store.read { tables -> (GalleryVersion, [Change])? in
            let new = try tables.galleries.versions(of: key.app)[key.part] ?? .unchanged
            return try Self.changes(of: key, since: old, until: new, pack, tables).map { (new, $0) }
        }
        guard let (version, changes) = found else { return false }
        let lane = lanes[lane(slot)], count = await lane.count(in: slot) + changes.count
        guard await makeRoom(for: count, in: key, slot) else { return false }
        await lane.apply(changes, to: slot)
        held[key] = Held(slot: slot, version: version, count: await lane.count(in: slot))
        note()
        return true
    }

    // MARK: Memory

    /// The number of faces for which memory is set aside for `count` of them.
    private static func room(for count: Int) -> Int { count + count / 16 + 4 }

    private func bytes(for room: Int) -> Int {
        room == 0 ? 0 : Gallery<FaceKey>.bytes(forEntries: room, dimension: matcher.dimension)
    }

    private func makeRoom(for count: Int, in key: Key, _ slot: GalleryLane.Slot) async -> Bool {
        guard let room = rooms[slot] else { return false }
        if count <= room { return true }
        guard await reserve(Self.room(for: count), for: slot, of: key.app) else { return false }
        await lanes[lane(slot)].reserve(Self.room(for: count), in: slot)
        return true
    }

    /// Sets memory aside for a part, that of idle apps if necessary.
    ///
    /// - Returns: `false` if it does not suffice, or the part has left memory meanwhile.
    private func reserve(_ room: Int, for slot: GalleryLane.Slot, of app: AppID) async -> Bool {
        func fits() -> Bool {
            usedBytes - bytes(for: rooms[slot] ?? 0) + bytes(for: room) <= memoryBytes
        }
        if !fits() {
            let now = ContinuousClock.now
            for other in held.keys where other.app != app {
                if fits() { break }
                guard let time = searchedAt[other.app], now - time < idleTime else {
                    await drop(other)
                    continue
                }
            }
        }
        guard let former = rooms[slot], fits() else { return false }
        usedBytes += bytes(for: room) - bytes(for: former)
        rooms[slot] = room
        note()
        return true
    }

    private func release(_ slot: GalleryLane.Slot) {
        if let room = rooms.removeValue(forKey: slot) { usedBytes -= bytes(for: room) }
        note()
    }

    /// Overwrites and releases a part that is in memory.
    private func drop(_ key: Key) async {
        guard let part = held.removeValue(forKey: key) else { return }
        await lanes[lane(part.slot)].drop(part.slot)
        release(part.slot)
    }

    /// Forgets the times of what nobody has asked for, once in a while. A server that asks for apps
    /// that do not exist fills no memory.
    private func forgetIdle(_ now: ContinuousClock.Instant) {
        guard now - forgotAt >= idleTime else { return }
        forgotAt = now
        searchedAt = searchedAt.filter { now - $0.value < idleTime }
        askedAt = askedAt.filter { now - $0.value < idleTime }
    }

    private func note() {
        let load = Load(faces: held.values.reduce(0) { $0 + $1.count }, bytes: usedBytes)
        size.withLock { $0 = load }
    }

    /// The apps of which faces are in memory.
    var apps: Set<AppID> { Set(held.keys.map(\.app)) }

    /// Releases parts of an app that other servers hold now.
    ///
    /// - Parameter time: Keeps those that somebody has asked for since.
    func keep(_ own: Set<GalleryPart>, of app: AppID, unaskedFor time: Duration = movedTime) async {
        let now = ContinuousClock.now
        for key in held.keys where key.app == app && !own.contains(key.part) {
            guard let asked = askedAt[key], now - asked < time else {
                askedAt[key] = nil
                await drop(key)
                continue
            }
        }
    }

    /// Overwrites and releases everything.
    public func clear() async { for key in held.keys { await drop(key) } }
}
