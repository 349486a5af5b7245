internal import MienCore
internal import MienVault

/// Where a server's ring is, once it has followed the database.
package struct MasterKeyFollowing: Sendable {
    package let phases: MasterKeyPhases
    /// The server's own account of its keys.
    package let report: ServerKeyReport
}

extension Store {
    /// Enters this server's keys in the database if there are none, and follows the database.
    func beginMasterKeys() async throws {
        let ring = keys.ring, start = Instant(seconds: 0)
        let phases = try await read { try $0.masterKeyTable.phases() }
        if phases.active == nil {
            try await write { try $0.masterKeyTable.begin(at: start) }
        } else if ring.active.version > phases.keys.last?.version ?? 0 {
            try await write { try $0.masterKeyTable.enter(at: start) }
        }
        _ = try await followMasterKeys()
    }
}

/// Brings a server's ring to where the database is.
struct MasterKeyFollower {
    let store: Store

    private var ring: KeyRing { store.keys.ring }
    private var source: MasterKeySource { store.keySource }

    /// - Throws: ``StoreError``; `.foreignKey` if the keys are too old to open the one in use.
    func follow() async throws -> MasterKeyFollowing {
        var phases: MasterKeyPhases, hasLoaded = false, fault = ""
        following: while true {
            phases = try await store.read { try $0.masterKeyTable.phases() }
            let held = ring.keys
            switch phases.step(held: Set(held.map(\.name)), sealing: ring.active.name) {
            case .take(let version):
                let key = try await store.read { try $0.masterKeyTable.open(version) }
                let next = ring.adding(key)
                guard next.keys.contains(where: { $0.name == key.name }) else {
                    fault = "it has another key of version \(version)"
                    break following
                }
                do throws(KeyFileError) { try source.store(next) } catch {
                    fault = "\(error)"
                    // If the key is already in use, take it over even though the file could not be
                    // written, so that this server can open the records of others.
                    guard version <= phases.active?.version ?? 0 else { break following }
                }
                ring.adopt(next)
            case .seal(let version): ring.adopt(ring.sealing(with: version))
            case .drop(let version):
                // Check for records under the key, so that somebody who can write to the database
                // cannot make servers drop a key that is needed.
                let used = try await store.read { try $0.masterKeys.counts() }
                let rest = ring.without(version: version)
                guard let key = held.first(where: { $0.version == version }), used[key.name] == nil,
                    rest.keys.count < held.count
                else {
                    fault =
                        "records need version \(version), which ended according to the database"
                    break following
                }
                ring.adopt(rest)
            case .stop(let version):
                // Another server that shares the file may have stored it.
                guard !hasLoaded, let stored = try? source.load() else {
                    throw source.tooOld(version)
                }
                hasLoaded = true
                ring.adopt(stored.keys.reduce(ring) { $0.adding($1) })
            case nil: break following
            }
        }
        if fault.isEmpty {
            do throws(KeyFileError) { try keepStored(phases) } catch { fault = "\(error)" }
        }
        return MasterKeyFollowing(
            phases: phases,
            report: ServerKeyReport(
                stored: source.newest, active: ring.active.version, fault: fault))
    }

    /// Stores the ring if the file is outdated, also when a server that shares the file and was paused has
    /// just replaced it with older keys.
    private func keepStored(_ phases: MasterKeyPhases) throws(KeyFileError) {
        if try source.hasChanged() { _ = try source.load() }
        if source.isOutdated(ring, phases) { try source.store(ring) }
    }
}
