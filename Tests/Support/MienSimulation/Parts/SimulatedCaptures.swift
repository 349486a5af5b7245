import MienCore
import MienServer
import MienStore

/// The live sessions in the memory of simulated servers, and what the servers do with them. Everything
/// that is stored is stored by `CaptureRecords`.
final class SimulatedCaptures: Sendable {
    /// A client's request.
    enum Call: Sendable {
        case start, frame
        /// The last frame, after which the session ends.
        case finish
        case cancel, status
    }

    /// A session in the memory of a process.
    private struct Session: Sendable {
        let number: Int
        let record: CaptureRecord
        let content: CaptureRecords.Content
        let deadline: Instant
        var looks = 0
        var isInstructed = false
    }

    /// The ends of a session that count as a wrong face.
    private struct Guess: Sendable {
        var tries = 0
        var isCounted = false
    }

    private typealias ModelCall = LiveCaptureModel.Call

    let history = HistoryRecorder<LiveCaptureModel.Call, LiveCaptureModel.Reply>()
    private let trial: TrialContext
    private let turns = KeyedLocks<String>()
    private let sessions = Mutexed<[String: Session]>([:])
    /// The processes that may have begun a session, by capture and number of frames.
    private let beginners = Mutexed<[String: [Incarnation]]>([:])
    /// When each process said that it lives.
    private let announced = Mutexed<[String: [Int64]]>([:])
    /// Until when a process says nothing, because it is paused.
    private let silent = Mutexed<[String: Int64]>([:])
    private let wrongFaces = Mutexed<[Int: Guess]>([:])
    /// The sessions of captures that another server may have ended.
    private let lost = Mutexed<Set<String>>([])
    private let captureOf = Mutexed<[Int: String]>([:])
    private let failure = Mutexed<String?>(nil)

    init(_ trial: TrialContext) { self.trial = trial }

    private var world: SimulatedWorld { trial.world }
    private var process: Incarnation { Incarnation.current ?? Incarnation(server: 0) }

    var problem: String? { failure.value }
    func fail(_ text: String) { failure.value = failure.value ?? text }

    /// How many wrong faces may have been counted.
    var guesses: ClosedRange<Int> {
        let least = wrongFaces.value.values.count { $0.isCounted }
        let most = wrongFaces.value.reduce(0) { sum, guess in
            // Of a session that was lost, each try to end it may count, because nobody else knows of
            // the guess.
            sum + (lost.value.contains(captureOf.value[guess.key] ?? "") ? guess.value.tries : 1)
        }
        return least...max(least, most)
    }

    // MARK: Servers

    private struct TakesAllForDead: CapturePeers {
        let name: String
        func isAlive(_ server: String) async throws -> Bool { false }
        func pass(_ request: PassedRequest, to server: String) async throws -> PassedAnswer {
            throw ServerBusy()
        }
    }

    func records(_ services: ServerServices) -> CaptureRecords {
        let name = process.name
        let presence: any CapturePeers =
            trial.bug == .interruptsTheLiving
            ? TakesAllForDead(name: name)
            : Presence(
                name: name, store: services.store, clock: services.clock,
                logger: SimulationStage.logger)
        return CaptureRecords(
            store: services.store, gate: services.gate, clock: services.clock,
            metrics: services.metrics, peers: presence)
    }

    func announce(_ services: ServerServices, _ process: Incarnation) async {
        guard silent.value[process.name, default: 0] <= world.now else { return }
        let began = world.now
        await Presence(
            name: process.name, store: services.store, clock: services.clock,
            logger: SimulationStage.logger
        ).announce()
        let since = services.clock.now - .seconds(5)
        // Whether it was written is not returned.
        let isThere = try? trial.stage.database.read {
            try services.store.tables(on: $0).servers.address(of: process.name, seenSince: since)
        }
        if isThere ?? nil != nil { announced.value[process.name, default: []].append(began) }
    }

    // MARK: Calls

