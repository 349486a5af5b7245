import MienStore

/// One kind of state that servers share: what clients and servers do to it, through the server's own
/// code or a seeded bug in its place, and the judgment of what was seen.
protocol SimulatedPart: Sendable {
    init(_ trial: TrialContext)

    /// The calls of clients.
    var actions: [SimulatedAction] { get }

    /// Whether the part relies on a database that keeps each commit, as PostgreSQL does, which is the
    /// only one that servers share. No power is lost then.
    var needsEachCommit: Bool { get }

    /// Writes the records that the trial finds.
    func prepare(_ tables: Tables) throws
    /// Acts before anything goes wrong.
    func begin() async
    /// Acts for the servers while the clients do. Returns by itself.
    func run() async
    /// Acts when the clients are done and nothing fails any more: what has to happen in the end
    /// happens here.
    func settle() async

    /// Called before and after a power loss.
    func willLosePower() throws
    func didLosePower() throws

    /// - Returns: what is wrong; `nil` if nothing is.
    func judge(_ tables: Tables) throws -> String?
    /// The calls in the part's histories, and those that were answered.
    var counts: (calls: Int, answers: Int) { get }
}

extension SimulatedPart {
    var needsEachCommit: Bool { false }
    func prepare(_ tables: Tables) throws {}
    func begin() async {}
    func run() async {}
    func settle() async {}
    func willLosePower() throws {}
    func didLosePower() throws {}

    func count<Call, Reply>(_ recorder: HistoryRecorder<Call, Reply>) -> (
        calls: Int, answers: Int
    ) {
        let operations = recorder.history.operations
        return (operations.count, operations.count { $0.outcome != nil })
    }

    func violation<Model: SequentialModel>(
        of model: Model, _ recorder: HistoryRecorder<Model.Call, Model.Reply>
    ) -> String? {
        let verdict = LinearizabilityChecker(model, maxSteps: 100_000_000).check(
            recorder.history)
        return verdict.isLinearizable ? nil : "\(verdict)"
    }
}

/// Something that clients do, and how often among the others.
struct SimulatedAction: Sendable {
    let weight: Int
    let act: @Sendable (_ client: Int) async -> Void
}
