internal import CMienOpenVINO

/// One place to run a network: its own input and output memory. One thread at a time; each worker has its own.
@safe public final class InferRequest {
    private let raw: OpaquePointer
    private let network: Network

    /// Input values a run takes.
    public let inputCount: Int
    /// Whether the input is f32 (otherwise u8).
    public let takesFloats: Bool

    /// - Throws: ``InferenceError`` `.unsuitableModel` when the input is neither f32 nor u8 or an output is not f32.
    public init(_ network: Network) throws(InferenceError) {
        var request: OpaquePointer?
        try unsafe checked(network.path) { unsafe mien_ov_request_new(network.raw, &request, $0, $1) }
        var data: UnsafeMutableRawPointer?
        var count = 0
        var bytes: Int32 = 0
        unsafe mien_ov_request_input(request!, &data, &count, &bytes)
        unsafe raw = request!
        self.network = network
        inputCount = count
        takesFloats = bytes == 4
    }

    deinit { unsafe mien_ov_request_free(raw) }

    /// Runs the network once, on the calling thread.
    ///
    /// - Parameter fill: writes all ``inputCount`` values; what it leaves keeps the last run's.
    /// - Returns: a copy of every output's values, in the file's order.
    /// - Precondition: ``takesFloats``.
    public func run(_ fill: (inout MutableSpan<Float>) -> Void) throws(InferenceError) -> [[Float]] {
        precondition(takesFloats, "this network takes bytes")
        var data: UnsafeMutableRawPointer?
        var count = 0
        var bytes: Int32 = 0
        unsafe mien_ov_request_input(raw, &data, &count, &bytes)
        var span = unsafe MutableSpan(_unsafeStart: data!.assumingMemoryBound(to: Float.self), count: count)
        fill(&span)
        try unsafe checked(network.path) { unsafe mien_ov_request_run(raw, $0, $1) }
        let outputs = unsafe mien_ov_request_outputs(raw)
        return (0..<outputs).map(output)
    }

    private func output(_ index: Int) -> [Float] {
        var data: UnsafePointer<Float>?
        var count = 0
        unsafe mien_ov_request_output(raw, index, &data, &count)
        return unsafe Array(UnsafeBufferPointer(start: data, count: count))
    }
}
