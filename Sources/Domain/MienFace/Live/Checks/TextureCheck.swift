internal import Foundation

/// Does the picture have the marks of a print or a screen? Of each cue the middle of the session
/// counts, so that one frame decides nothing.
///
/// Weak by nature: a good print held close, or a screen with a pixel finer than the camera's, shows
/// none of them. It is one check beside others.
struct TextureCheck: Sendable {
    /// Frames of a face from the front that are looked at.
    private static let most = 64
    private static let least = 5

    private let limits: LivenessLimits
    private var peaks: [Double] = [], glares: [Double] = [], borders: [Double] = [],
        bands: [Double] = []
    private var last: FacePatch?

    init(limits: LivenessLimits) { self.limits = limits }

    mutating func see(_ face: LiveFace) {
        guard glares.count < Self.most else { return }
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

    /// What was measured and what is allowed; none with too few frames.
    var cues: [(word: String, measured: Double, limit: Double)] {
        [
            ("peak", peaks, limits.texturePeak), ("glare", glares, limits.glare),
            ("border", borders, limits.border),
            ("banding", bands, limits.banding),
        ]
        .filter { $0.1.count >= Self.least }.map { ($0.0, $0.1.median, $0.2) }
    }

    /// The worst cue, ÷ its limit.
    var result: LivenessCheckResult? {
        guard let worst = cues.map({ $0.measured / $0.limit }).max() else { return nil }
        return LivenessCheckResult(
            .texture, refusal: worst > 1 ? .printOrScreen : nil, measured: worst, limit: 1)
    }

    /// A screen's refresh and a camera's shutter make level bands that move from frame to frame:
    /// rows then differ more between frames than columns do.
    ///
    /// - Returns: spread of the rows' differences ÷ that of the columns', about 1 for a face that
    ///   sways.
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
        // Less than this is noise: a quarter of a level in the mean of a row.
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
