internal import MienAPI
internal import MienCore
internal import Synchronization

/// The live captures that go on in this process. They end with it.
final class LiveSessions: Sendable {
    private let most: Int
    /// One address may have a quarter of them, so that it does not shut all others out.
    private let maxOfOne: Int
    private let sessions = Mutex<[CaptureID: (session: LiveSession, client: String)]>([:])

    /// - Parameter most: sessions at once; one takes some 300 KB.
    init(most: Int) { (self.most, maxOfOne) = (most, max(min(most, 4), most / 4)) }

    func find(_ id: CaptureID) -> LiveSession? { sessions.withLock { $0[id]?.session } }

    /// - Parameter client: the address it is for.
    /// - Throws: ``ServerBusy`` when there are too many; ``Problem`` `.tooManyRequests` when this
    ///   address has too many.
    func add(_ session: LiveSession, _ id: CaptureID, for client: String, at now: Instant) throws {
        let (all, own) = sessions.withLock { sessions -> (Int, Int) in
            // Those that are over and wait to be swept take nobody's place.
            let going = sessions.values.filter { !$0.session.isOver(at: now) },
                own = going.count { $0.client == client }
            if going.count < most, own < maxOfOne { sessions[id] = (session, client) }
            return (going.count, own)
        }
        if all >= most { throw ServerBusy() }
        if own >= maxOfOne {
            throw Problem(
                .tooManyRequests,
                "your address has \(own) live captures open; end one, or try again in a moment")
        }
    }

    /// Puts back what has gone on; nothing when it has ended in the meantime.
    func update(_ session: LiveSession, _ id: CaptureID) {
        sessions.withLock { $0[id]?.session = session }
    }

    func remove(_ id: CaptureID) { sessions.withLock { $0[id] = nil } }

    func overdue(at now: Instant) -> [CaptureID] {
        sessions.withLock { $0.filter { $0.value.session.isOver(at: now) }.map(\.key) }
    }
}
