/// Checks that each action follows its instruction in time, and that no other action replaces it.
/// The session itself compares the actions with its challenge; this reports how that ended.
struct OrderCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.order
    static let refusals = [SessionRefusal.actionMissed, .actionOutOfOrder]

    private var refusal: SessionRefusal?
    private var hasBegun = false

    init(limits: LivenessLimits) {}

    mutating func observe(_ observation: LivenessObservation) {
        if case .request = observation { hasBegun = true }
        guard case .refusal(let refusal) = observation, self.refusal == nil,
            Self.refusals.contains(refusal) || refusal == .clockWentBack
        else { return }
        self.refusal = refusal
    }

    /// `nil` until an action is requested.
    var result: LivenessCheckResult? {
        hasBegun || refusal != nil ? LivenessCheckResult(Self.name, refusal: refusal) : nil
    }
}

extension LivenessCheckResult.Check {
    public static let order = Self(rawValue: "order")
}

extension SessionRefusal {
    /// The requested action did not come in time.
    public static let actionMissed = SessionRefusal(
        "action_missed", "a requested action was not performed in time")
    /// A different action came, or the action came before it was requested.
    public static let actionOutOfOrder = SessionRefusal(
        "action_out_of_order", "an action was performed that was not requested, or too early")
}