    /// Handles a call, as `CaptureService` does.
    func handle(_ call: Call, of id: CaptureID, _ client: Int, _ services: ServerServices)
        async throws
    {
        let key = "\(process.name) \(id.text)", records = records(services)
        // The routes pass the call on to the server that has the capture.
        if sessions.value[key] == nil, let (record, content) = try await records.find(id),
            record.state == .open, try await records.owner(of: content) != nil
        {
            throw ServerBusy()
        }
        _ = try await turns.withLock(key) {
            guard let (record, content) = try await records.find(id) else { return }
            switch call {
            case .start: try await start(record, content, key, client, services)
            case .frame:
                guard sessions.value[key] != nil else {
                    return try await endLost(record, content, key, client, services)
                }
                sessions.value[key]?.looks += 1
                if world.happens(60) { sessions.value[key]?.isInstructed = true }
            case .finish:
                guard let session = sessions.value[key] else {
                    return try await endLost(record, content, key, client, services)
                }
                await rest()
                let hasPassed = world.happens(40)
                // The held record, as in the service: what happened meanwhile is not read.
                func end() async throws {
                    try await self.end(
                        session.record, session.content, as: hasPassed ? .passed : .failed,
                        session, hasPassed ? [] : ["simulated"], key, client, services)
                }
                do { try await end() } catch let error as StoreError
                    where error.code != .stale
                {
                    // As the sweep does with a session that could not be ended.
                    await world.pause(Int64(world.random(0...60)))
                    try await end()
                }
            case .cancel:
                guard record.state == .open, let session = session(of: record, key) else { return }
                await rest()
                try await end(
                    record, content, as: .cancelled, session, [], key, client, services)
            case .status: try await endLost(record, content, key, client, services)
            }
        }
    }

    /// Some servers are paused, until others take them for dead.
    private func rest() async {
        let isPaused = !trial.isSettling.value && world.happens(20)
        let pause: Int64 = isPaused ? 17_000 + Int64(world.random(0...3000)) : 0
        if isPaused { silent.value[process.name] = world.now + pause }
        await world.pause(pause)
    }

    private func start(
        _ stored: CaptureRecord, _ opened: CaptureRecords.Content, _ key: String, _ client: Int,
        _ services: ServerServices
    ) async throws {
        let records = records(services), id = stored.id
        let (record, content) = try await note(.reopen, of: id, client) {
            let reopened = try await records.reopened(stored, opened)
            return (reopened, reopened.0.state != stored.state)
        }
        guard record.state == .open else { return }
        try await endLost(record, content, key, client, services)
        guard sessions.value[key] == nil,
            let now = try await records.find(id), now.0.state == .open,
            now.0.frames == record.frames
        else { return }
        let number = trial.nextNumber(), deadline = services.clock.now + .seconds(60)
        let (begun, started) = records.begun(record, content, until: deadline)
        sessions.value[key] = Session(
            number: number, record: begun, content: started, deadline: deadline)
        captureOf.value[number] = id.text
        beginners.value["\(id.text) \(begun.frames)", default: []].append(process)
        do {
            try await note(.begin(number), of: id, client) {
                guard trial.bug == .beginsWithoutComparing,
                    let (fresh, _) = try await records.find(id), fresh.state == .open
                else {
                    return ((), try await always(records.write(begun, started, from: record, [:])))
                }
                return ((), try await always(records.write(begun, started, from: fresh, [:])))
            }
        } catch {
            sessions.value[key] = nil
            throw error
        }
    }

    private func always(_ done: Void) async throws -> Bool { true }

    /// The session of a capture in this process, unless another one has begun the capture again.
    private func session(of record: CaptureRecord, _ key: String) -> Session? {
        if sessions.value[key]?.record.frames != record.frames { sessions.value[key] = nil }
        return sessions.value[key]
    }

