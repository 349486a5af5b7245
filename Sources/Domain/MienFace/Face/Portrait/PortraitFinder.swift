/// The portrait on a document.
public struct DocumentPortrait: Sendable {
    /// In pixels of the view.
    public let face: AnalyzedFace
    /// The index of the view of the document that shows the portrait.
    public let view: Int
    /// The problems that keep it from being compared, worst first.
    public let reasons: [QualityReason]
}

/// Finds the portrait on a document: the largest upright face that is one. Ghost portraits, which
/// many documents repeat in pale and small, are smaller.
///
/// Detectors take a pattern, or a face that is upside down, for a face now and then, also for one
/// larger than the portrait. The mesh network tells them apart, so it decides between faces of
/// similar size.
public struct PortraitFinder: Sendable {
    private let analyzer: FaceAnalyzer
    private let limits: PortraitLimits
    /// The rank, as a fraction of the highest, from which on a face may be the portrait. A ghost is
    /// a third as large.
    private static let similar = 0.5
    /// The maximum number of faces that are measured.
    private static let maxMeasured = 4
    /// The sides of the pictures cut around an unclear face, as multiples of its box.
    private static let surroundings = [2.0, 3.5]

    public init(_ analyzer: FaceAnalyzer, limits: PortraitLimits = .standard) {
        (self.analyzer, self.limits) = (analyzer, limits)
    }

    /// - Parameter views: The document without perspective, in each direction in which it may be
    ///   upright, the likeliest two first. A face that is upside down does not count.
    /// - Returns: `nil` if no view shows an upright face.
    public func portrait(in views: [RGBImage], with networks: some FaceNetworks)
        throws(FaceModelError) -> DocumentPortrait?
    {
        var found: [(rank: Double, face: DetectedFace, view: Int)] = []
        for (index, view) in views.enumerated() {
            for face in try faces(in: view, with: networks) where Self.isUpright(face) {
                found.append((Self.rank(face, in: view), face, index))
            }
            // Sideways views only if the document is not upright or upside down.
            if index == 1, !found.isEmpty { break }
        }
        let highest = found.map(\.rank).max() ?? 0
        var best: DocumentPortrait?
        for candidate in found.filter({ $0.rank >= Self.similar * highest })
            .sorted(by: { $0.rank > $1.rank }).prefix(Self.maxMeasured)
        {
            let view = views[candidate.view]
            let face = try measured(candidate.face, in: view, with: networks)
            let portrait = DocumentPortrait(
                face: face, view: candidate.view, reasons: limits.reasons(face))
            if portrait.reasons.isEmpty, Self.isClear(face) { return portrait }
            if face.mesh.evidence > best?.face.mesh.evidence ?? -.infinity { best = portrait }
        }
        return best
    }

    /// Measures a face. The box of a small face in a large picture is imprecise; if the mesh does not
    /// fit, this detects the face again in pictures cut around it.
    private func measured(
        _ face: DetectedFace, in view: RGBImage, with networks: some FaceNetworks
    ) throws(FaceModelError) -> AnalyzedFace {
        var best = try analyzer.analyzed(face, in: view, with: networks)
        for factor in Self.surroundings where !Self.isClear(best) {
            let side = factor * max(face.box.width, face.box.height)
            let part = Rectangle(center: face.box.center, width: side, height: side)
                .intersection(view.bounds)
            let (x, y) = (Int(part.x), Int(part.y))
            let (width, height) = (Int(part.width), Int(part.height))
            guard width > 0, height > 0 else { continue }
            let cut = view.reduced(by: 1, x: x, y: y, width: width, height: height)
            let again = try analyzer.faces(in: cut, search: .near, with: networks)
                .map { $0.moved(by: Point(x: Double(x), y: Double(y))) }
                .first { Self.isUpright($0) && $0.box.overlap(face.box) > 0.2 }
            guard let again else { continue }
            let measured = try analyzer.analyzed(again, in: view, with: networks)
            if measured.mesh.evidence > best.mesh.evidence { best = measured }
        }
        return best
    }

    /// Whether the mesh fits a whole face. Patterns and faces that are upside down reach half of the
    /// threshold at most.
    private static func isClear(_ face: AnalyzedFace) -> Bool {
        face.quality[.visibility]?.grade ?? 0 >= FaceQuality.defaultThreshold
    }

    /// The faces of the whole view; without any, those of its left and right parts, in which a
    /// portrait is larger.
    private func faces(in view: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> [DetectedFace]
    {
        let found = try analyzer.faces(in: view, search: .thorough, with: networks)
        if found.contains(where: Self.isUpright) { return found }
        let side = min(view.width, view.height), width = min(view.width, side * 6 / 5)
        guard width < view.width else { return [] }
        var more: [DetectedFace] = []
        for x in [0, view.width - width] {
            let part = view.reduced(by: 1, x: x, y: 0, width: width, height: view.height)
            more += try analyzer.faces(in: part, search: .thorough, with: networks).map {
                $0.moved(by: Point(x: Double(x), y: 0))
            }
        }
        return more
    }

    /// Larger faces rank higher, of equal ones those that are clearer.
    private static func rank(_ face: DetectedFace, in view: RGBImage) -> Double {
        face.box.width / Double(max(view.width, view.height)) * (0.5 + face.confidence)
    }

    /// Whether the eyes are above the mouth, and the person's right eye is on the left.
    static func isUpright(_ face: DetectedFace) -> Bool {
        let eyes = (face.rightEye + face.leftEye) * 0.5, mouth = face.keyPoints[3]
        let across = face.leftEye.x - face.rightEye.x
        return across > 0 && mouth.y - eyes.y > 0.5 * across
    }
}

extension DetectedFace {
    func moved(by offset: Point) -> DetectedFace {
        DetectedFace(
            confidence: confidence,
            box: Rectangle(
                x: box.x + offset.x, y: box.y + offset.y, width: box.width, height: box.height),
            keyPoints: keyPoints.map { $0 + offset })
    }
}
