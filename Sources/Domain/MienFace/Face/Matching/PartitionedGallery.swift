public import MienCore

/// A gallery in parts, each of which another thread or another machine can search.
///
/// The result is that of one gallery with all entries: each part returns its best entries, and the
/// best of those are the best of all. Entries with equal scores are ordered by their IDs, so that the
/// result does not depend on the parts.
public struct PartitionedGallery<ID: Hashable & Comparable & Sendable>: Sendable {
    public typealias Candidate = Gallery<ID>.Candidate

    private var parts: [Gallery<ID>]
    private let part: @Sendable (ID) -> UInt64

    /// - Parameters:
    ///   - parts: 1 or more. For one machine, its number of cores.
    ///   - hash: Assigns entries to parts, evenly. The same for the same ID in every process, where
    ///     parts are on several machines.
    /// - Precondition: `parts` is positive.
    public init(
        matcher: FaceMatcher, parts: Int, hash: @escaping @Sendable (ID) -> UInt64
    ) {
        precondition(parts > 0, "a gallery has at least one part, not \(parts)")
        self.parts = (0..<parts).map { _ in Gallery(matcher: matcher) }
        part = { hash($0) % UInt64(parts) }
    }

    public var count: Int { parts.reduce(0) { $0 + $1.count } }
    public var isEmpty: Bool { parts.allSatisfy(\.isEmpty) }
    public func contains(_ id: ID) -> Bool { parts[Int(part(id))].contains(id) }

    /// Adds an entry, or replaces the one with this ID.
    /// - Precondition: `reference` was made by this gallery's matcher.
    public mutating func insert(_ reference: Reference, id: ID) {
        parts[Int(part(id))].insert(reference, id: id)
    }

    /// Removes an entry. Its numbers are overwritten or discarded at once.
    /// - Returns: Whether the entry existed.
    @discardableResult public mutating func remove(_ id: ID) -> Bool {
        parts[Int(part(id))].remove(id)
    }

    public mutating func reserveCapacity(_ count: Int) {
        for index in parts.indices { parts[index].reserveCapacity(count / parts.count + 1) }
    }

    /// Returns the entries that best match `probe`, best first, and of those with equal scores the
    /// lower IDs first. Searches the parts at the same time.
    ///
    /// - Parameters:
    ///   - probe: Made by this gallery's matcher.
    ///   - limit: The maximum number of entries.
    ///   - threshold: Omits entries with lower scores; `nil` omits none.
    public func identify(_ probe: Reference, limit: Int = 1, threshold: MatchScore? = nil) async
        -> [Candidate]
    {
        guard parts.count > 1 else {
            return Self.search(parts[0], probe, limit: limit, threshold: threshold)
        }
        let answers = await withTaskGroup(of: [Candidate].self) { tasks in
            for part in parts {
                tasks.addTask {
                    Self.search(part, probe, limit: limit, threshold: threshold)
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        return Self.best(of: answers, limit: limit)
    }

    /// Searches one part.
    public static func search(
        _ part: Gallery<ID>, _ probe: Reference, limit: Int, threshold: MatchScore? = nil
    ) -> [Candidate] {
        part.identify(probe, limit: limit, threshold: threshold, precedes: <)
    }

    /// Merges the answers of parts, which may come from other machines.
    ///
    /// - Parameter limit: The one with which the parts were searched.
    public static func best(of answers: [[Candidate]], limit: Int) -> [Candidate] {
        Array(
            answers.joined().sorted {
                $0.normalizedScore == $1.normalizedScore
                    ? $0.id < $1.id : $0.normalizedScore > $1.normalizedScore
            }.prefix(limit))
    }
}
