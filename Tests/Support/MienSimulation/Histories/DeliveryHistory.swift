/// The deliveries of messages that servers write together with what causes them.
public struct DeliveryHistory: Sendable {
    /// One try to deliver a message.
    public struct Send: Sendable, Hashable {
        public enum Result: Sendable, Hashable {
            case delivered
            /// The receiver refused the message for good.
            case refused
            /// The receiver asked for another try, and the claim was given back.
            case postponed
        }

        /// The cause, as the message names it.
        public let cause: Int
        public let id: String
        /// How often the message had been claimed.
        public let claim: Int
        /// In milliseconds.
        public let began: Int64
        /// `nil` if the sender died or failed.
        public var result: Result?

        public init(cause: Int, id: String, claim: Int, began: Int64, result: Result? = nil) {
            (self.cause, self.id, self.claim) = (cause, id, claim)
            (self.began, self.result) = (began, result)
        }
    }

    /// The causes that were committed, as the database has them at the end.
    public var causes: Set<Int> = []
    /// The causes whose commit clients were told of.
    public var acknowledged: [Int] = []
    public var sends: [Send] = []
    /// The causes of messages that are in the outbox at the end.
    public var waiting: Set<Int> = []
    /// The causes of messages whose end was recorded, once for each record.
    public var ended: [Int] = []
    /// The shortest time from one try to the next, in milliseconds, unless the message was
    /// postponed: the time of a claim, less the difference between clocks.
    public let claimTime: Int64

    public init(claimTime: Int64) { self.claimTime = claimTime }

    /// The first rule that was broken; `nil` if none was.
    public var violation: String? {
        if let lost = acknowledged.first(where: { !causes.contains($0) }) {
            return "cause \(lost) was acknowledged and is not there"
        }
        if Set(ended).count != ended.count { return "a message ended twice" }
        for send in sends where !causes.contains(send.cause) {
            return "message \(send.id) tells of cause \(send.cause), which was undone"
        }
        let byCause = Dictionary(grouping: sends, by: \.cause), over = Set(ended)
        for cause in causes.sorted() {
            let sends = byCause[cause] ?? []
            if Set(sends.map(\.id)).count > 1 { return "the message of cause \(cause) has two IDs" }
            let isSettled = sends.contains { $0.result == .delivered || $0.result == .refused }
            if !waiting.contains(cause), !isSettled {
                return "the message of cause \(cause) is gone and was not delivered"
            }
            if over.contains(cause), waiting.contains(cause) {
                return "the message of cause \(cause) has ended and still waits"
            }
            if let overlap = overlap(sends.sorted { $0.claim < $1.claim }) {
                return "the message of cause \(cause) was sent \(overlap)"
            }
        }
        return nil
    }

    private func overlap(_ sends: [Send]) -> String? {
        for (first, second) in zip(sends, sends.dropFirst()) {
            if first.claim == second.claim { return "twice under claim \(first.claim)" }
            if first.result != .postponed, second.began < first.began + claimTime {
                return
                    "under claim \(first.claim) at \(first.began) ms, and again at \(second.began) ms"
            }
        }
        return nil
    }
}
