package import Foundation
package import MienCore
package import MienFace
internal import MienImage
package import MienInference
internal import MienModels
internal import MienPixels
internal import MienServerCore

/// Analyzes selfies and compares them with templates. Pictures are kept only for one call.
package final class FaceService: LiveFrameReader {
    /// The maximum size of a live capture frame; 1920 × 1200 fits.
    static let maxLivePixels = 2_400_000

    package let packID: PackID
    /// Whether live captures are judged by the pack's presentation-attack network.
    package let presentation: PresentationMode
    private let engine: FaceEngine
    private let matcher: FaceMatcher
    private let imageLimits: ImageLimits

    /// Loads the pack, or chooses one if `pack` is `nil`, and compiles its networks. Takes about a
    /// second, or less with a filled cache.
    ///
    /// - Parameters:
    ///   - presentation: The mode of the presentation check; `nil` for `standard` if the pack has
    ///     the network, otherwise `off`.
    ///   - standard: The mode of installations whose settings do not name one.
    /// - Throws: `InferenceError` if a mode other than `off` is named and the pack has no such
    ///   network.
    package init(
        packs: URL, pack: PackID?, reachableAt address: String?, cache: URL, workers: Int,
        precision: NetworkOptions.Precision?, isQuantized: Bool,
        presentation: PresentationMode?, standard: PresentationMode, maxBytes: Int,
        limits: WorkLimits
    ) throws {
        let library = PackLibrary(folder: packs)
        let loaded = try library.pack(pack ?? library.packID(reachableAt: address))
        packID = loaded.id
        let hasNetwork = loaded.manifest.file(of: .presentationAttack) != nil
        self.presentation = presentation ?? (hasNetwork ? standard : .off)
        matcher = try loaded.matcher()
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        let options = NetworkOptions(
            precision: try precision ?? (isQuantized ? .f32 : InferenceRuntime().fastestPrecision),
            cacheFolder: cache.path)
        engine = try FaceEngine(
            pack: loaded, workers: workers, options: options,
            variant: isQuantized ? .int8 : nil, looksForAttacks: self.presentation != .off,
            compilingAll: true, limits: limits)
        imageLimits = ImageLimits(maxBytes: maxBytes)
    }

    /// The analysis of one frame.
    struct Look: Sendable {
        let reasons: [QualityReason]
        let quality: Int
        /// x, y, width, height in pixels of the frame.
        let face: [Double]?
        /// `nil` if the quality is insufficient.
        let entry: FaceTemplate.Entry?
    }

    /// - Parameter share: The client that the analysis is queued for.
    /// - Throws: `ImageError` for malformed pictures; ``ServerBusy``.
    func look(at bytes: [UInt8], minQuality: Int, for share: WorkShare) async throws -> Look {
        let limits = imageLimits
        return try await run(for: share) { analyzer, networks in
            let image = try ImageDecoder.decode(bytes, limits: limits)
            let analysis = try analyzer.analyze(image, with: networks)
            let box = analysis.main?.detection.box
            let face = box.map { [$0.x, $0.y, $0.width, $0.height].map { $0.rounded() } }
            guard let main = analysis.main, analysis.qualityScore >= minQuality else {
                return Look(
                    reasons: analysis.reasons(below: minQuality), quality: analysis.qualityScore,
                    face: face, entry: nil)
            }
            let description = try analyzer.describe(main, in: image, with: networks)
            let entry = try FaceTemplate.Entry(
                descriptor: description.descriptor, quality: UInt8(clamping: analysis.qualityScore),
                pose: main.pose)
            return Look(reasons: [], quality: analysis.qualityScore, face: face, entry: entry)
        }
    }

    package func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    {
        var limits = imageLimits
        limits.maxPixels = Self.maxLivePixels
        let live = engine.liveAnalyzer
        return try await run(for: share) { [limits] _, networks in
            let frame = Frame(image: try ImageDecoder.decode(bytes, limits: limits), time: time)
            return try live.reading(of: frame, index: index, with: networks)
        }
    }

    package func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate
        .Entry?
    {
        let live = engine.liveAnalyzer
        do {
            return try await run(for: share) { _, networks in
                try live.entry(of: reading, with: networks)
            }
        } catch is FaceModelError { return nil }
    }

    private func run<Output: Sendable>(
        for share: WorkShare,
        _ job: @escaping @Sendable (FaceAnalyzer, OpenVINOFaceNetworks) throws -> Output
    ) async throws -> Output {
        try await WorkQueue.wait { [engine] in try await engine.run(for: share, job) }
    }

    /// - Returns: `nil` if one of them was made by another model pack.
    package func score(_ probe: FaceTemplate, against template: FaceTemplate) throws -> MatchScore?
    {
        guard probe.packID == packID, template.packID == packID else { return nil }
        return matcher.score(
            try matcher.reference(for: probe), try matcher.reference(for: template))
    }

    /// Whether all frames of a capture show one person.
    func isOnePerson(_ entries: [FaceTemplate.Entry], threshold: MatchScore) throws -> Bool {
        let references = try entries.map { try matcher.reference(for: $0.descriptor) }
        for i in references.indices {
            for j in references.indices
            where j > i && matcher.score(references[i], references[j]) < threshold { return false }
        }
        return true
    }
}
