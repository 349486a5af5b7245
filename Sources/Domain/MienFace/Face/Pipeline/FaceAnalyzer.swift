/// The face pipeline: detects faces, fits the mesh, reads the eyes, grades, aligns, and describes.
///
/// A stateless value: keep one per pack and pass it each worker's networks. Takes decoded pictures.
/// For the costs, see docs/facts.md §5.
public struct FaceAnalyzer: Sendable {
    /// The detectors to run on a photo.
    public enum Search: Sendable {
        /// Only the short-range detector, for a person in front of a camera.
        case near
        /// The short-range detector, and the full-range one when the first finds no faces or only
        /// small ones.
        case automatic
        /// Both detectors, for photos with several people.
        case thorough
    }

    public let geometry: FaceGeometry
    public let describer: FaceDescriber
    private let shortRange: FaceDetector
    private let fullRange: FaceDetector?
    private let mesher: MeshFitter
    private let eyeReader: EyeReader
    private let assessor = QualityAssessor()

    /// A face narrower than this fraction of the photo's longer side counts as small.
    private static let smallFace = 0.2

    public init(_ geometry: FaceGeometry, crops: [FaceDescriber.Crop]? = nil) {
        self.geometry = geometry
        describer = FaceDescriber(geometry.descriptor, crops: crops)
        shortRange = FaceDetector(.detectorShortRange, geometry: geometry.detectorShortRange)
        fullRange = geometry.detectorFullRange.map {
            FaceDetector(.detectorFullRange, geometry: $0)
        }
        mesher = MeshFitter(geometry.mesh)
        eyeReader = EyeReader(geometry.iris)
    }

    /// Returns all upright faces, the most prominent first.
    public func faces(
        in image: RGBImage, search: Search = .automatic, with networks: some FaceNetworks
    ) throws(FaceModelError) -> [DetectedFace] {
        try faces(in: image, turnedBy: 0, search: search, with: networks)
    }

    private func faces(
        in image: RGBImage, turnedBy quarters: Int, search: Search, with networks: some FaceNetworks
    ) throws(FaceModelError) -> [DetectedFace] {
        var found = try shortRange.faces(in: image, turnedBy: quarters, with: networks)
        let longer = Double(max(image.width, image.height))
        let onlySmall = found.allSatisfy { $0.box.width < Self.smallFace * longer }
        if let fullRange, search == .thorough || (search == .automatic && onlySmall) {
            // For a face that both detectors find, keep the short-range result, whose key points
            // are more precise.
            let more = try fullRange.faces(in: image, turnedBy: quarters, with: networks)
            found += more.filter { face in !found.contains { $0.box.overlap(face.box) > 0.3 } }
        }
        return found.sorted {
            Self.prominence(of: $0, in: image) > Self.prominence(of: $1, in: image)
        }
    }

