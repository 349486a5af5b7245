public import MienCore
public import MienFace

/// A loaded model pack with a few workers, for use by a server, a command-line tool, or a test.
///
/// Safe to use from many tasks at once. Each call runs on a worker's own thread and never blocks
/// the cooperative pool.
public final class FaceEngine: Sendable {
    public let packID: PackID
    public let analyzer: FaceAnalyzer
    /// Analyzes frames of live sessions with the networks selected for this engine.
    public let liveAnalyzer: LiveAnalyzer
    private let workers: WorkerPool<OpenVINOFaceNetworks>
    /// The number of photos that wait, how many may, and how many are processed at once.
    package var load: (waiting: Int, limit: Int, workers: Int) {
        (workers.waiting, workers.queueLimit, workers.workerCount)
    }

    /// Starts the workers. Networks are compiled on a worker's thread when they are first needed,
    /// unless `compilingAll` is set.
    ///
    /// - Parameters:
    ///   - pack: the networks. The pack's files were verified when it was loaded.
    ///   - workers: the number of photos processed at once, 1...64, with one thread each unless
    ///     `options` says otherwise.
    ///   - options: how the networks are compiled; `streams` becomes `workers`.
    ///   - variant: another form of the networks, such as the quantized one.
    ///   - crops: the crops from which a descriptor is computed, instead of the pack's own.
    ///     Calibration is valid only for the pack's own crops.
    ///   - looksForAttacks: whether to run the pack's presentation-attack network on every frame of
    ///     a live session.
    ///   - compilingAll: whether to compile every selected network now, except the detector for
    ///     small faces, which takes 25 MiB and few pictures need. This blocks for about a second,
    ///     less with a filled cache folder. Use it in a server.
    ///   - limits: how many photos may wait, for how long, and how many from one share.
    /// - Throws: `InferenceError`; `.unreadableModel` if `looksForAttacks` is set but the pack
    ///   contains no presentation-attack network, or if it has no such variant.
    public init(
        pack: ModelPack, workers: Int = 1, options: NetworkOptions = NetworkOptions(),
        variant: PackVariant? = nil,
        crops: [FaceDescriber.Crop]? = nil,
        looksForAttacks: Bool = false, compilingAll: Bool = false,
        limits: WorkLimits = WorkLimits(total: 1024)
    ) throws(InferenceError) {
        if looksForAttacks, pack.manifest.file(of: .presentationAttack) == nil {
            throw InferenceError(
                .unreadableModel,
                "the pack \(pack.id.text) contains no presentation-attack network; docs/spec/model-pack.md explains how to add one"
            )
        }
        if let variant, pack.manifest.variants?[variant.rawValue] == nil {
            throw InferenceError(
                .unreadableModel,
                "the pack \(pack.id.text) contains no \(variant.rawValue) networks; use another precision, or a pack that has them"
            )
        }
        var options = options
        options.streams = workers
        let compiled = CompiledPack(
            pack, runtime: try InferenceRuntime(), options: options, variant: variant)
        if compilingAll {
            try compiled.compile(
                FaceNetwork.allCases.filter {
                    !$0.isRarelyNeeded && (looksForAttacks || $0 != .presentationAttack)
                })
        }
        packID = pack.id
        analyzer = FaceAnalyzer(pack.manifest.geometry, crops: crops)
        liveAnalyzer = LiveAnalyzer(analyzer, looksForAttacks: looksForAttacks)
        self.workers = WorkerPool(workers: workers, limits: limits, label: "mien.face") {
            OpenVINOFaceNetworks(compiled)
        }
    }

    /// Runs `job` on a worker with its own networks. The pipeline's steps are methods of
    /// ``analyzer``.
    ///
    /// - Parameter share: the client that the job belongs to, if the engine serves several clients.
    /// - Throws: the error of `job`, or `InferenceError` `.busy` if too many jobs are waiting or no
    ///   worker became free in time.
    public func run<Output: Sendable>(
        for share: WorkShare = .common,
        _ job: @escaping @Sendable (FaceAnalyzer, OpenVINOFaceNetworks) throws -> Output
    ) async throws -> Output {
        let analyzer = analyzer
        return try await workers.run(for: share) { networks in try job(analyzer, networks) }
    }

    /// Analyzes a photo's main face, without its descriptor.
    public func analyze(_ image: RGBImage, search: FaceAnalyzer.Search = .automatic) async throws
        -> FaceAnalysis
    {
        try await run { analyzer, networks in
            try analyzer.analyze(image, search: search, with: networks)
        }
    }

    /// Returns a photo's main face with its descriptor; `nil` if there is no face. The quality
    /// includes the strength of the description, if the pack grades it.
    public func describe(_ image: RGBImage, search: FaceAnalyzer.Search = .automatic) async throws
        -> (
            face: AnalyzedFace, description: FaceDescription
        )?
    {
        try await run { analyzer, networks in
            guard let face = try analyzer.analyze(image, search: search, with: networks).main else {
                return nil
            }
            let description = try analyzer.describe(face, in: image, with: networks)
            return (
                face.with(analyzer.describer.quality(face.quality, with: description)), description
            )
        }
    }
}
