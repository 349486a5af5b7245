internal import MienAccess
internal import MienCore
internal import MienFace

/// What one capture has to show: every setting decided.
struct LivenessRules: Sendable, Codable, Equatable {
    var mode: LivenessPolicy.Mode
    var threshold: Int
    var quality: Int
    var timeoutSeconds: Int
    var actions: [LivenessPolicy.Action]
    var actionCount: Int?

    /// The app's settings, where it has none the server's; made stricter by the step's.
    init(server: LivenessPolicy, app: LivenessPolicy, step: LivenessPolicy = LivenessPolicy()) {
        let policy = app.filled(from: server).tightened(by: step)
        mode = policy.mode ?? .livenessActive
        threshold = policy.threshold ?? 0
        // The server's least quality is everybody's.
        quality = max(policy.quality ?? 0, server.quality ?? 0)
        timeoutSeconds = policy.timeoutSeconds ?? 60
        actions = policy.actions ?? LivenessPolicy.Action.allCases
        actionCount = policy.actionCount
    }

    /// What the person will be asked to do; `nil` where nothing is drawn.
    func challenge(using generator: inout some RandomNumberGenerator) -> LivenessChallenge? {
        guard mode == .livenessActive else { return nil }
        return LivenessChallenge.drawn(
            count: actionCount, from: actions.compactMap { LivenessAction(rawValue: $0.rawValue) },
            using: &generator)
    }
}

extension LivenessPolicy.Mode {
    var captureMode: FaceCaptureMode {
        switch self {
        case .image: .image
        case .livenessPassive: .livenessPassive
        case .livenessActive: .livenessActive
        }
    }
}
