internal import MienCore

/// Checks that the face reflects the colors which the capturing device's screen shows, and not as a
/// plane does. Only in sessions whose challenge has colors. Can only add a refusal.
///
/// Where it is required, it fails closed: the still phase goes on until enough was seen.
struct LightCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.light
    static let refusals = [SessionRefusal.lightNotFollowed, .lightFlat]

    static func isNeeded(for challenge: LivenessChallenge) -> Bool { challenge.light != nil }

    /// The least time and number of frames for a result. In six seconds there are eight to fifteen
    /// colors.
    static let minTime = Duration.seconds(6), minFrames = 24
    /// Frames that follow each other sooner show nothing new.
    private static let minInterval = Duration.milliseconds(60)
    /// The newest frames are kept: at least ten seconds.
    private static let maxFrames = 168

    /// The time after which the estimate is made again. It costs as much as a tenth of a frame.
    private static let estimateInterval = Duration.milliseconds(250)

    private let limits: LivenessLimits
    private var samples: [(time: Duration, sample: LightSample)] = []
    private var estimate: LightEstimate?
    private var estimatedAt: Duration?

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func observe(_ observation: LivenessObservation) {
        switch observation {
        case .beginning(let face, let time), .stillness(let face, let time),
            .face(let face, let time, true, _):
            if let sample = face.light { see(sample, at: time) }
        default: break
        }
    }

    mutating func restart() { self = LightCheck(limits: limits) }

    mutating func see(_ sample: LightSample, at time: Duration) {
        guard limits.lightMode != .off, let challenge = limits.light else { return }
        if let last = samples.last, time - last.time < Self.minInterval { return }
        if samples.count == Self.maxFrames { samples.removeFirst() }
        samples.append((time, sample))
        guard let first = samples.first, samples.count >= Self.minFrames,
            time - first.time >= Self.minTime
        else { return }
        if let estimatedAt, time - estimatedAt < Self.estimateInterval { return }
        (estimate, estimatedAt) = (LightEstimate(samples, of: challenge), time)
    }

    var wantsMore: Bool { limits.lightMode == .require && finished == nil }

    /// The estimate, if it can be judged. One that follows the screen, but whose relief is lost in noise,
    /// cannot: noise would hide a print.
    private var finished: LightEstimate? {
        estimate.flatMap {
            $0.correlation < limits.at(LivenessLimits.lightScale) || $0.relief != nil ? $0 : nil
        }
    }

    /// `nil` when the check is off, and while it is only observed and has seen too little.
    var result: LivenessCheckResult? {
        let mode = limits.lightMode
        guard mode != .off else { return nil }
        guard let estimate = mode == .observe ? estimate : finished else {
            guard mode == .require else { return nil }
            return LivenessCheckResult(Self.name, refusal: .badQuality, frames: samples.count)
        }
        let followed = limits.at(LivenessLimits.lightScale),
            relief = limits.at(LivenessLimits.reliefScale)
        var finding: SessionRefusal?, measured = estimate.correlation, limit = followed
        if estimate.correlation < followed {
            finding = .lightNotFollowed
        } else if let found = estimate.relief, found < relief {
            (finding, measured, limit) = (.lightFlat, found, relief)
        }
        let scores =
            [LivenessLimits.lightScale.score(estimate.correlation)]
            + (estimate.relief.map { [LivenessLimits.reliefScale.score($0)] } ?? [])
        return LivenessCheckResult(
            Self.name, refusal: mode == .require ? finding : nil, measured: measured, limit: limit,
            score: mode == .require ? scores.min() : nil, frames: samples.count,
            observed: mode == .observe ? finding : nil)
    }
}

extension LivenessCheckResult.Check {
    public static let light = Self(rawValue: "light")
}

extension SessionRefusal {
    /// The face does not reflect the colors that the screen showed.
    public static let lightNotFollowed = SessionRefusal(
        "light_not_followed", "the face did not reflect the colors of the screen")
    /// The face reflects the screen as a plane does.
    public static let lightFlat = SessionRefusal(
        "light_flat", "the face reflected the colors of the screen like a flat picture")
}

extension LivenessLimits {
    /// Minimum correlation of the face's colors with the screen's.
    static let lightScale = LivenessScale(0.65, 0.8)
    /// Minimum ``LightEstimate/relief``.
    static let reliefScale = LivenessScale(0.45, 0.5)
}

/// The findings of the light check in samples, for measurements.
package struct LightFinding: Sendable {
    /// The refusal where the check is required; `nil` if it passes.
    package let refusal: SessionRefusal?
    /// The measurements; `nil` with too few samples, and of the relief also if it is lost in noise.
    package let correlation, relief: Double?

    package init(
        _ samples: [(time: Duration, sample: LightSample)], of challenge: LightChallenge,
        threshold: Int = 0
    ) {
        var check = LightCheck(
            limits: LivenessLimits(threshold: threshold, lightMode: .require, light: challenge))
        for (time, sample) in samples { check.see(sample, at: time) }
        let estimate = LightEstimate(samples, of: challenge)
        (correlation, relief) = (estimate?.correlation, estimate?.relief)
        refusal = check.result?.refusal
    }
}
