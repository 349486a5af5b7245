package import MienVault

/// A rotation of the master key by several servers, as far as it has come, and what a server does next.
///
/// 1. Prepare: the new key is in the database, sealed under the key in use. Each living server stores
///    it, seals with the former key, and says so.
/// 2. Once every living server has it, any server makes it the key in use, in one row. A server that has
///    not noticed yet seals with the former key, which all others still open.
/// 3. Once every living server seals with it, one of them seals again what former keys sealed.
///
/// Servers that are silent are not waited for: the database keeps every new key sealed under the one
/// before, until that one is removed. Pure: the same facts always lead to the same step, and every step
/// can be repeated, so that any server finishes what a dead one began.
package struct MasterKeyPhases: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        /// Is being handed to the servers, and seals nothing.
        case prepared
        /// Has become the key in use. The newest active key seals; earlier ones open.
        case active
        /// Was prepared, and will not be used.
        case canceled
        /// Has been used. Nothing may be sealed under it anymore.
        case removed
    }

    package struct Key: Sendable, Hashable {
        package let version: UInt32
        package let name: SealedKeyName
        package let state: State
        /// The key that opens this key's copy in the database; `nil` if there is no copy.
        package let opener: SealedKeyName?
        /// Whether all records of former keys have been sealed under it.
        package let isPassDone: Bool

        package init(
            version: UInt32, name: SealedKeyName, state: State, opener: SealedKeyName?,
            isPassDone: Bool
        ) {
            (self.version, self.name, self.state) = (version, name, state)
            (self.opener, self.isPassDone) = (opener, isPassDone)
        }
    }

    /// The next change of a server's ring.
    package enum Step: Sendable, Hashable {
        /// Open the key's copy, and store it without sealing with it.
        case take(UInt32)
        /// Seal with a key that the ring has.
        case seal(UInt32)
        /// Drop a key that was canceled or removed.
        case drop(UInt32)
        /// The ring lacks the key in use, and opens no copy of it.
        case stop(UInt32)
    }

    /// Work that any one server does for all.
    package enum Duty: Sendable, Hashable {
        /// Make a prepared key the one in use.
        case activate(UInt32)
        /// Seal again what former keys sealed.
        case pass
    }

    /// By rising version.
    package let keys: [Key]

    package init(_ keys: [Key]) { self.keys = keys.sorted { $0.version < $1.version } }

    /// The key in use; `nil` in a database on which no server has started yet.
    package var active: Key? { keys.last { $0.state == .active } }

    /// The key that is being handed to the servers.
    package var prepared: Key? { keys.last { $0.state == .prepared } }

    /// The names of keys that were canceled or removed.
    package var ended: Set<SealedKeyName> {
        Set(keys.filter { [.canceled, .removed].contains($0.state) }.map(\.name))
    }

    /// Returns the next step of a server; `nil` if its ring agrees with the database.
    ///
    /// - Parameters:
    ///   - held: The names of the ring's keys.
    ///   - sealing: The name of the one that seals.
    package func step(held: Set<SealedKeyName>, sealing: SealedKeyName) -> Step? {
        guard let active else { return nil }
        let wanted = keys.filter {
            [.active, .prepared].contains($0.state) && !held.contains($0.name)
        }
        if let next = wanted.first(where: { $0.opener.map(held.contains) ?? false }) {
            return .take(next.version)
        }
        guard held.contains(active.name) else { return .stop(active.version) }
        if sealing != active.name { return .seal(active.version) }
        let ended = ended
        return keys.first { ended.contains($0.name) && held.contains($0.name) }
            .map { .drop($0.version) }
    }

    /// Returns what is to be done for all, once the server's own ring needs no step.
    ///
    /// - Parameter living: The servers that were not silent for long, with this one.
    package func duty(living: [LivingServer]) -> Duty? {
        if let prepared {
            return waitsToPrepare(living).isEmpty ? .activate(prepared.version) : nil
        }
        guard let active, !active.isPassDone, waitsToMove(living).isEmpty else { return nil }
        return .pass
    }

    /// The living servers that have not stored the prepared key.
    package func waitsToPrepare(_ living: [LivingServer]) -> [LivingServer] {
        guard let prepared else { return [] }
        return living.filter { ($0.keys?.stored ?? 0) < prepared.version }
    }

    /// The living servers that may still seal with a former key, or have not stored the one in use.
    package func waitsToMove(_ living: [LivingServer]) -> [LivingServer] {
        guard let active else { return [] }
        return living.filter {
            ($0.keys?.active ?? 0) < active.version || ($0.keys?.stored ?? 0) < active.version
        }
    }

    /// The version of a new key: one that no key has had, canceled ones included.
    package func nextVersion(after held: UInt32) -> UInt32 {
        max(held, keys.last?.version ?? 0) + 1
    }
}
