package import Foundation
package import MienCore
package import MienFace
internal import MienMedia
package import MienModels
internal import Synchronization

/// Analyzes selfies and compares them with templates. Pictures are kept only for one call.
package final class FaceService: LiveFrameReader {
    /// The maximum size of a live capture frame; 1920 × 1200 fits.
    static let maxLivePixels = 2_400_000

    package let packID: PackID
    /// Whether live captures are judged by the pack's presentation-attack network.
    package let presentation: PresentationMode
    let engine: FaceEngine
    package let matcher: FaceMatcher
    private let imageLimits: ImageLimits
    /// The packs of people who have not been migrated.
    private let former = Mutex<[PackID: FormerPack]>([:])
    private let library: PackLibrary
    private let manifest: PackManifest
    private let engines: EngineSource
    /// How the engine in use was made.
    private let specification: EngineSource.Specification

    package var depth: QueueDepth {
        let load = engine.load
        return QueueDepth(waiting: load.waiting, limit: load.limit, workers: load.workers)
    }

    /// Loads the pack, or chooses one if `pack` is `nil`, and compiles its networks. Takes about a
    /// second, or less with a filled cache.
    ///
    /// - Parameters:
    ///   - presentation: The mode of the presentation check; `nil` for `require` if the pack has
    ///     the network, otherwise `off`.
    ///   - measuresPresentation: Whether the network runs even if the check is `off`.
    ///   - engines: Makes the engines of this pack and of former ones.
    /// - Throws: `InferenceError` if a mode other than `off` is named and the pack has no such
    ///   network.
    package init(
        packs: URL, pack: PackID?, reachableAt address: String?, cache: URL, workers: Int,
        precision: NetworkOptions.Precision?, isQuantized: Bool,
        presentation: PresentationMode?, measuresPresentation: Bool = false, maxBytes: Int,
        limits: WorkLimits, engines: EngineSource = .own
    ) throws {
        library = PackLibrary(folder: packs)
        let loaded = try library.pack(pack ?? library.packID(reachableAt: address))
        packID = loaded.id
        let hasNetwork = loaded.manifest.file(of: .presentationAttack) != nil
        self.presentation = presentation ?? (hasNetwork ? .require : .off)
        matcher = try loaded.matcher()
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        var options = NetworkOptions(streams: workers, cacheFolder: cache.path)
        options.precision =
            try precision ?? (isQuantized ? .f32 : loaded.fastestPrecision(options))
        self.engines = engines
        specification = EngineSource.Specification(
            workers: workers, options: options, variant: isQuantized ? .int8 : nil,
            looksForAttacks: self.presentation != .off || measuresPresentation,
            compilingAll: true, limits: limits)
        engine = try engines.make(loaded, specification)
        imageLimits = ImageLimits(maxBytes: maxBytes)
        manifest = loaded.manifest
    }

    /// The analysis of one frame.
    struct Look: Sendable {
        let reasons: [QualityReason]
        let quality: Int
        /// x, y, width, height in pixels of the frame.
        let face: [Double]?
        /// `nil` if the quality is insufficient.
        let entry: FaceTemplate.Entry?
        let camera: CameraClass
        /// The entries of the same face for templates of ``FaceService/formerPacks``.
        var former: [PackID: FaceTemplate.Entry] = [:]
        /// The picture as it is stored, if it is kept.
        var picture: [UInt8]?
    }

    /// The largest picture of a face that is stored.
    static let maxKeptBytes = 1 << 20

    /// - Parameters:
    ///   - share: The client that the analysis is queued for.
    ///   - packs: The packs of other templates that the face may be compared with.
    ///   - keeping: Whether the picture is kept.
    ///   - isScored: Whether the face is refused if scores would not mean what the calibration says.
    /// - Throws: `ImageError` for malformed pictures; ``ServerBusy``.
    func look(
        at bytes: [UInt8], minQuality: Int, forPacks packs: [PackID] = [], keeping: Bool = false,
        isScored: Bool = true, for share: WorkShare
    ) async throws -> Look {
        let limits = imageLimits
        let (found, seen) = try await engine.serve(share) { analyzer, networks in
            let image = try ImageDecoder.decode(bytes, limits: limits)
            var (look, box) = try Self.look(
                at: image, minQuality: minQuality, isScored: isScored, with: analyzer, networks)
            if keeping, look.entry != nil {
                look.picture = StoredPicture.encode(image, maxBytes: Self.maxKeptBytes)
            }
            // The picture is kept only if another pack needs it.
            return (look, packs.isEmpty ? nil : box.map { (image, $0) })
        }
        var look = found
        if look.entry != nil, let (image, box) = seen {
            for pack in former.withLock({ $0.filter { packs.contains($0.key) } }) {
                look.former[pack.key] = try await pack.value.entry(
                    of: image, search: .automatic, showing: box, for: share)
            }
        }
        return look
    }

    private static func look(
        at image: RGBImage, minQuality: Int, isScored: Bool, with analyzer: FaceAnalyzer,
        _ networks: OpenVINOFaceNetworks
    ) throws -> (Look, Rectangle?) {
        let analysis = try analyzer.analyze(image, with: networks)
        let box = analysis.main?.detection.box
        let face = box.map { [$0.x, $0.y, $0.width, $0.height].map { $0.rounded() } }
        let reasons =
            isScored
            ? analysis.main?.quality.reasonsNotToScore(below: minQuality) ?? [.noFace]
            : analysis.reasons(below: minQuality)
        guard let main = analysis.main, reasons.isEmpty else {
            return (
                Look(
                    reasons: reasons,
                    quality: analysis.qualityScore, face: face, entry: nil,
                    camera: CameraClass(of: image)), box
            )
        }
        let description = try analyzer.describe(main, in: image, with: networks)
        let quality = analyzer.describer.quality(main.quality, with: description)
        guard quality.score >= minQuality else {
            return (
                Look(
                    reasons: quality.reasons(below: minQuality), quality: quality.score,
                    face: face, entry: nil, camera: CameraClass(of: image)), box
            )
        }
        let entry = try FaceTemplate.Entry(
            descriptor: description.descriptor, quality: UInt8(clamping: quality.score),
            pose: main.pose)
        let look = Look(
            reasons: [], quality: quality.score, face: face, entry: entry,
            camera: CameraClass(of: image))
        return (look, box)
    }

    package func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    {
        var limits = imageLimits
        (limits.maxPixels, limits.maxJPEGPixels) = (Self.maxLivePixels, Self.maxLivePixels)
        let live = engine.liveAnalyzer
        return try await engine.serve(share) { [limits] _, networks in
            let frame = Frame(image: try ImageDecoder.decode(bytes, limits: limits), time: time)
            return try live.reading(of: frame, index: index, with: networks)
        }
    }

    package func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate
        .Entry?
    {
        try await engine.entry(of: reading, for: share)
    }

    package func entries(
        of reading: FaceReading, forPacks packs: [PackID], share: WorkShare
    ) async throws -> [PackID: FaceTemplate.Entry]? {
        guard let face = reading.face else { return nil }
        var entries: [PackID: FaceTemplate.Entry] = [:]
        for pack in former.withLock({ $0.filter { packs.contains($0.key) } }) {
            let entry =
                pack.value.findsSameFaces
                ? try await pack.value.engine.entry(of: reading, for: share)
                : try await pack.value.entry(
                    of: reading.frame.image, search: .near, showing: face.box, for: share)
            guard let entry else { return nil }
            entries[pack.key] = entry
        }
        return entries
    }

    /// Compares a template with that of the probes that the same model pack made.
    ///
    /// - Returns: `nil` if there is none, or if the pack is not loaded.
    package func score(_ probes: [FaceTemplate], against template: FaceTemplate) throws
        -> MatchScore?
    {
        guard let probe = probes.first(where: { $0.packID == template.packID }),
            let matcher = template.packID == packID
                ? matcher : former.withLock({ $0[template.packID]?.matcher })
        else { return nil }
        return matcher.score(
            try matcher.reference(for: probe), try matcher.reference(for: template))
    }

    /// Whether all frames of a capture show one person.
    func isOnePerson(_ entries: [FaceTemplate.Entry], threshold: MatchScore) throws -> Bool {
        // A reference is compared with the whole cohort.
        guard entries.count > 1 else { return true }
        let references = try entries.map { try matcher.reference(for: $0.descriptor) }
        for i in references.indices {
            for j in references.indices
            where j > i && matcher.score(references[i], references[j]) < threshold { return false }
        }
        return true
    }
}

