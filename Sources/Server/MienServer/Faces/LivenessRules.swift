internal import MienAPI
package import MienCore
internal import MienFace
package import MienJourney

/// The requirements of one capture, with every setting resolved.
package struct LivenessRules: Sendable, Codable, Equatable {
    package var mode: LivenessPolicy.Mode
    var threshold: Int
    var quality: Int
    var timeoutSeconds: Int
    var actions: [LivenessPolicy.Action]
    var actionCount: Int?
    /// Whether the person may replace actions.
    var accommodates: Bool
    /// The actions that the person cannot perform.
    var omitted: [LivenessPolicy.Action]?
    /// The check of the screen's light. `nil`, as in records of earlier versions, is off.
    var light: LightMode?
    /// Whether the person may leave out the colors although the check is required.
    var accommodatesLight: Bool?

    /// Combines the app's settings, or the server's where the app has none, with the step's
    /// settings, which can only make them stricter.
    package init(
        server: LivenessPolicy, app: LivenessPolicy, step: LivenessPolicy = LivenessPolicy()
    ) {
        let policy = app.filled(from: server).tightened(by: step)
        mode = policy.mode ?? .livenessActive
        threshold = policy.threshold ?? 0
        // The server's minimum quality applies to every app.
        quality = max(policy.quality ?? 0, server.quality ?? 0)
        timeoutSeconds = policy.timeoutSeconds ?? 60
        actions = policy.actions ?? LivenessPolicy.Action.allCases
        actionCount = policy.actionCount
        accommodates = policy.accommodation ?? true
        light = policy.light
        accommodatesLight = policy.lightAccommodation
    }

    /// Returns these rules with the active mode in place of the passive one for sign-ins, unless
    /// the presentation check is required: nothing else stops a recording on a screen.
    ///
    /// Registrations keep the passive mode: by themselves they give no access.
    package func raised(for purpose: CaptureRequest.Purpose, presentation: PresentationMode) -> Self
    {
        guard purpose == .authentication, mode == .livenessPassive, presentation != .require else {
            return self
        }
        var rules = self
        rules.mode = .livenessActive
        return rules
    }

    /// Draws the actions that the person must perform, or returns `nil` if the mode has no
    /// challenge.
    func challenge(using generator: inout some RandomNumberGenerator) -> LivenessChallenge? {
        guard mode == .livenessActive else { return nil }
        return LivenessChallenge.drawn(
            omitting: Set((omitted ?? []).compactMap(\.action)), count: actionCount,
            from: actions.compactMap(\.action), using: &generator)
    }

    /// Returns the rules for a person who cannot perform these actions, or `nil` if others may not
    /// or cannot replace them. A person who cannot blink in the passive mode performs random actions
    /// instead, which is stricter.
    func omitting(_ omitted: [LivenessPolicy.Action]) -> LivenessRules? {
        guard mode != .image, accommodates,
            LivenessChallenge.remaining(
                actions.compactMap(\.action), omitting: Set(omitted.compactMap(\.action))) != nil
        else { return nil }
        var rules = self
        rules.omitted = omitted
        if omitted.contains(.blink) { rules.mode = .livenessActive }
        return rules
    }

    /// Whether live sessions judge the light of the screen, if it shows colors.
    var judgesLight: Bool { mode != .image && (light ?? .off) != .off }

    /// Whether the person may leave out the colors.
    var mayOmitLight: Bool { light != .require || accommodatesLight == true }

    /// Returns the rules for a person who must not see the colors, or `nil` if the policy does not
    /// allow it. Instead of a required check, the person performs random actions.
    func omittingLight() -> LivenessRules? {
        guard mayOmitLight else { return nil }
        var rules = self
        if light == .require, mode == .livenessPassive { rules.mode = .livenessActive }
        return rules
    }

    /// Whether a capture under these rules proves what `required` asks for.
    ///
    /// - Parameter isLit: Whether the person did not leave out the colors.
    func meet(_ required: LivenessRules, isLit: Bool) -> Bool {
        guard mode >= required.mode else { return false }
        guard required.light == .require, required.mode != .image else { return true }
        return light == .require && (isLit || required.mayOmitLight)
    }

    /// The actions that the person may omit, each by itself.
    var omittable: [LivenessPolicy.Action] {
        (mode == .livenessActive ? actions : [.blink]).filter { omitting([$0]) != nil }
    }
}

extension LivenessPolicy.Action {
    var action: LivenessAction? { LivenessAction(rawValue: rawValue) }
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
