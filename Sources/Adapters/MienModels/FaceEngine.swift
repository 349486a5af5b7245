public import MienCore
public import MienFace
public import MienInference
public import MienPixels

/// A loaded model pack with a few workers: what a server, a CLI or a test calls.
///
/// May be used from many tasks at once; each call runs on a worker's own thread and never blocks
/// the cooperative pool.
public final class FaceEngine: Sendable {
    public let packID: PackID
    public let analyzer: FaceAnalyzer
    /// Reads frames of live sessions, with the networks this engine was told to use.
    public let liveAnalyzer: LiveAnalyzer
    private let workers: WorkerPool<OpenVINOFaceNetworks>

    /// Starts the workers. Networks are compiled when they are first needed, on a worker's thread,
    /// unless `compilingAll`.
    ///
    /// - Parameters:
    ///   - pack: the networks; its files were checked when it was loaded.
    ///   - workers: photos worked on at once, 1...64; one thread each unless `options` says more.
    ///   - options: how the networks are compiled; `streams` becomes `workers`.
    ///   - crops: what a descriptor is made from, when not the pack's own crops. Calibration holds
    ///     for those only.
    ///   - looksForAttacks: ask the pack's presentation-attack network about every frame of a live
    ///     session.
    ///   - compilingAll: compile every network that is used now, which blocks for about a second,
    ///     less with a filled cache folder: for a server.
    ///   - limits: how many photos may wait, for how long, and how many of one share.
    /// - Throws: `InferenceError`; `.unreadableModel`, when the pack brings no network to look for
    ///   attacks with.
    public init(
        pack: ModelPack, workers: Int = 1, options: NetworkOptions = NetworkOptions(),
        crops: [FaceDescriber.Crop]? = nil,
        looksForAttacks: Bool = false, compilingAll: Bool = false,
        limits: WorkLimits = WorkLimits(total: 1024)
    ) throws(InferenceError) {
        if looksForAttacks, pack.manifest.file(of: .presentationAttack) == nil {
            throw InferenceError(
                .unreadableModel,
                "the pack \(pack.id.text) brings no presentation-attack network; docs/spec/model-pack.md says how one is added"
            )
        }
        var options = options
        options.streams = workers
        let compiled = CompiledPack(pack, runtime: try InferenceRuntime(), options: options)
        if compilingAll {
            try compiled.compile(
                FaceNetwork.allCases.filter { looksForAttacks || $0 != .presentationAttack })
        }
        packID = pack.id
        analyzer = FaceAnalyzer(pack.manifest.geometry, crops: crops)
        liveAnalyzer = LiveAnalyzer(analyzer, looksForAttacks: looksForAttacks)
        self.workers = WorkerPool(workers: workers, limits: limits, label: "mien.face") {
            OpenVINOFaceNetworks(compiled)
        }
    }

    /// Runs `job` on a worker with its own networks. The pipeline's steps are ``analyzer``'s
    /// methods.
    ///
    /// - Parameter share: whose job it is, when the engine serves several clients.
    /// - Throws: what `job` throws; `InferenceError` `.busy` when too many jobs wait, or no worker
    ///   was free in time.
    public func run<Output: Sendable>(
        for share: WorkShare = .common,
        _ job: @escaping @Sendable (FaceAnalyzer, OpenVINOFaceNetworks) throws -> Output
    ) async throws -> Output {
        let analyzer = analyzer
        return try await workers.run(for: share) { networks in try job(analyzer, networks) }
    }

    /// Everything about a photo's main face but its descriptor.
    public func analyse(_ image: RGBImage, search: FaceAnalyzer.Search = .automatic) async throws
        -> FaceAnalysis
    {
        try await run { analyzer, networks in
            try analyzer.analyse(image, search: search, with: networks)
        }
    }

    /// A photo's main face with its descriptor; `nil` without a face.
    public func describe(_ image: RGBImage, search: FaceAnalyzer.Search = .automatic) async throws
        -> (
            face: AnalysedFace, description: FaceDescription
        )?
    {
        try await run { analyzer, networks in
            guard let face = try analyzer.analyse(image, search: search, with: networks).main else {
                return nil
            }
            return (face, try analyzer.describe(face, in: image, with: networks))
        }
    }
}
