public import MienPixels

/// The portrait on a document.
public struct DocumentPortrait: Sendable {
    /// In pixels of the view.
    public let face: AnalyzedFace
    /// The index of the view of the document that shows the portrait.
    public let view: Int
    /// The problems that keep it from being compared, worst first.
    public let reasons: [QualityReason]
}

/// Finds the portrait on a document: the largest upright face. Ghost portraits, which many
/// documents repeat in pale and small, are smaller.
public struct PortraitFinder: Sendable {
    private let analyzer: FaceAnalyzer
    private let limits: PortraitLimits

    public init(_ analyzer: FaceAnalyzer, limits: PortraitLimits = .standard) {
        (self.analyzer, self.limits) = (analyzer, limits)
    }

    /// - Parameter views: The document without perspective, in each direction in which it may be
    ///   upright, the likeliest two first. A face that is upside down does not count.
    /// - Returns: `nil` if no view shows an upright face.
    public func portrait(in views: [RGBImage], with networks: some FaceNetworks)
        throws(FaceModelError) -> DocumentPortrait?
    {
        var best: (rank: Double, face: DetectedFace, view: Int)?
        for (index, view) in views.enumerated() {
            for face in try faces(in: view, with: networks) where Self.isUpright(face) {
                let rank = Self.rank(face, in: view)
                if rank > best?.rank ?? 0 { best = (rank, face, index) }
            }
            // Sideways views only if the document is not upright or upside down.
            if index == 1, best != nil { break }
        }
        guard let best else { return nil }
        let face = try analyzer.analyzed(best.face, in: views[best.view], with: networks)
        return DocumentPortrait(face: face, view: best.view, reasons: limits.reasons(face))
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
