internal import Foundation

/// Measures the marks that prints and screens leave in the picture. Uses the session's median of each
/// cue, so that no single frame decides.
///
/// They are weak by nature: a good print held close, or a screen with finer pixels than the camera's,
/// shows none.
struct TextureCheck: LivenessCheck {
    static let name = LivenessCheckResult.Check.texture
    static let refusals = [SessionRefusal.printOrScreen]

    /// Maximum number of frontal frames to evaluate.
    private static let maxFrames = 64
    private static let minFrames = 5

    private var peaks: [Double] = [], glares: [Double] = [], borders: [Double] = [],
        bands: [Double] = []
    private var last: FacePatch?

    init(limits: LivenessLimits) {}
    private init() {}

    mutating func observe(_ observation: LivenessObservation) {
        if let face = observation.frontalFace { see(face) }
    }

    mutating func restart() { self = TextureCheck() }

    mutating func see(_ face: LiveFace) {
        guard glares.count < Self.maxFrames else { return }
        if let cues = face.texture {
            if let peak = cues.peak { peaks.append(peak) }
            glares.append(cues.glare)
            borders.append(cues.border)
        }
        if let patch = face.patch {
            if let last { bands.append(Self.banding(last, patch)) }
            last = patch
        }
    }

    /// Empty with too few frames.
    var cues: [LivenessDecision.Cue: Double] {
        [.peak: peaks, .glare: glares, .border: borders, .banding: bands]
            .filter { $0.value.count >= Self.minFrames }.mapValues(\.median)
    }

    /// The sum of the weights of all cues.
    var result: LivenessCheckResult? {
        let cues = cues
        guard !cues.isEmpty else { return nil }
        return LivenessCheckResult(
            Self.name, refusal: nil, measured: LivenessDecision(cues).total)
    }

    /// Measures banding. A screen's refresh and a camera's shutter produce horizontal bands that
    /// move from frame to frame, so rows differ more between frames than columns do.
    ///
    /// - Returns: The spread of the rows' differences divided by that of the columns', about 1 for
    ///   a face that sways.
    static func banding(_ a: FacePatch, _ b: FacePatch) -> Double {
        let side = FacePatch.side
        var rows = [Double](repeating: 0, count: side), columns = rows
        for y in 0..<side {
            for x in 0..<side {
                let difference =
                    Double(a.brightness[y * side + x]) - Double(b.brightness[y * side + x])
                rows[y] += difference
                columns[x] += difference
            }
        }
        // Smaller values are noise: a quarter of a level in a row's mean.
        let floor = 0.25 * Double(side)
        return (spread(rows) + floor) / (spread(columns) + floor)
    }

    /// Standard deviation from a straight line.
    private static func spread(_ values: [Double]) -> Double {
        let n = Double(values.count), middle = (n - 1) / 2, mean = values.reduce(0, +) / n
        var slope = 0.0, weight = 0.0
        for (i, value) in values.enumerated() {
            slope += (Double(i) - middle) * value
            weight += (Double(i) - middle) * (Double(i) - middle)
        }
        slope /= weight
        var sum = 0.0
        for (i, value) in values.enumerated() {
            let rest = value - mean - slope * (Double(i) - middle)
            sum += rest * rest
        }
        return sqrt(sum / n)
    }
}

extension LivenessCheckResult.Check {
    public static let texture = Self(rawValue: "texture")
}

extension SessionRefusal {
    /// The picture has the marks of a print or a screen.
    public static let printOrScreen = SessionRefusal(
        "print_or_screen", "the picture shows signs of a print or a screen")
}
