/// Weighted non-maximum suppression: merges boxes that overlap the best one into one box, their
/// mean weighted by confidence.
///
/// The result is steadier from frame to frame than the best box alone. Source: Bazarevsky et al.
/// 2019, "BlazeFace", §3.
public struct WeightedSuppression: Sendable {
    /// Overlap (intersection over union) above which two boxes belong to one face, 0...1.
    public let minOverlap: Double

    public init(minOverlap: Double = 0.3) { self.minOverlap = minOverlap }

    /// Returns one face per group, most confident first. A face has the confidence of its group's
    /// best box.
    public func merge(_ candidates: [DetectedFace]) -> [DetectedFace] {
        var rest = candidates.sorted { $0.confidence > $1.confidence }
        var merged: [DetectedFace] = []
        while let best = rest.first {
            let group = rest.filter { $0.box.overlap(best.box) > minOverlap || $0 == best }
            rest.removeAll { $0.box.overlap(best.box) > minOverlap || $0 == best }
            merged.append(mean(of: group))
        }
        return merged
    }

    private func mean(of group: [DetectedFace]) -> DetectedFace {
        let total = group.reduce(0) { $0 + $1.confidence }
        func weighted(_ value: (DetectedFace) -> Double) -> Double {
            group.reduce(0) { $0 + $1.confidence * value($1) } / total
        }
        let box = Rectangle(
            center: Point(x: weighted { $0.box.center.x }, y: weighted { $0.box.center.y }),
            width: weighted { $0.box.width },
            height: weighted { $0.box.height })
        let points = group[0].keyPoints.indices.map { i in
            Point(x: weighted { $0.keyPoints[i].x }, y: weighted { $0.keyPoints[i].y })
        }
        return DetectedFace(confidence: group[0].confidence, box: box, keyPoints: points)
    }
}
