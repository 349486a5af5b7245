internal import MienAPI
internal import MienCore
internal import MienStore
internal import Synchronization

/// A live session in progress, with its record. While it is here, the record is open and does not
/// change, so calls about it need not read the record again.
struct OpenLiveSession: Sendable {
    var session: LiveSession
    let record: CaptureRecord
    let content: CaptureService.Content
    /// The address that the session is for.
    let client: String

    /// Whether no other server has begun the capture again since, as it may while this one is
    /// paused.
    func isCurrent(_ stored: CaptureRecord) -> Bool { stored.frames == record.frames }
}

/// The live sessions in progress in this process. They end with it.
final class LiveSessions: Sendable {
    private let maxSessions: Int
    /// One address may have a quarter of the sessions, so that it cannot shut out all others.
    private let maxPerAddress: Int
    private let sessions = Mutex<[CaptureID: OpenLiveSession]>([:])

    /// - Parameter maxSessions: The maximum number of concurrent sessions. One takes about 300 KB.
    init(maxSessions: Int) {
        (self.maxSessions, maxPerAddress) = (
            maxSessions, max(min(maxSessions, 4), maxSessions / 4)
        )
    }

    var count: Int { sessions.withLock { $0.count } }

    func find(_ id: CaptureID) -> OpenLiveSession? { sessions.withLock { $0[id] } }

    /// - Throws: ``ServerBusy`` if there are too many sessions; ``Problem`` `.tooManyRequests` if
    ///   this address has too many.
    func add(_ capture: OpenLiveSession, at now: Instant) throws {
        let (all, own) = sessions.withLock { sessions -> (Int, Int) in
            // Do not count sessions that are over and wait for the sweep.
            let going = sessions.values.filter { !$0.session.isOver(at: now) },
                own = going.count { $0.client == capture.client }
            if going.count < maxSessions, own < maxPerAddress {
                sessions[capture.record.id] = capture
            }
            return (going.count, own)
        }
        if all >= maxSessions { throw ServerBusy() }
        if own >= maxPerAddress {
            throw Problem(
                .tooManyRequests,
                "Your address has \(own) live captures open. End one, or try again in a moment.")
        }
    }

    /// Stores a session that has advanced. Does nothing if it has ended in the meantime.
    func update(_ session: LiveSession, _ id: CaptureID) {
        sessions.withLock { $0[id]?.session = session }
    }

    /// Notes that the client of a session is there.
    func heard(_ id: CaptureID, at now: Instant) {
        sessions.withLock { $0[id]?.session.hear(at: now) }
    }

    func remove(_ id: CaptureID) { sessions.withLock { $0[id] = nil } }

    func overdue(at now: Instant) -> [CaptureID] {
        sessions.withLock { $0.filter { $0.value.session.isOver(at: now) }.map(\.key) }
    }
}