    /// Ends a session that was lost with its server, or has timed out.
    private func endLost(
        _ record: CaptureRecord, _ content: CaptureRecords.Content, _ key: String, _ client: Int,
        _ services: ServerServices
    ) async throws {
        let session = session(of: record, key), asked = world.now
        guard
            let reason = try await records(services).loss(
                record, content, isHere: session != nil)
        else { return }
        if session == nil {
            lost.value.insert(record.id.text)
            if reason == "interrupted" { requireDead(record, asked) }
        }
        try await end(record, content, as: .failed, session, [reason], key, client, services)
    }

    /// Finds a server that lives and is taken for dead.
    private func requireDead(_ record: CaptureRecord, _ asked: Int64) {
        let candidates = beginners.value["\(record.id.text) \(record.frames)"] ?? []
        let last = asked - 15_000 + 2 * SimulationStage.skew + 4 * SimulationStage.storeDelay
        let isLost = candidates.contains { candidate in
            // What was written after the question does not count.
            let heard = announced.value[candidate.name]?.last {
                $0 <= asked - 4 * SimulationStage.storeDelay
            }
            return candidate === process || candidate.isDead || heard.map { $0 <= last } ?? true
        }
        if !isLost {
            fail("\(process.name) interrupts capture \(record.id.text) of a server that lives")
        }
    }

    private func end(
        _ record: CaptureRecord, _ content: CaptureRecords.Content, as state: CaptureRecord.State,
        _ session: Session?, _ reasons: [String], _ key: String, _ client: Int,
        _ services: ServerServices
    ) async throws {
        let records = records(services)
        let (next, ended) = records.ended(
            record, content, as: state, looks: session?.looks ?? 0, reasons)
        let isGuess = state != .passed && session?.isInstructed == true
        if isGuess, let session {
            wrongFaces.value[session.number, default: Guess()].tries += 1
        }
        let isApart = isGuess && trial.bug == .countsGuessApart
        let action: LiveCaptureModel.Action =
            session.map { .end($0.number) } ?? (reasons == ["interrupted"] ? .interrupt : .expire)
        do {
            try await note(action, of: record.id, client) {
                if isApart {
                    _ = try await services.gate.begin(
                        trial.stage.captureFaceRecord, device: nil)
                }
                try await records.write(
                    next, ended, from: record, [:], countingGuess: isGuess && !isApart)
                return ((), true)
            }
        } catch let error as StoreError where error.code == .stale {
            sessions.value[key] = nil
            throw error
        }
        if isGuess, let session { wrongFaces.value[session.number]?.isCounted = true }
        sessions.value[key] = nil
    }

    /// Records a write.
    ///
    /// - Parameter write: Returns whether it has changed something.
    private func note<Output>(
        _ action: LiveCaptureModel.Action, of id: CaptureID, _ client: Int,
        _ write: () async throws -> (Output, Bool)
    ) async throws -> Output {
        let pending = history.begin(ModelCall(id.text, action), client: client)
        do {
            let (output, hasChanged) = try await write()
            if hasChanged { history.end(pending, .done) } else { history.drop(pending) }
            world.note("\(process.name) \(action) \(id.text): \(hasChanged)")
            return output
        } catch {
            // Another server came first, and nothing was changed.
            if (error as? StoreError)?.code == .stale { history.drop(pending) }
            throw error
        }
    }

    // MARK: The end

    /// Begins a capture again whose server was lost, if it has not ended.
    func restart(_ id: CaptureID, _ services: ServerServices) async throws {
        try await handle(.status, of: id, 0, services)
        try await handle(.start, of: id, 0, services)
        guard let (record, _) = try await records(services).find(id) else { return }
        let reopened = history.history.operations.count {
            $0.call.capture == id.text && $0.call.action == .reopen
        }
        let isOver = history.history.operations.contains {
            guard $0.call.capture == id.text else { return false }
            if case .end = $0.call.action { return true }
            return $0.call.action == .expire
        }
        if record.state != .open, reopened < 3, !isOver {
            fail("capture \(id.text) was lost with its server and cannot begin again")
        }
    }
}