    /// Returns the measured most prominent face and the other faces' boxes. Without `readingEyes`,
    /// a photo costs slightly less.
    ///
    /// Files may lack the note that says which side is up. Without a clear upright face, this also
    /// looks for one that is upside down or sideways, except in a ``Search/near`` search, whose
    /// cameras are upright. The detector sometimes finds a turned face without turning the picture,
    /// with less precise points, so a face that lies on its side counts as turned.
    public func analyze(
        _ image: RGBImage, search: Search = .automatic, readingEyes: Bool = true,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> FaceAnalysis {
        func analysis(turnedBy quarters: Int) throws(FaceModelError) -> FaceAnalysis {
            try analyze(
                image, turnedBy: quarters, search: search, readingEyes: readingEyes, with: networks)
        }
        var best = try analysis(turnedBy: 0)
        guard search != .near, !best.isClear || best.isTilted else { return best }
        for quarters in [2, 1, 3] {
            let turned = try analysis(turnedBy: quarters)
            // A covered face that is upright stays one, unless another direction shows a clear face.
            if turned.isClear, turned.isClearer(than: best) { best = turned }
        }
        return best
    }

    private func analyze(
        _ image: RGBImage, turnedBy quarters: Int, search: Search, readingEyes: Bool,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> FaceAnalysis {
        let faces = try faces(in: image, turnedBy: quarters, search: search, with: networks)
        guard let first = faces.first else { return FaceAnalysis(faces: [], main: nil) }
        var main = first, rivals = Array(faces.dropFirst())
        // In a photo, everything that resembles a face stays a rival.
        if search == .near, Self.width(of: rivals) >= Self.smallRival * first.box.width {
            (main, rivals) = try withoutMistakes(faces, in: image, with: networks)
        }
        let analyzed = try analyzed(
            main, in: image, readingEyes: readingEyes,
            rival: Self.width(of: rivals) / main.box.width, with: networks)
        return FaceAnalysis(faces: faces, main: analyzed)
    }

    /// Rivals that are smaller than this, relative to the main face, are no concern, so it does not
    /// matter whether they are faces.
    private static let smallRival = 0.4
    /// How many of the most prominent faces are examined.
    private static let maxDoubted = 3

    private static func width(of faces: [DetectedFace]) -> Double {
        faces.map(\.box.width).max() ?? 0
    }

    /// Returns the most prominent face and its rivals, without what the detector mistook for faces,
    /// such as hands before the chest: the mesh network sees no whole face there. Without any whole
    /// face, nothing is left out.
    private func withoutMistakes(
        _ faces: [DetectedFace], in image: RGBImage, with networks: some FaceNetworks
    ) throws(FaceModelError) -> (main: DetectedFace, rivals: [DetectedFace]) {
        var whole: [DetectedFace] = []
        for face in faces.prefix(Self.maxDoubted) {
            let mesh = try mesher.mesh(of: face, in: image, with: networks)
            if mesh.presence > PresentationGate.minPresence { whole.append(face) }
        }
        guard let main = whole.first, main.box.width > 0 else {
            return (faces[0], Array(faces.dropFirst()))
        }
        return (main, Array(whole.dropFirst()) + faces.dropFirst(Self.maxDoubted))
    }

    /// Measures a face that was detected in the same `image`.
    ///
    /// - Parameter rival: The width of the next largest face divided by the width of this one.
    func analyzed(
        _ face: DetectedFace, in image: RGBImage, readingEyes: Bool = false, rival: Double = 0,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> AnalyzedFace {
        let mesh = try mesher.mesh(of: face, in: image, with: networks)
        let eyes = readingEyes ? try eyeReader.opening(of: mesh, in: image, with: networks) : nil
        let quality = assessor.quality(of: mesh, eyes: eyes, rival: rival, in: image)
        return AnalyzedFace(
            detection: face, mesh: mesh, pose: mesh.pose, eyes: eyes, quality: quality)
    }

    /// Returns the descriptor of a face that was analyzed in the same `image`.
    public func describe(_ face: AnalyzedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceDescription
    {
        try describer.description(of: face.mesh, in: image, with: networks)
    }

    /// Width in pixels, reduced for a face near the edge, where it is more often a passer-by.
    private static func prominence(of face: DetectedFace, in image: RGBImage) -> Double {
        let middle = image.bounds.center
        let away = face.box.center.distance(to: middle) / middle.length
        return face.box.width * (1 - 0.5 * min(1, away)) * face.confidence.squareRoot()
    }
}

extension FaceAnalysis {
    /// Compares how well the main faces can be seen if both can, otherwise the mesh network's
    /// certainty that there is a whole face.
    fileprivate func isClearer(than other: FaceAnalysis) -> Bool {
        guard let main else { return false }
        guard let seen = other.main else { return true }
        return other.isClear
            ? main.quality.score > seen.quality.score : main.mesh.evidence > seen.mesh.evidence
    }

    /// Whether the main face lies on its side or upside down.
    fileprivate var isTilted: Bool { abs(main?.pose.roll ?? 0) > HeadPose.uprightRoll }

    /// Whether the main face is a whole face, and not something that resembles one.
    fileprivate var isClear: Bool {
        (main?.quality[.visibility]?.grade ?? 0) >= FaceQuality.defaultThreshold
    }
}
