internal import CMienOpenVINO

/// The OpenVINO runtime. One per process is enough; it may be used from any thread.
@safe public final class InferenceRuntime: @unchecked Sendable {
    // Unchecked: the pointer never changes, and OpenVINO's core may be called from several threads
    // at once.
    let raw: OpaquePointer

    /// - Throws: ``InferenceError`` `.noRuntime`.
    public init() throws(InferenceError) {
        var core: OpaquePointer?
        try unsafe checked("OpenVINO") { unsafe mien_ov_core_new(&core, $0, $1) }
        unsafe raw = core!
    }

    deinit { unsafe mien_ov_core_free(raw) }

    /// Returns memory to the system that compiling networks left unused.
    public static func returnMemory() { mien_ov_return_memory() }

    /// The runtime's version and build, such as `2026.4.1-22982-…`; empty when it is unknown.
    public static var version: String { unsafe text(256) { unsafe mien_ov_version($0, $1) } }

    /// The CPU's capabilities, in OpenVINO's terms: `FP32`, `INT8`, `BF16` …
    public var capabilities: [String] {
        unsafe Self.text(1024) { unsafe mien_ov_capabilities(raw, $0, $1) }.split(separator: " ")
            .map(String.init)
    }

    /// The precision that runs fastest on this CPU.
    public var fastestPrecision: NetworkOptions.Precision {
        capabilities.contains("BF16") ? .bf16 : .f32
    }

    private static func text(_ capacity: Int, _ fill: (UnsafeMutablePointer<CChar>, Int) -> Void)
        -> String
    {
        var bytes = [CChar](repeating: 0, count: capacity)
        unsafe bytes.withUnsafeMutableBufferPointer { unsafe fill($0.baseAddress!, $0.count) }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