// MARK: Packs of people who have not been migrated

extension FaceService {
    /// The packs that were loaded beside the one in use.
    package var formerPacks: [PackID] { former.withLock { Array($0.keys) } }

    package func isLoaded(_ pack: PackID) -> Bool {
        pack == packID || former.withLock { $0[pack] != nil }
    }

    /// Loads a pack beside the one in use, to compare people with the templates that it made. Its
    /// networks are compiled when they are first needed.
    ///
    /// - Throws: `PackError`, `.notInstalled` with the remedy; `InferenceError`.
    package func load(former pack: PackID) throws {
        let loaded = try library.pack(pack)
        // Quantized networks, if any, are those of the pack in use.
        let engine = try engines.make(
            loaded,
            EngineSource.Specification(
                workers: specification.workers, options: specification.options,
                limits: specification.limits))
        let isSame =
            specification.variant == nil && manifest.findsSameFaces(as: loaded.manifest)
        let ready = FormerPack(
            engine: engine, matcher: try loaded.matcher(), findsSameFaces: isSame)
        former.withLock { $0[pack] = ready }
    }

    /// Releases a pack that nobody needs any longer.
    package func unload(former pack: PackID) {
        // Released outside the lock, because this waits for the engine's workers.
        let released = former.withLock { $0.removeValue(forKey: pack) }
        _ = released
    }
}
