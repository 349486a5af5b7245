internal import MienCore
internal import MienFace
internal import MienModels

/// A model pack beside the one in use, for people whose templates it made.
struct FormerPack: Sendable {
    let engine: FaceEngine
    let matcher: FaceMatcher
    /// Whether it finds faces with the same networks as the pack in use. Then only the descriptor
    /// is computed again.
    let findsSameFaces: Bool

    /// Finds and describes a face.
    ///
    /// - Parameter box: Where the pack in use found it.
    /// - Returns: `nil` if this pack finds none there: the person who was judged to be live must be
    ///   the one who is compared.
    func entry(
        of image: RGBImage, search: FaceAnalyzer.Search, showing box: Rectangle,
        for share: WorkShare
    ) async throws -> FaceTemplate.Entry? {
        do {
            return try await engine.serve(share) { analyzer, networks in
                let analysis = try analyzer.analyze(image, search: search, with: networks)
                guard let main = analysis.main,
                    main.detection.box.overlap(box) >= TemplateMigration.sameFaceOverlap
                else { return nil }
                let description = try analyzer.describe(main, in: image, with: networks)
                return try FaceTemplate.Entry(
                    descriptor: description.descriptor,
                    quality: UInt8(clamping: analysis.qualityScore), pose: main.pose)
            }
        } catch is FaceModelError { return nil }
    }
}

extension PackManifest {
    /// Whether both packs find faces with the same networks and geometry.
    func findsSameFaces(as other: PackManifest) -> Bool {
        func hash(_ network: FaceNetwork, _ manifest: PackManifest) -> [String]? {
            guard let name = manifest.file(of: network) else { return nil }
            let weights = name.hasSuffix(".xml") ? String(name.dropLast(4)) + ".bin" : name
            return manifest.files.filter { $0.name == name || $0.name == weights }
                .map(\.sha256).sorted()
        }
        return [FaceNetwork.detectorShortRange, .detectorFullRange, .mesh].allSatisfy {
            hash($0, self) == hash($0, other)
        }
            && geometry.detectorShortRange == other.geometry.detectorShortRange
            && geometry.detectorFullRange == other.geometry.detectorFullRange
            && geometry.mesh == other.geometry.mesh
    }
}
