internal import CMienOpenVINO

/// How a network is compiled.
public struct NetworkOptions: Sendable, Hashable {
    public enum Precision: String, Sendable, CaseIterable, Codable {
        case f32
        /// Twice as fast where the CPU has it (see ``InferenceRuntime/capabilities``), elsewhere
        /// f32 is used in its place.
        case bf16
    }

    /// Threads that work on one run, 1...64.
    public var threads: Int
    /// Runs that may be under way at once, 1...64.
    public var streams: Int
    public var precision: Precision
    /// A folder for compiled networks, so that the next start need not compile; `nil` keeps
    /// nothing.
    public var cacheFolder: String?

    public init(
        threads: Int = 1, streams: Int = 1, precision: Precision = .f32, cacheFolder: String? = nil
    ) {
        precondition(
            (1...64).contains(threads) && (1...64).contains(streams),
            "threads and streams are 1...64")
        (self.threads, self.streams, self.precision, self.cacheFolder) = (
            threads, streams, precision, cacheFolder
        )
    }
}

/// A network compiled for this CPU: one input (f32 or u8), 1 to 16 outputs (f32). May be used from
/// any thread.
@safe public final class Network: @unchecked Sendable {
    // Unchecked: the pointer never changes, and making requests from a compiled model is
    // thread-safe in OpenVINO.
    let raw: OpaquePointer
    private let runtime: InferenceRuntime
    let path: String

    /// Reads `path` (`.xml` IR, `.onnx`, `.tflite`) and compiles it.
    ///
    /// Takes from milliseconds to seconds and blocks: call it off the cooperative pool.
    /// - Parameters:
    ///   - path: the file. Of an IR the weights are beside it, in the `.bin` of the same name.
    ///   - runtime: kept as long as the network.
    ///   - options: threads, streams, precision, cache.
    ///   - shape: sides of the input for a file that leaves some open, e.g. `[1, 3, 112, 112]`; not
    ///     used otherwise,
    ///     unless `reshaping`: then the input gets them in any case, for a batch say.
    /// - Throws: ``InferenceError`` `.unreadableModel`, `.unsuitableModel` or `.uncompilableModel`.
    public init(
        _ path: String, runtime: InferenceRuntime, options: NetworkOptions = .init(),
        shape: [Int] = [],
        reshaping: Bool = false
    ) throws(InferenceError) {
        var network: OpaquePointer?
        let sides = shape.map(Int64.init)
        try unsafe checked(path) { why, count in
            unsafe mien_ov_network_open(
                runtime.raw, path, Int32(options.threads), Int32(options.streams),
                options.precision.rawValue, options.cacheFolder, sides,
                sides.count, reshaping ? 1 : 0, &network, why, count)
        }
        unsafe raw = network!
        self.runtime = runtime
        self.path = path
    }

    deinit { unsafe mien_ov_network_free(raw) }
}
