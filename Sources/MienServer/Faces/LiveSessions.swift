internal import MienCore
internal import Synchronization

/// The live captures that go on in this process. They end with it.
final class LiveSessions: Sendable {
    private let most: Int
    private let sessions = Mutex<[CaptureID: LiveSession]>([:])

    /// - Parameter most: sessions at once; one takes some 300 KB.
    init(most: Int) { self.most = most }

    func find(_ id: CaptureID) -> LiveSession? { sessions.withLock { $0[id] } }

    /// - Throws: ``ServerBusy`` when there are too many.
    func add(_ session: LiveSession, _ id: CaptureID, at now: Instant) throws {
        let isThere = sessions.withLock { sessions -> Bool in
            // Those that are over and wait to be swept take nobody's place.
            guard sessions.values.count(where: { !$0.isOver(at: now) }) < most else { return false }
            sessions[id] = session
            return true
        }
        guard isThere else { throw ServerBusy() }
    }

    /// Puts back what has gone on; nothing when it has ended in the meantime.
    func update(_ session: LiveSession, _ id: CaptureID) { sessions.withLock { if $0[id] != nil { $0[id] = session } } }

    func remove(_ id: CaptureID) { sessions.withLock { $0[id] = nil } }

    func overdue(at now: Instant) -> [CaptureID] { sessions.withLock { $0.filter { $0.value.isOver(at: now) }.map(\.key) } }
}
