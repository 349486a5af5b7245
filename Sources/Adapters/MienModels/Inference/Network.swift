internal import CMienOpenVINO

/// Options for compiling a network.
public struct NetworkOptions: Sendable, Hashable {
    public enum Precision: String, Sendable, CaseIterable, Codable {
        case f32
        /// Twice as fast on CPUs that support it (see ``InferenceRuntime/capabilities``). Other
        /// CPUs use f32 instead.
        case bf16
    }

    /// The number of threads for one run, 1...64.
    public var threads: Int
    /// The number of concurrent runs, 1...64.
    public var streams: Int
    public var precision: Precision
    /// A folder for compiled networks, so that the next start need not compile them; `nil` disables
    /// the cache.
    public var cacheFolder: String?

    public init(
        threads: Int = 1, streams: Int = 1, precision: Precision = .f32, cacheFolder: String? = nil
    ) {
        precondition(
            (1...64).contains(threads) && (1...64).contains(streams),
            "threads and streams must be 1...64")
        (self.threads, self.streams, self.precision, self.cacheFolder) = (
            threads, streams, precision, cacheFolder
        )
    }
}

/// A network compiled for this CPU: one input (f32 or u8), 1 to 16 outputs (f32). It may be used
/// from any thread.
@safe public final class Network: @unchecked Sendable {
    // Unchecked: the pointer never changes, and creating requests from a compiled model is
    // thread-safe in OpenVINO.
    let raw: OpaquePointer
    private let runtime: InferenceRuntime
    let path: String

    /// Reads `path` (`.xml` IR, `.onnx`, `.tflite`) and compiles it.
    ///
    /// Blocks for milliseconds to seconds, so call it off the cooperative pool.
    /// - Parameters:
    ///   - path: The file. The weights of an IR are next to it, in the `.bin` file with the same
    ///     name.
    ///   - runtime: Retained as long as the network.
    ///   - options: Threads, streams, precision, and cache.
    ///   - shape: The sides of the input for a file that leaves some open, such as
    ///     `[1, 3, 112, 112]`. Ignored for other files, unless `reshaping` is set.
    ///   - reshaping: Applies `shape` to every file, for example to set a batch size.
    /// - Throws: ``InferenceError`` `.unreadableModel`, `.unsuitableModel`, or
    ///   `.uncompilableModel`.
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

    /// Compiles an IR that is in memory.
    ///
    /// Blocks for milliseconds to seconds, so call it off the cooperative pool. Nothing is cached on
    /// disk.
    /// - Parameters:
    ///   - model: The content of the `.xml` file.
    ///   - weights: The content of the `.bin` file.
    ///   - name: The network's name in errors.
    ///   - shape: The sides of the input.
    /// - Throws: ``InferenceError`` `.unreadableModel`, `.unsuitableModel`, or
    ///   `.uncompilableModel`.
    public init(
        model: UnsafeRawBufferPointer, weights: UnsafeRawBufferPointer, name: String,
        runtime: InferenceRuntime, options: NetworkOptions = .init(), shape: [Int]
    ) throws(InferenceError) {
        var network: OpaquePointer?
        let sides = shape.map(Int64.init)
        try unsafe checked(name) { why, count in
            unsafe mien_ov_network_open_bytes(
                runtime.raw, model.baseAddress, model.count, weights.baseAddress, weights.count,
                Int32(options.threads), Int32(options.streams), options.precision.rawValue, sides,
                sides.count, &network, why, count)
        }
        unsafe raw = network!
        self.runtime = runtime
        path = name
    }

    deinit { unsafe mien_ov_network_free(raw) }
}
